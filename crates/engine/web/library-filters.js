// @ts-check
// What to look for in the library: the search field, the filters, and the order.

import { button, choice, el, field } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").LibraryQuery} LibraryQuery */
/** @typedef {import("./protocol").LibrarySort} LibrarySort */

/** How long the page waits for the next letter before it searches, in milliseconds. */
const PAUSE = 120;

/** @type {[value: LibrarySort, text: string, descending: boolean][]} */
const SORTS = [
  ["added", "Added", true],
  ["date", "Date", true],
  ["white", "White", false],
  ["black", "Black", false],
  ["result", "Result", true],
  ["elo", "Elo", true],
  ["opening", "Opening", false],
  ["plies", "Moves", true],
];

/** @typedef {"player" | "opening" | "date_from" | "date_to" | "material"} TextName */
/** @typedef {"elo_from" | "elo_to"} NumberName */

export class LibraryFilters {
  /**
   * @param {App} app
   * @param {() => void} changed
   */
  constructor(app, changed) {
    this.app = app;
    this.changed = changed;
    /** @type {number | undefined} */
    this.timer = undefined;
    const soon = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(changed, PAUSE);
    };
    const text = (/** @type {string} */ placeholder, more = {}) => {
      const attributes = { placeholder, autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...more };
      return el("input", { ...attributes, oninput: soon });
    };
    this.search = text("Search players, events, openings", {
      type: "search",
      id: "library-search",
      "aria-label": "Search the library",
    });
    /** @type {Record<TextName, HTMLInputElement>} */
    this.texts = {
      player: text("Name"),
      opening: text("B90 or Najdorf"),
      date_from: text("1990", { inputmode: "decimal", size: 10 }),
      date_to: text("2024", { inputmode: "decimal", size: 10 }),
      material: text("KRPkr", { size: 8 }),
    };
    const elo = () => text("Any", { type: "number", min: "0", max: "4000", step: "50" });
    /** @type {Record<NumberName, HTMLInputElement>} */
    this.numbers = { elo_from: elo(), elo_to: elo() };
    this.color = choice([["", "Either"], ["white", "White"], ["black", "Black"]], "", changed, {
      "aria-label": "Colour of the player",
    });
    this.result = choice(
      [
        ["", "Any"],
        ["1-0", "White won"],
        ["0-1", "Black won"],
        ["1/2-1/2", "Draw"],
        ["*", "Unfinished"],
      ],
      "",
      changed,
    );
    this.here = el("input", { type: "checkbox", id: "library-here", onchange: changed });
    this.count = el("span", { class: "count", hidden: true });
    this.more = button(["Filters", this.count], () => this.toggle(), {
      id: "library-filters",
      "aria-expanded": "false",
      "aria-controls": "library-filter-form",
    });
    this.reset = button("Clear", () => this.clear(), { class: "plain", hidden: true, title: "Clear the filters" });
    this.form = this.buildForm();
  }

  buildForm() {
    const { texts, numbers } = this;
    const pair = (/** @type {string} */ name, /** @type {HTMLElement} */ one, /** @type {HTMLElement} */ two) =>
      el(
        "fieldset",
        { class: "library-pair" },
        el("legend", {}, name),
        labelled(one, `${name} from`),
        el("span", { class: "soft", "aria-hidden": "true" }, "to"),
        labelled(two, `${name} to`),
      );
    return el(
      "div",
      { class: "library-form", id: "library-filter-form", role: "group", "aria-label": "Filters", hidden: true },
      field("Player", texts.player),
      field("Colour", this.color),
      field("Opening", texts.opening),
      field("Result", this.result),
      pair("Date", texts.date_from, texts.date_to),
      pair("Elo", numbers.elo_from, numbers.elo_to),
      field("Material", texts.material),
      el("label", { class: "tick" }, this.here, "Position on the board"),
    );
  }

  toggle() {
    this.form.hidden = !this.form.hidden;
    this.more.setAttribute("aria-expanded", String(!this.form.hidden));
    if (!this.form.hidden) this.texts.player.focus();
  }

  clear() {
    for (const input of [this.search, ...Object.values(this.texts), ...Object.values(this.numbers)]) input.value = "";
    this.color.value = this.result.value = "";
    this.here.checked = false;
    this.changed();
  }

  /**
   * What the controls ask for, without folders and tags.
   * @returns {LibraryQuery}
   */
  query() {
    clearTimeout(this.timer);
    /** @type {LibraryQuery} */
    const query = {};
    const search = this.search.value.trim();
    for (const [name, input] of Object.entries(this.texts)) {
      const value = input.value.trim();
      if (value) query[/** @type {TextName} */ (name)] = value;
    }
    for (const [name, input] of Object.entries(this.numbers)) {
      if (input.value !== "") query[/** @type {NumberName} */ (name)] = input.valueAsNumber;
    }
    if (query.player && this.color.value) query.color = /** @type {LibraryQuery["color"]} */ (this.color.value);
    if (this.result.value) query.result = /** @type {LibraryQuery["result"]} */ (this.result.value);
    const fen = this.here.checked && this.app.store.get("position")?.fen;
    if (fen) query.fen = fen;
    const used = Object.keys(query).filter((name) => name !== "color").length;
    this.count.textContent = ` (${used})`;
    if (search) query.text = search;
    this.count.hidden = this.reset.hidden = used === 0;
    return query;
  }
}

/**
 * The order of the list, for screens without column headings and for orders that have none.
 * @param {(sort: LibrarySort, descending: boolean) => void} sort
 */
export function orderControls(sort) {
  const directionOf = (/** @type {string} */ value) => SORTS.find(([name]) => name === value)?.[2] ?? true;
  const pick = (/** @type {string} */ value) => sort(/** @type {LibrarySort} */ (value), directionOf(value));
  const select = choice(
    SORTS.map(([value, text]) => [value, text]),
    "added",
    pick,
    { id: "library-sort", "aria-label": "Sort by" },
  );
  let isDescending = true;
  const turn = button("↓", () => sort(/** @type {LibrarySort} */ (select.value), !isDescending), { class: "small" });
  const element = el("span", { class: "row-of library-order" }, el("span", { class: "soft" }, "Sort by"), select, turn);
  /** @type {(value: LibrarySort, descending: boolean) => void} */
  const show = (value, descending) => {
    select.value = value;
    isDescending = descending;
    turn.textContent = descending ? "↓" : "↑";
    turn.setAttribute("aria-label", descending ? "Descending. Sort ascending" : "Ascending. Sort descending");
  };
  show("added", true);
  return { element, show };
}

/**
 * @template {HTMLElement} E
 * @param {E} control
 * @param {string} label
 */
function labelled(control, label) {
  control.setAttribute("aria-label", label);
  return control;
}
