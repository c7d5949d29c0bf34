// @ts-check
// Folders and tags: chips that choose what the list shows, and the dialogs that change them.

import { button, el } from "./dom.js";
import { openDialog } from "./dialog.js";
import { number } from "./library-import.js";
import { showNotice } from "./notices.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LibraryQuery} LibraryQuery */
/** @typedef {import("./protocol").MessageOf<"library">} Summary */

/** @typedef {Pick<LibraryQuery, "folder" | "tag" | "deleted">} Shelf A part of the library. */

/** Chips that are shown; the others are in a list behind them. */
const MOST_CHIPS = 8;

/**
 * The chips above the list.
 * @param {App} app
 * @param {(shelf: Shelf) => void} choose
 */
export function shelfChips(app, choose) {
  const { store } = app;
  const chips = el("div", { class: "library-chips", role: "group", "aria-label": "Folders and tags" });
  const tools = el("span", { class: "row-of" });
  /** @type {Shelf} */
  let chosen = {};
  let showsAll = false;

  const pick = (/** @type {Shelf} */ shelf) => {
    chosen = shelf;
    store.set({ libraryFolder: shelf.folder || null });
    draw();
    choose(shelf);
  };
  const isChosen = (/** @type {Shelf} */ shelf) =>
    chosen.folder === shelf.folder && chosen.tag === shelf.tag && Boolean(chosen.deleted) === Boolean(shelf.deleted);
  const chip = (/** @type {string} */ text, /** @type {number} */ games, /** @type {Shelf} */ shelf, kind = "") => {
    const count = el("span", { class: "count" }, number(games));
    return button([el("bdi", {}, text), " ", count], () => pick(shelf), {
      class: `chip ${kind}`,
      "aria-pressed": String(isChosen(shelf)),
    });
  };
  const draw = () => {
    const summary = store.get("librarySummary");
    if (!summary) return;
    const focused = [...chips.children].indexOf(/** @type {Element} */ (document.activeElement));
    const { folders, tags } = summary;
    const shelves = [
      ...folders.map(({ folder, name, games }) => chip(name, games, { folder }, "folder")),
      ...tags.map(({ tag, games }) => chip(`#${tag}`, games, { tag })),
    ];
    const shown = showsAll ? shelves : shelves.filter((one, at) => at < MOST_CHIPS || one.ariaPressed === "true");
    const more = button(showsAll ? "Fewer" : `${shelves.length - shown.length} more`, () => toggleAll(), {
      class: "chip",
      "aria-expanded": String(showsAll),
    });
    chips.replaceChildren(
      chip("All games", summary.games, {}),
      ...shown,
      ...(shelves.length > MOST_CHIPS ? [more] : []),
      ...(summary.deleted > 0 || chosen.deleted ? [chip("Deleted", summary.deleted, { deleted: true })] : []),
      tools,
    );
    // A single chip offers no choice, and the number of games stands below.
    chips.hidden = chips.querySelectorAll(".chip").length === 1;
    /** @type {HTMLElement | undefined} */ (chips.children[focused])?.focus();
    const folder = folders.find((one) => one.folder === chosen.folder);
    tools.replaceChildren();
    if (!folder || !summary.writable) return;
    tools.append(
      button("Rename", () => renameFolder(app, folder.folder, folder.name), { class: "small plain" }),
      button("Delete the folder", () => deleteFolder(app, folder.folder, folder.name), { class: "small plain" }),
    );
  };
  const toggleAll = () => {
    showsAll = !showsAll;
    draw();
  };
  store.on(["librarySummary"], () => {
    const summary = store.get("librarySummary");
    if (!summary) return;
    const isGone =
      (chosen.folder && !summary.folders.some(({ folder }) => folder === chosen.folder)) ||
      (chosen.tag && !summary.tags.some(({ tag }) => tag === chosen.tag));
    if (isGone) pick({});
    else draw();
  });
  return { element: chips, chosen: () => chosen, pick };
}

/**
 * @param {App} app
 * @param {number} folder
 * @param {string} name
 */
function renameFolder(app, folder, name) {
  const form = nameForm("Name", "Rename", name, async (value) => {
    if (await app.do({ type: "library_folder", folder, name: value })) closeDialog(form);
  });
  openDialog("Rename the folder", form);
}

/**
 * @param {App} app
 * @param {number} folder
 * @param {string} name
 */
async function deleteFolder(app, folder, name) {
  const answer = await app.do({ type: "library_folder", folder, name, delete: true });
  if (answer) showNotice(`The folder ${name} was deleted. Its games are kept.`);
}

/**
 * Asks for a folder and moves games there.
 * @param {App} app
 * @param {string} what The games in words.
 * @param {(folder: number | null) => Promise<unknown>} move
 */
export function chooseFolder(app, what, move) {
  const moveTo = async (/** @type {number | null} */ folder) => {
    if ((await move(folder)) !== null) closeDialog(form);
  };
  const choices = (app.store.get("librarySummary")?.folders ?? []).map(({ folder, name }) =>
    button(el("bdi", {}, name), () => moveTo(folder), { class: "chip folder" }),
  );
  const form = nameForm("New folder", "Create and move", "", async (name) => {
    const answer = await app.do({ type: "library_folder", name });
    const made = answer?.folders.find((one) => one.name === name);
    if (made) await moveTo(made.folder);
  });
  const none = button("No folder", () => moveTo(null), { class: "chip" });
  openDialog(`Move ${what}`, el("div", { class: "stack" }, el("div", { class: "row-of" }, choices, none), form));
}

/**
 * Adds tags to games and removes them.
 * @param {App} app
 * @param {string} what The games in words.
 * @param {string[]} present The tags that some of the games have.
 * @param {(change: { add?: string[], remove?: string[] }) => Promise<unknown>} change
 */
export function editTags(app, what, present, change) {
  const tags = new Set(present);
  const list = el("div", { class: "row-of library-tags" });
  const draw = () => {
    const others = (app.store.get("librarySummary")?.tags ?? []).map(({ tag }) => tag).filter((tag) => !tags.has(tag));
    const chip = (/** @type {string} */ tag, /** @type {boolean} */ isOn) =>
      button(el("bdi", {}, `#${tag}`), () => switchTag(tag, !isOn), { class: "chip", "aria-pressed": String(isOn) });
    list.replaceChildren(...[...tags].map((tag) => chip(tag, true)), ...others.map((tag) => chip(tag, false)));
  };
  const switchTag = async (/** @type {string} */ tag, /** @type {boolean} */ isOn) => {
    const answer = await change(isOn ? { add: [tag] } : { remove: [tag] });
    if (answer === null) return;
    if (isOn) tags.add(tag);
    else tags.delete(tag);
    draw();
  };
  const form = nameForm("New tag", "Add", "", (name) => switchTag(name.replace(/^#+/, ""), true));
  draw();
  openDialog(`Tags of ${what}`, el("div", { class: "stack" }, list, form));
}

/**
 * A field for a name with its button; Enter works too.
 * @param {string} label
 * @param {string} action
 * @param {string} value
 * @param {(name: string) => void} done
 */
function nameForm(label, action, value, done) {
  const input = el("input", { value, "aria-label": label, placeholder: label, maxlength: "60", autocomplete: "off" });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (name) done(name);
    input.value = "";
  };
  const press = el("button", { type: "submit", class: "primary" }, action);
  return el("form", { class: "row-of", onsubmit: submit }, input, press);
}

/** @param {HTMLElement} inside */
const closeDialog = (inside) => inside.closest("dialog")?.close();
