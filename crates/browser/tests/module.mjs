// Loads a module as the page's worker does, and keeps what it says.
import { readFile } from "node:fs/promises";

export class Instance {
  /** What the module said: `[milliseconds, message]`. */
  said = [];
  panic = null;
  polls = 0;
  /** Called from inside searches. */
  onPoll = () => {};

  /** @param {{ poll?: (poll: () => unknown) => unknown }} options wraps the import `poll`, for JSPI */
  static async load(path, { poll = (it) => it } = {}) {
    const self = new Instance();
    const ferz = {
      now: () => performance.now(),
      say: (pointer, length) => self.said.push([performance.now(), JSON.parse(self.text(pointer, length))]),
      poll: poll(() => {
        self.polls++;
        return self.onPoll();
      }),
      panicked: (pointer, length) => (self.panic = self.text(pointer, length)),
    };
    const { instance } = await WebAssembly.instantiate(await readFile(path), { ferz });
    self.exports = instance.exports;
    return self;
  }

  /** The memory's buffer is replaced whenever it grows, so every view is new. */
  text(pointer, length) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, pointer, length));
  }

  write(text) {
    const bytes = new TextEncoder().encode(text);
    const pointer = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, pointer, bytes.length).set(bytes);
  }

  hear(message) {
    this.write(JSON.stringify(message));
    this.exports.hear();
  }

  /** Works until nothing is waiting. */
  work() {
    while (this.exports.work() === 1);
  }

  /** The messages of a type. */
  heard(type) {
    return this.said.map(([, message]) => message).filter((message) => message.type === type);
  }

  perft(fen, depth) {
    this.write(fen);
    return this.exports.perft(depth);
  }

  get mebibytes() {
    return this.exports.memory.buffer.byteLength / 2 ** 20;
  }
}
