// @ts-check
// Messages from the page to a worker that does not return to its event loop while it searches: a ring of bytes in
// shared memory, with one writer and one reader.

/** Bytes for messages, a power of two: room for several of the longest intents (65,536 bytes). */
const SIZE = 1 << 19;
/** Two counters of bytes, written and read. They wrap around. */
const HEAD = 8;
/** The length in front of each message. */
const LENGTH = 4;

export const newRing = () => new SharedArrayBuffer(HEAD + SIZE);

export class Ring {
  /** @param {SharedArrayBuffer} buffer */
  constructor(buffer) {
    this.counters = new Int32Array(buffer, 0, 2);
    this.bytes = new Uint8Array(buffer, HEAD);
  }

  /**
   * Adds a message. Returns whether there was room.
   * @param {string} text
   */
  put(text) {
    const message = new TextEncoder().encode(text);
    const written = Atomics.load(this.counters, 0);
    const used = (written - Atomics.load(this.counters, 1)) >>> 0;
    if (LENGTH + message.length > SIZE - used) return false;
    this.copyIn(written, new Uint8Array(new Uint32Array([message.length]).buffer));
    this.copyIn(written + LENGTH, message);
    // The reader sees the new counter only after the bytes.
    Atomics.store(this.counters, 0, written + LENGTH + message.length);
    return true;
  }

  /** Removes and returns the oldest message, or returns `null`. */
  take() {
    const read = Atomics.load(this.counters, 1);
    if (read === Atomics.load(this.counters, 0)) return null;
    const [length] = new Uint32Array(this.copyOut(read, LENGTH).buffer);
    const text = new TextDecoder().decode(this.copyOut(read + LENGTH, length));
    Atomics.store(this.counters, 1, read + LENGTH + length);
    return text;
  }

  /**
   * @param {number} at
   * @param {Uint8Array} message
   */
  copyIn(at, message) {
    const start = at & (SIZE - 1);
    this.bytes.set(message.subarray(0, SIZE - start), start);
    this.bytes.set(message.subarray(SIZE - start), 0);
  }

  /**
   * @param {number} at
   * @param {number} length
   */
  copyOut(at, length) {
    const start = at & (SIZE - 1);
    const message = new Uint8Array(length);
    const first = this.bytes.subarray(start, Math.min(start + length, SIZE));
    message.set(first);
    message.set(this.bytes.subarray(0, length - first.length), first.length);
    return message;
  }
}
