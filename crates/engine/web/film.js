// @ts-check
// A game as an animated GIF, with the pieces and colours of the board on the page.

import { el } from "./dom.js";
import { moveText } from "./format.js";
import { COLORS, GifWriter } from "./gif.js";
import { isLight, nameOf, pieceClass, place, squareOf } from "./squares.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {import("./protocol").Preview} Preview */

/** Width of a square and height of the caption, in pixels. */
const SQUARE = 60;
const CAPTION = 36;
const WIDTH = 8 * SQUARE;
const HEIGHT = WIDTH + CAPTION;
/** Longer games and larger files are refused: nobody could watch them. */
const MOST_FRAMES = 400;
const MOST_BYTES = 16 << 20;
/** Questions to the server at once, and milliseconds of work without a pause. */
const BATCH = 40;
const SLICE = 20;

const PIECES = [..."KQRBNPkqrbnp"];

const pause = () => new Promise((resume) => setTimeout(resume));

/**
 * The moves from the start through the current position to the end of that line.
 * @param {App} app
 */
export function currentLine(app) {
  const { nodes } = app.store.get("tree");
  /** @type {NodeEntry[]} */
  const line = [];
  for (let node = app.node(); node; node = (node.parent !== null && nodes.get(node.parent)) || null) line.unshift(node);
  return toTheEnd(app, line);
}

/**
 * The moves of the main line.
 * @param {App} app
 */
export function mainLine(app) {
  const { root } = app.store.get("tree");
  return toTheEnd(app, root ? [root] : []);
}

/**
 * @param {App} app
 * @param {NodeEntry[]} line
 */
function toTheEnd(app, line) {
  const { nodes } = app.store.get("tree");
  for (let node = nodes.get(line.at(-1)?.children[0] ?? -1); node; node = nodes.get(node.children[0] ?? -1))
    line.push(node);
  return line;
}

/**
 * Makes the GIF of a line. Throws a message for the reader.
 * @param {App} app
 * @param {NodeEntry[]} line The start position first.
 * @param {number} ms How long each move is shown.
 * @param {(share: number) => void} progress Called with the share that is done.
 * @param {AbortSignal} signal
 */
export async function filmOf(app, line, ms, progress, signal) {
  if (line.length > MOST_FRAMES)
    throw new Error(`The game is too long for a GIF. The limit is ${MOST_FRAMES - 1} moves of both sides.`);
  const flipped = app.store.get("flipped");
  /** @type {Preview[]} */
  const positions = [];
  for (let at = 0; at < line.length && !signal.aborted; at += BATCH) {
    const batch = line.slice(at, at + BATCH);
    positions.push(
      ...(await Promise.all(batch.map(({ id }) => app.connection.ask({ type: "preview", node: id, moves: [] })))),
    );
    progress((0.5 * positions.length) / line.length);
  }
  const players = playersText(app);
  const studio = await Studio.create();
  const captions = line.map((node) => (node.san ? moveText(node) : "Start"));
  const gif = new GifWriter(WIDTH, HEIGHT, studio.palette);
  let start = performance.now();
  for (const [index, position] of positions.entries()) {
    if (signal.aborted) return null;
    const frame = studio.frame(position, flipped, captions[index], players);
    gif.add(frame, index === positions.length - 1 ? Math.max(3000, ms) : ms);
    if (gif.size > MOST_BYTES) throw new Error("The GIF became too large. Choose a shorter line.");
    if (performance.now() - start < SLICE) continue;
    progress(0.5 + (0.5 * index) / positions.length);
    await pause();
    start = performance.now();
  }
  return signal.aborted ? null : gif.finish();
}

/** @param {App} app */
function playersText(app) {
  const headers = new Map(app.store.get("position")?.headers ?? []);
  const [white, black] = ["White", "Black"].map((side) => headers.get(side) ?? "?");
  return white === "?" && black === "?" ? "" : `${white} – ${black}`;
}

/** @typedef {{ pixels: Uint32Array, colors?: Uint8Array }} Tile */

/** Draws positions with the colours of a palette. */
class Studio {
  /** Loads the pieces of the page. */
  static async create() {
    const studio = new Studio();
    const images = new Map();
    await Promise.all(PIECES.map(async (piece) => images.set(piece, await pictureOf(piece))));
    studio.drawTiles(images);
    studio.choosePalette();
    return studio;
  }

  constructor() {
    const canvas = el("canvas", { width: WIDTH, height: Math.max(SQUARE, CAPTION) });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("This browser cannot draw pictures.");
    this.context = context;
    const cell = (/** @type {string} */ kind) => {
      const square = document.querySelector(`#board .square.${kind}`);
      return square ? getComputedStyle(square).backgroundColor : "#999";
    };
    this.squares = { light: cell("light"), dark: cell("dark") };
    this.mark = colorOf("var(--last-move)");
    this.paper = colorOf("var(--card)");
    this.ink = colorOf("var(--ink)");
    this.font = getComputedStyle(document.body).fontFamily;
    /** @type {Map<string, Tile>} */
    this.tiles = new Map();
    /** @type {number[]} */
    this.palette = [];
    /**
     * Numbers of colours that were looked up, by pixel.
     * @type {Map<number, number>}
     */
    this.known = new Map();
  }

