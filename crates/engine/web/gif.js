// @ts-check
// Writes animated GIF files (GIF89a): one palette for all frames, LZW compression, endless repetition.

/** Colours of the palette; the last one is transparent. */
export const COLORS = 255;
export const TRANSPARENT = 255;

/** Codes of the compression after the 256 single pixels. */
const CLEAR = 256;
const END = 257;
const FIRST_CODE = 258;
const MOST_CODES = 4096;

/** Bytes that grow. */
class Bytes {
  constructor() {
    this.data = new Uint8Array(1 << 16);
    this.length = 0;
  }

  /** @param {number} byte */
  push(byte) {
    if (this.length === this.data.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = byte;
  }

  /** @param {ArrayLike<number>} bytes */
  add(bytes) {
    for (let i = 0; i < bytes.length; i++) this.push(bytes[i]);
  }

  /**
   * Numbers of two bytes, the low one first.
   * @param {...number} numbers
   */
  words(...numbers) {
    for (const number of numbers) this.add([number & 255, number >> 8]);
  }

  get view() {
    return this.data.subarray(0, this.length);
  }
}

export class GifWriter {
  /**
   * @param {number} width
   * @param {number} height
   * @param {number[]} palette Colours as 0xRRGGBB, at most 255 of them.
   */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    this.out = new Bytes();
    /** The codes of known sequences: a code and the pixel after it. */
    this.codes = new Uint16Array(MOST_CODES << 8);
    /** @type {Uint8Array | null} */
    this.shown = null;
    const text = (/** @type {string} */ letters) => [...letters].map((letter) => letter.charCodeAt(0));
    this.out.add(text("GIF89a"));
    this.out.words(width, height);
    // A palette of 256 colours, each with three bytes.
    this.out.add([0xf7, 0, 0]);
    for (let i = 0; i < 256; i++) {
      const color = palette[i] ?? 0;
      this.out.add([color >> 16, (color >> 8) & 255, color & 255]);
    }
    this.out.add([0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0]);
  }

  /**
   * Adds a frame. Only what differs from the frame before is written.
   * @param {Uint8Array} pixels Numbers of colours, row by row.
   * @param {number} ms How long it is shown.
   */
  add(pixels, ms) {
    const { width, height, shown, out } = this;
    let [left, top, right, bottom] = shown ? [width, height, 0, 0] : [0, 0, width, height];
    for (let y = 0, i = 0; shown && y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        if (pixels[i] === shown[i]) continue;
        left = Math.min(left, x);
        right = Math.max(right, x + 1);
        top = Math.min(top, y);
        bottom = y + 1;
      }
    }
    // A frame has at least one pixel.
    if (right <= left) [left, top, right, bottom] = [0, 0, 1, 1];
    const part = new Uint8Array((right - left) * (bottom - top));
    for (let y = top, i = 0; y < bottom; y++) {
      for (let at = y * width + left, end = y * width + right; at < end; at++, i++)
        part[i] = shown && pixels[at] === shown[at] ? TRANSPARENT : pixels[at];
    }
    this.shown = pixels.slice();
    // Keep the frame before, with a transparent colour.
    out.add([0x21, 0xf9, 4, 0x05]);
    out.words(Math.round(ms / 10));
    out.add([TRANSPARENT, 0, 0x2c]);
    out.words(left, top, right - left, bottom - top);
    out.add([0, 8]);
    const packed = this.compress(part);
    for (let at = 0; at < packed.length; at += 255) {
      const block = packed.subarray(at, at + 255);
      out.push(block.length);
      out.add(block);
    }
    out.push(0);
  }

  /**
   * LZW with codes of 9 to 12 bits.
   * @param {Uint8Array} pixels
   */
  compress(pixels) {
    const { codes } = this;
    const packed = new Bytes();
    let bits = 0;
    let count = 0;
    let size = 9;
    let next = FIRST_CODE;
    const emit = (/** @type {number} */ code) => {
      bits |= code << count;
      for (count += size; count >= 8; count -= 8) {
        packed.push(bits & 255);
        bits >>= 8;
      }
    };
    codes.fill(0);
    emit(CLEAR);
    let prefix = pixels[0];
    for (let i = 1; i < pixels.length; i++) {
      const sequence = (prefix << 8) | pixels[i];
      if (codes[sequence]) {
        prefix = codes[sequence];
        continue;
      }
      emit(prefix);
      if (next === MOST_CODES) {
        emit(CLEAR);
        codes.fill(0);
        next = FIRST_CODE;
        size = 9;
      } else {
        if (next >= 1 << size) size++;
        codes[sequence] = next++;
      }
      prefix = pixels[i];
    }
    emit(prefix);
    // The decoder may have grown its codes with the last one.
    if (next >= 1 << size && size < 12) size++;
    emit(END);
    if (count > 0) packed.push(bits & 255);
    return packed.view;
  }

  get size() {
    return this.out.length;
  }

  finish() {
    this.out.push(0x3b);
    return new Blob([this.out.view], { type: "image/gif" });
  }
}
