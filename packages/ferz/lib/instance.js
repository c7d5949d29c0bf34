// The WebAssembly instance: loading, memory, text, and its end.
import { InstanceError } from "./errors.js";

let platform;

/** What differs between node and browsers; set by the entry modules. */
export function setPlatform(modules) {
  platform = modules;
}

export function getPlatform() {
  return platform;
}

/** An object whose properties all throw, for an instance that is not there. */
function absent(makeError) {
  const get = () => {
    throw makeError();
  };
  return new Proxy({}, { get });
}

const notLoaded = absent(() => new InstanceError("not-loaded", "ferz is not loaded: await load() first"));

/** The exports of the instance. */
export let wasm = notLoaded;

/** Counts instances: a handle belongs to one of them. */
export let generation = 0;

/** The slots for positions in the instance. */
export const SLOTS = 64;

/** What the instance holds: the current position, the position in each slot, the slot for the next one, and the game
 * that was used last, at its ply. */
export const held = { position: undefined, owners: new Array(SLOTS).fill(undefined), next: 0, game: undefined, ply: 0 };

/** Functions that the imports call; set by the modules that have something to say. */
export const hooks = {
  poll: () => 0,
  report() {},
  read: () => 0,
};

export let PACKED = 0;
export let MOVES = 0;
export let SANS = 0;
export let NUMBERS = 0;
let INPUT = 0;
let inputCapacity = 0;
const SMALL_INPUT = 4096;

let memory;
let panic;
let loading;
let isAlive = false;
let module;
let bytes = new Uint8Array();
let halves = new Uint16Array();
let words = new Uint32Array();
let doubles = new Float64Array();

/** When the memory grows, the views of it become empty. */
function refresh() {
  const { buffer } = memory;
  bytes = new Uint8Array(buffer);
  halves = new Uint16Array(buffer);
  words = new Uint32Array(buffer);
  doubles = new Float64Array(buffer);
}

export function u8() {
  if (bytes.length === 0) refresh();
  return bytes;
}

export function u16() {
  if (bytes.length === 0) refresh();
  return halves;
}

export function u32() {
  if (bytes.length === 0) refresh();
  return words;
}

/** The table of numbers. */
export function numbers() {
  if (bytes.length === 0) refresh();
  return doubles.subarray(NUMBERS / 8, NUMBERS / 8 + 256);
}

/** How many bytes the instance has, for tests. */
export function memorySize() {
  return memory.buffer.byteLength;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Makes room for input; returns its address. */
export function reserveInput(length) {
  if (length > inputCapacity) {
    INPUT = wasm.reserve_input(length);
    inputCapacity = length;
  }
  return INPUT;
}

/** Gives the memory of a long input back. */
export function releaseInput() {
  if (inputCapacity > 1 << 20) {
    inputCapacity = 0;
    reserveInput(SMALL_INPUT);
  }
}

/** Writes text into the input; returns the number of bytes. */
export function writeText(text) {
  const address = reserveInput(text.length * 3);
  const heap = u8();
  if (text.length <= 100) {
    let at = 0;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) break;
      heap[address + at] = code;
    }
    if (at === text.length) return at;
  }
  return encoder.encodeInto(text, heap.subarray(address, address + inputCapacity)).written;
}

/** Writes bits of moves into the input. */
export function writeMoves(moves) {
  const address = reserveInput(2 * moves.length);
  const heap = u8();
  moves.forEach((bits, index) => {
    heap[address + 2 * index] = bits & 255;
    heap[address + 2 * index + 1] = bits >> 8;
  });
}

export function decodeText(address, length) {
  return decoder.decode(u8().subarray(address, address + length));
}

/** The output of the last call. */
export function readOutput(length) {
  const address = wasm.output_address();
  if (length > 100) return decodeText(address, length);
  const heap = u8();
  let text = "";
  for (let at = address; at < address + length; at++) {
    if (heap[at] > 127) return decodeText(address, length);
    text += String.fromCharCode(heap[at]);
  }
  return text;
}

/** The error in the output: code, message and details. */
export function readError(length) {
  return readOutput(length).split("\n");
}

/** What ended the instance. */
let ending;

function endingError() {
  const code = panic === undefined ? "trapped" : "panicked";
  const message = `ferz has ended with an internal error (${panic ?? ending.message}). Call load() to start it again.`;
  return new InstanceError(code, message, { cause: ending });
}

const ended = absent(endingError);

/**
 * Whatever leaves the instance as an exception has left it in the middle of something, so it must not be used again.
 * Positions and games live in JavaScript: a new instance goes on with them.
 */
function guard(call) {
  return (a, b, c) => {
    try {
      return call(a, b, c);
    } catch (error) {
      // Assignments only: the stack may be full.
      wasm = ended;
      isAlive = false;
      loading = undefined;
      ending = error;
      throw endingError();
    }
  };
}

const imports = {
  ferz: {
    now: () => performance.now(),
    poll: () => hooks.poll(),
    report: (kind) => hooks.report(kind),
    read: (reader, address, length) => hooks.read(reader, address, length),
    panicked(address, length) {
      panic = new TextDecoder().decode(new Uint8Array(memory.buffer, address, length));
    },
  },
};

async function compile(source) {
  source = await source;
  if (source instanceof WebAssembly.Module) return source;
  if (source === undefined) return module ?? platform.compile();
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  return platform.compile(source);
}

async function instantiate(source) {
  const compiled = await compile(source);
  const { exports } = await WebAssembly.instantiate(compiled, imports);
  const guarded = {};
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value === "function") guarded[name] = guard(value);
  }
  if (guarded.legal_moves === undefined)
    throw new InstanceError("wrong-module", "this WebAssembly module is not that of ferz");
  module = compiled;
  memory = exports.memory;
  panic = undefined;
  wasm = guarded;
  generation += 1;
  held.position = held.game = undefined;
  held.owners.fill(undefined);
  refresh();
  wasm.start();
  PACKED = wasm.packed_address();
  MOVES = wasm.moves_address();
  SANS = wasm.sans_address();
  NUMBERS = wasm.numbers_address();
  inputCapacity = 0;
  reserveInput(SMALL_INPUT);
  isAlive = true;
}

/**
 * Loads the engine; everything else needs it. Without an argument it takes `ferz.wasm` beside the package's own files.
 * Calling it again does nothing, except after an internal error.
 */
export function load(source) {
  loading ??= instantiate(source).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

export function isLoaded() {
  return isAlive;
}

/** Whether handles of this generation are still good. */
export function isCurrent(born) {
  return isAlive && born === generation;
}

/** The compiled module, for workers. */
export async function compiledModule() {
  await load();
  return module;
}