  /**
   * Every piece on every kind of square.
   * @param {Map<string, CanvasImageSource>} images
   */
  drawTiles(images) {
    const { context } = this;
    for (const ground of /** @type {("light" | "dark")[]} */ (["light", "dark"])) {
      for (const isMarked of [false, true]) {
        for (const piece of [".", ...PIECES]) {
          context.fillStyle = this.squares[ground];
          context.fillRect(0, 0, SQUARE, SQUARE);
          if (isMarked) {
            context.fillStyle = this.mark;
            context.fillRect(0, 0, SQUARE, SQUARE);
          }
          const image = images.get(piece);
          if (image) context.drawImage(image, 0, 0, SQUARE, SQUARE);
          this.tiles.set(`${piece}${ground}${isMarked}`, { pixels: this.pixels(SQUARE, SQUARE) });
        }
      }
    }
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  pixels(width, height) {
    return new Uint32Array(this.context.getImageData(0, 0, width, height).data.buffer);
  }

  /** The colours that occur most often; all others take the nearest of them. */
  choosePalette() {
    /** @type {Map<number, number>} */
    const counts = new Map();
    const samples = [...this.tiles.values()].map(({ pixels }) => pixels);
    samples.push(this.caption("0123456789 KQRBN abcdefgh x+#=", "AaBbCcDdEe"));
    for (const pixels of samples) for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    const often = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLORS);
    this.palette = often.map(([pixel]) => ((pixel & 255) << 16) | (pixel & 0xff00) | ((pixel >> 16) & 255));
    for (const tile of this.tiles.values()) tile.colors = this.colors(tile.pixels);
  }

  /** @param {Uint32Array} pixels */
  colors(pixels) {
    return Uint8Array.from(pixels, (pixel) => {
      const known = this.known.get(pixel);
      if (known !== undefined) return known;
      const nearest = this.nearest(pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255);
      this.known.set(pixel, nearest);
      return nearest;
    });
  }

  /**
   * @param {number} red
   * @param {number} green
   * @param {number} blue
   */
  nearest(red, green, blue) {
    let best = 0;
    let least = Infinity;
    this.palette.forEach((color, index) => {
      const distance =
        2 * ((color >> 16) - red) ** 2 + 4 * (((color >> 8) & 255) - green) ** 2 + 3 * ((color & 255) - blue) ** 2;
      if (distance < least) [least, best] = [distance, index];
    });
    return best;
  }

  /**
   * The line of text below the board.
   * @param {string} left
   * @param {string} right
   */
  caption(left, right) {
    const { context } = this;
    context.fillStyle = this.paper;
    context.fillRect(0, 0, WIDTH, CAPTION);
    context.fillStyle = this.ink;
    context.textBaseline = "middle";
    context.font = `600 18px ${this.font}`;
    context.textAlign = "left";
    context.fillText(left, 10, CAPTION / 2, 130);
    context.font = `16px ${this.font}`;
    context.textAlign = "right";
    context.fillText(right, WIDTH - 10, CAPTION / 2, WIDTH - 160);
    return this.pixels(WIDTH, CAPTION);
  }

  /**
   * @param {Preview} position
   * @param {boolean} flipped
   * @param {string} move
   * @param {string} players
   */
  frame({ board, last }, flipped, move, players) {
    const frame = new Uint8Array(WIDTH * HEIGHT);
    const marked = (last ?? []).map(squareOf);
    for (let square = 0; square < 64; square++) {
      const ground = isLight(square) ? "light" : "dark";
      const colors = this.tiles.get(`${board[square]}${ground}${marked.includes(square)}`)?.colors;
      if (!colors) throw new Error(`There is no picture of ${nameOf(square)}.`);
      const [column, row] = place(square, flipped);
      for (let y = 0; y < SQUARE; y++)
        frame.set(colors.subarray(y * SQUARE, (y + 1) * SQUARE), (row * SQUARE + y) * WIDTH + column * SQUARE);
    }
    frame.set(this.colors(this.caption(move, players)), WIDTH * WIDTH);
    return frame;
  }
}

/**
 * What a colour of the style sheet is at present.
 * @param {string} value
 */
function colorOf(value) {
  const probe = el("span", { hidden: true });
  probe.style.backgroundColor = value;
  document.body.append(probe);
  const color = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return color;
}

/**
 * The picture of a piece, as the page shows it.
 * @param {string} piece
 */
async function pictureOf(piece) {
  const probe = el("span", { class: pieceClass(piece), hidden: true });
  document.body.append(probe);
  const address = /url\("(.+)"\)/.exec(getComputedStyle(probe).backgroundImage)?.[1] ?? "";
  probe.remove();
  const drawing = new DOMParser().parseFromString(await (await fetch(address)).text(), "image/svg+xml");
  // Some browsers draw an SVG without a size as nothing.
  drawing.documentElement.setAttribute("width", "100");
  drawing.documentElement.setAttribute("height", "100");
  const text = new XMLSerializer().serializeToString(drawing);
  const image = new Image(100, 100);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    image.src = url;
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
  return image;
}
