// @ts-check
// Explanations: why moves are good or bad.

import { say } from "./announce.js";
import { byId, el, write } from "./dom.js";
import { Lines } from "./lines.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Explanation} Explanation */
/** @typedef {import("./protocol").ExplanationPart} ExplanationPart */

/** @type {{ [about in ExplanationPart["about"]]: string }} */
const HEADINGS = {
  played: "The move played",
  instead: "What was better",
  best: "The best move now",
  threat: "The threat",
};

const WAITING = "The engine is looking for reasons…";

/**
 * Asks for an explanation of the current position.
 * @param {App} app
 */
export async function askWhy(app) {
  const { store } = app;
  store.set({ tab: "analyse" });
  if (store.get("explanation")?.message === WAITING) return;
  /** @type {Explanation} */
  const asked = { message: WAITING };
  store.set({ explanation: asked });
  /** @type {Promise<Explanation>} */
  const explanation = app.connection
    .ask({ type: "explain" })
    .then(({ parts }) => ({ parts }))
    .catch(({ message }) => ({ message }));
  const answer = await explanation;
  // The board may show a different position by now.
  if (store.get("explanation") !== asked) return;
  store.set({ explanation: answer });
}

/**
 * The card with the explanation; it is hidden while there is none.
 * @param {App} app
 */
export function mountExplanation(app) {
  const message = el("p");
  const bar = el("progress", { "aria-label": "Searching" });
  const parts = el("div", { class: "stack" });
  const card = el(
    "div",
    { class: "card stack", id: "explanation" },
    el("h2", { class: "visually-hidden" }, "Explanation"),
    message,
    bar,
    parts,
  );
  const lines = new Lines(app, parts);

  app.store.on(["explanation"], () => {
    const explanation = app.store.get("explanation");
    // The card loses the focus when its content changes; without this it would jump to the top of the page.
    if (card.contains(document.activeElement)) byId("why").focus();
    card.hidden = !explanation;
    message.hidden = !explanation?.message;
    bar.hidden = explanation?.message !== WAITING;
    write(message, explanation?.message ?? "");
    lines.clear();
    parts.replaceChildren(...(explanation?.parts ?? []).map((part) => drawPart(lines, part)));
    if (explanation) say(explanation.message ?? `Explanation: ${explanation.parts[0].text}`);
  });
  return card;
}

/**
 * @param {Lines} lines
 * @param {ExplanationPart} part
 */
function drawPart(lines, part) {
  const row = lines.addRow();
  lines.draw(row, part.line, part);
  return el(
    "section",
    { class: "stack tight" },
    el("h3", {}, HEADINGS[part.about]),
    el("p", { class: "reasons" }, part.text),
    el("div", { class: "line" }, row.element),
  );
}
