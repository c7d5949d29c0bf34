// @ts-check
// Sounds of moves, made from noise and sine waves: nothing has to be loaded.

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").NodeEntry} NodeEntry */
/** @typedef {"move" | "capture" | "check" | "end"} SoundName */

/** @type {AudioContext | null} */
let shared = null;

/** The context, or `null` where the browser has none, or does not let a page make a sound before the first click. */
function audio() {
  /** @type {Navigator & { userActivation?: { hasBeenActive: boolean } }} */
  const { userActivation } = navigator;
  if (!window.AudioContext || userActivation?.hasBeenActive === false) return null;
  shared ??= new AudioContext();
  if (shared.state === "suspended") shared.resume();
  return shared;
}

/**
 * A knock on wood: a short noise around a pitch.
 * @param {AudioContext} context
 * @param {number} at Seconds from now.
 * @param {number} pitch In hertz.
 * @param {number} loudness From 0 to 1.
 */
function knock(context, at, pitch, loudness) {
  const length = Math.round(0.07 * context.sampleRate);
  const noise = context.createBuffer(1, length, context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let i = 0; i < length; i++) samples[i] = (2 * Math.random() - 1) * Math.exp((-9 * i) / length);
  const source = new AudioBufferSourceNode(context, { buffer: noise });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 2.2 });
  source.connect(filter).connect(new GainNode(context, { gain: 1.6 * loudness })).connect(context.destination);
  source.start(context.currentTime + at);
  tone(context, at, pitch / 4, 0.06, loudness / 2);
}

/**
 * A sine wave that fades.
 * @param {AudioContext} context
 * @param {number} at Seconds from now.
 * @param {number} pitch In hertz.
 * @param {number} length In seconds.
 * @param {number} loudness From 0 to 1.
 */
function tone(context, at, pitch, length, loudness) {
  const start = context.currentTime + at;
  const wave = new OscillatorNode(context, { frequency: pitch });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loudness, start + 0.005);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  wave.connect(gain).connect(context.destination);
  wave.start(start);
  wave.stop(start + length);
}

/** @type {{ [name in SoundName]: (context: AudioContext) => void }} */
const SOUNDS = {
  move: (context) => knock(context, 0, 900, 0.5),
  capture: (context) => {
    knock(context, 0, 1300, 0.6);
    knock(context, 0.055, 800, 0.5);
  },
  check: (context) => {
    knock(context, 0, 900, 0.5);
    tone(context, 0.03, 660, 0.22, 0.12);
  },
  end: (context) => [392, 494, 587].forEach((pitch, index) => tone(context, 0.14 * index, pitch, 0.5, 0.12)),
};

/** @param {SoundName} name */
export function playSound(name) {
  const context = audio();
  if (context) SOUNDS[name](context);
}

/**
 * @param {NodeEntry} node
 * @returns {SoundName}
 */
function soundOf({ san }) {
  if (san?.endsWith("+")) return "check";
  return san?.includes("x") ? "capture" : "move";
}

/** @param {App} app */
export function mountSounds(app) {
  const { store } = app;
  /** @type {{ node: number, isOver: boolean } | null} */
  let before = null;
  store.on(["position"], () => {
    const { position, sounds } = store.values;
    const node = app.node();
    if (!position || !node) return;
    const isOver = Boolean(position.play?.over ?? position.outcome);
    // Only a step forward is a move; a jump elsewhere is silent.
    const isMove = before !== null && node.id !== before.node && node.parent === before.node;
    const hasEnded = isOver && before !== null && !before.isOver && (isMove || node.id === before.node);
    before = { node: node.id, isOver };
    if (sounds && (isMove || hasEnded)) playSound(hasEnded ? "end" : soundOf(node));
  });
}
