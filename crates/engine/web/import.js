// Games that come in: pasted, dropped, or chosen as a file; PGN or FEN, the server tells which.

import { button, el, field } from "./dom.js";
import { complain } from "./notices.js";

/** Sends a text to be read. */
export async function load(app, text) {
  if (text.trim() === "")
    return complain(new Error("There is nothing to load: paste a game (PGN) or a position (FEN) first."));
  const limit = app.store.get("welcome")?.limits.text_bytes ?? Infinity;
  if (new Blob([text]).size > limit)
    return complain(new Error(`The text is longer than ${Math.round(limit / 1048576)} MiB.`));
  app.store.set({ games: null });
  return app.do({ type: "load", text }, "text");
}

async function loadFile(app, file) {
  if (file) await load(app, await file.text());
}

/** The field to paste into, the button to choose a file, and the list if there are several games. */
export function importBox(app) {
  const text = el("textarea", { rows: "4", id: "import-text", placeholder: "1. e4 e5 2. Nf3 …", spellcheck: "false" });
  const file = el("input", {
    type: "file",
    accept: ".pgn,.fen,.txt,application/x-chess-pgn,text/plain",
    class: "visually-hidden",
    tabindex: "-1",
    "aria-label": "File with games",
  });
  file.addEventListener("change", async () => {
    await loadFile(app, file.files[0]);
    file.value = "";
  });
  const read = async () => {
    if (await load(app, text.value)) text.value = "";
  };
  return el(
    "div",
    { class: "stack tight" },
    field("Paste a game (PGN) or a position (FEN), or drop a file anywhere", text),
    el(
      "div",
      { class: "row-of" },
      button("Load", read, { id: "load", class: "primary" }),
      button("Open a file…", () => file.click()),
      file,
    ),
    gameList(app),
  );
}

/** The games of a text that has several. */
function gameList(app) {
  const root = el("div", { class: "game-list", hidden: true });
  app.store.on(["games"], () => {
    const message = app.store.get("games");
    root.hidden = !message;
    if (!message) return;
    const { games, from, count } = message;
    if (from === 0) root.replaceChildren(el("h3", {}, `${count} games`), el("ol", {}));
    const list = root.querySelector("ol");
    list.append(...games.map((game) => el("li", {}, gameButton(app, game))));
    root.querySelector(".more")?.remove();
    const shown = from + games.length;
    if (games.length > 0 && shown < Math.min(count, app.store.get("welcome").limits.games)) {
      root.append(button("More games", () => app.do({ type: "games", from: shown }), { class: "small more" }));
    }
  });
  return root;
}

function gameButton(app, game) {
  const rest = [game.event, game.date, game.eco, `${Math.ceil(game.plies / 2)} moves`].filter(
    (text) => text && text !== "?",
  );
  if (game.problems > 0) rest.push(game.problems === 1 ? "1 problem" : `${game.problems} problems`);
  return button(
    [
      el("b", {}, el("bdi", {}, game.white || "?"), " – ", el("bdi", {}, game.black || "?")),
      " ",
      el("span", { class: "result" }, game.result),
      el("span", { class: "soft" }, rest.join(" · ")),
    ],
    () => app.do({ type: "choose", game: game.index }),
    { class: "plain game" },
  );
}

/** Files and texts may be dropped anywhere on the page. */
export function mountDrop(app) {
  const root = document.documentElement;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => event.relatedTarget || root.classList.remove("dropping"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    root.classList.remove("dropping");
    const { files } = event.dataTransfer;
    app.store.set({ tab: "review" });
    if (files.length > 0) await loadFile(app, files[0]);
    else await load(app, event.dataTransfer.getData("text/plain"));
  });
  addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData.getData("text/plain");
    if (text.trim()) load(app, text);
  });
}
