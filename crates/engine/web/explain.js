// Why moves are good or bad, in the engine's words.

import { say } from "./announce.js";
import { byId, el, write } from "./dom.js";
import { Lines } from "./lines.js";

const HEADINGS = {
  played: "The move played",
  instead: "What was better",
  best: "The best move now",
  threat: "The threat",
};

const WAITING = "The engine looks for reasons…";

/** Asks for an explanation of what is on the board. */
export async function askWhy(app) {
  const { store } = app;
  store.set({ tab: "analyse" });
  if (store.get("explanation")?.message === WAITING) return;
  const asked = { message: WAITING };
  store.set({ explanation: asked });
  const answer = await app.session.ask({ type: "explain" }).catch(({ message }) => ({ message }));
  // Another position may be on the board by now.
  if (store.get("explanation") !== asked) return;
  store.set({ explanation: answer });
}

/** The card with the explanation; it is there only while there is one. */
export function mountExplanation(app) {
  const message = el("p");
  const parts = el("div", { class: "stack" });
  const card = el(
    "div",
    { class: "card stack", id: "explanation" },
    el("h2", { class: "visually-hidden" }, "Explanation"),
    message,
    parts,
  );
  const lines = new Lines(app, parts);

  app.store.on(["explanation"], () => {
    const explanation = app.store.get("explanation");
    // Whoever has played a line by keyboard should not have to begin again at the top of the page.
    if (card.contains(document.activeElement)) byId("why").focus();
    card.hidden = !explanation;
    message.hidden = !explanation?.message;
    write(message, explanation?.message ?? "");
    lines.clear();
    parts.replaceChildren(...(explanation?.parts ?? []).map((part) => drawPart(lines, part)));
    if (explanation) say(explanation.message ?? `The explanation is there. ${explanation.parts[0].text}`);
  });
  return card;
}

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
