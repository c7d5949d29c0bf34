// @ts-check
// The line above the moves: who played, when and where, and the result. Its form changes these headers in place.

import { button, choice, el, set, svg, write } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./protocol").ResultName} ResultName */

/** @typedef {"White" | "WhiteElo" | "Black" | "BlackElo" | "Event" | "Site" | "Date" | "Round"} HeaderName */

/** @type {[name: HeaderName, label: string][]} */
const FIELDS = [
  ["White", "White"],
  ["WhiteElo", "White’s rating"],
  ["Black", "Black"],
  ["BlackElo", "Black’s rating"],
  ["Event", "Event"],
  ["Site", "Site"],
  ["Date", "Date"],
  ["Round", "Round"],
];
/** @type {[value: ResultName, text: string][]} */
const RESULTS = [
  ["*", "open"],
  ["1-0", "1 – 0"],
  ["0-1", "0 – 1"],
  ["1/2-1/2", "½ – ½"],
];
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** @param {string | undefined} value */
const known = (value) => (value && !/^[?.\s-]+$/.test(value) ? value : "");

/**
 * A PGN date in words: `1858.??.??` is `1858`, `2024.05.31` is `31 May 2024`.
 * @param {string} date
 */
export function dateWords(date) {
  const [, year, month, day] = /^(\d{4})(?:[.-](\d\d|\?\?))?(?:[.-](\d\d|\?\?))?$/.exec(date) ?? [];
  if (!year) return date;
  const name = MONTHS[Number(month) - 1];
  if (!name) return year;
  return Number(day) ? `${Number(day)} ${name} ${year}` : `${name} ${year}`;
}

/** @param {ResultName} result */
const resultWords = (result) => (result === "*" ? "" : result.replaceAll("1/2", "½").replace("-", " – "));

/**
 * What PGN writes for a text in the form, or a sentence that says what is wrong with it.
 * @param {HeaderName} name
 * @param {string} text
 * @returns {{ value: string | null, problem?: undefined } | { problem: string }}
 */
export function headerValue(name, text) {
  const value = text.trim();
  if (name === "WhiteElo" || name === "BlackElo") {
    if (value === "") return { value: null };
    return /^\d{1,4}$/.test(value) ? { value } : { problem: "A rating is a number of up to four digits." };
  }
  if (name === "Date") {
    if (value === "") return { value: "????.??.??" };
    const [, year, month, day] = /^(\d{4}|\?{4})(?:[.\-/](\d\d?|\?\?))?(?:[.\-/](\d\d?|\?\?))?$/.exec(value) ?? [];
    const [mm, dd] = [month, day].map((part) => part?.padStart(2, "0") ?? "??");
    const isDate = year && (mm === "??" || (mm >= "01" && mm <= "12")) && (dd === "??" || (dd >= "01" && dd <= "31"));
    if (!isDate) return { problem: "Write the date as 2024-05-31, 2024-05 or 2024." };
    return { value: `${year}.${mm}.${dd}` };
  }
  return { value: value === "" ? "?" : value };
}

/**
 * The line and its form.
 * @param {App} app
 */
export function gameHead(app) {
  const { store } = app;
  const players = el("p", { class: "players" });
  const place = el("p", { class: "soft place" });
  const form = new HeaderForm(app);
  const lines = svg("path", { d: "M5 19l1-4L16.500 4.500l3 3L9 18zM14 7l3 3" });
  const pencil = svg("svg", { "aria-hidden": "true", viewBox: "0 0 24 24" }, lines);
  const edit = button([pencil], () => toggle(form.element.hidden), {
    class: "icon",
    id: "edit-headers",
    title: "Edit names, event and result",
    "aria-label": "Edit names, event and result",
    "aria-expanded": "false",
  });
  /** @param {boolean} open */
  function toggle(open) {
    form.element.hidden = !open;
    edit.setAttribute("aria-expanded", String(open));
    if (open) form.start();
    else edit.focus();
  }
  form.element.addEventListener("keydown", (event) => event.key === "Escape" && toggle(false));
  form.done.addEventListener("click", () => toggle(false));

  const root = el(
    "div",
    { class: "game-head" },
    el("div", { class: "head-line" }, el("div", { class: "head-words" }, players, place), edit),
    form.element,
  );
  store.on(["position", "tree"], () => {
    const { position, tree } = store.values;
    if (!position) return;
    const headers = new Map(position.headers);
    const [white, black] = [known(headers.get("White")), known(headers.get("Black"))];
    const details = [
      known(headers.get("Event")),
      known(headers.get("Site")).replace(/^https?:\/\//, ""),
      known(headers.get("Round")) && `round ${headers.get("Round")}`,
      known(headers.get("Date")) && dateWords(headers.get("Date") ?? ""),
    ].filter(Boolean);
    const isNamed = Boolean(white || black || details.length > 0);
    root.hidden = Boolean(app.playing()) || (!isNamed && !tree.root?.children.length);
    players.replaceChildren(
      player(white || "White", headers.get("WhiteElo")),
      el("b", { class: "result" }, resultWords(position.result) || "–"),
      player(black || "Black", headers.get("BlackElo")),
    );
    write(place, details.join("\u00a0· "));
    place.hidden = details.length === 0;
    form.draw(headers, position.result);
  });
  return root;
}

/**
 * @param {string} name
 * @param {string | undefined} elo
 */
function player(name, elo) {
  const rating = known(elo) && el("span", { class: "soft elo" }, ` ${elo}`);
  return el("span", { class: "player" }, el("bdi", {}, name), rating || null);
}

/** The form of the headers. A field is sent when it changes; what is wrong with it stands below it. */
class HeaderForm {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** @type {Map<HeaderName, HTMLInputElement>} */
    this.inputs = new Map();
    /** @type {Map<HeaderName | "Result", HTMLElement>} */
    this.problems = new Map();
    const fields = FIELDS.map(([name, label]) => {
      const input = el("input", { id: `header-${name}`, dir: "auto", autocomplete: "off", spellcheck: "false" });
      if (name === "Date") set(input, { placeholder: "2024-05-31" });
      if (name.endsWith("Elo")) set(input, { inputmode: "numeric" });
      input.addEventListener("change", () => this.save(name));
      this.inputs.set(name, input);
      return this.field(name, label, input);
    });
    this.result = choice(RESULTS, "*", (value) => this.saveResult(/** @type {ResultName} */ (value)), {
      id: "header-Result",
    });
    this.done = button("Done", () => {}, { class: "small" });
    this.element = el(
      "form",
      { class: "header-form", hidden: true, "aria-label": "Headers of the game" },
      fields,
      this.field("Result", "Result", this.result),
      el("div", { class: "row-of" }, this.done),
    );
    this.element.addEventListener("submit", (event) => event.preventDefault());
  }

  /**
   * @param {HeaderName | "Result"} name
   * @param {string} label
   * @param {HTMLElement} control
   */
  field(name, label, control) {
    const problem = el("span", { class: "field-problem", id: `header-${name}-problem`, role: "alert" });
    set(control, { "aria-describedby": problem.id });
    this.problems.set(name, problem);
    const caption = el("label", { for: control.id }, label);
    return el("div", { class: `field header-${name.toLowerCase()}` }, caption, control, problem);
  }

  start() {
    this.inputs.get("White")?.focus();
  }

  /**
   * @param {Map<string, string>} headers
   * @param {ResultName} result
   */
  draw(headers, result) {
    for (const [name, input] of this.inputs) {
      // What the reader types stays, and what was refused as well.
      if (document.activeElement === input || this.problems.get(name)?.textContent) continue;
      const value = known(headers.get(name));
      input.value = name === "Date" ? value.replaceAll(".??", "").replaceAll(".", "-") : value;
    }
    if (document.activeElement !== this.result) this.result.value = result;
  }

  /** @param {HeaderName} name */
  async save(name) {
    const input = this.inputs.get(name);
    if (!input) return;
    const meant = headerValue(name, input.value);
    if (meant.problem !== undefined) {
      this.complain(name, meant.problem);
      return;
    }
    await this.send(name, { type: "header", name, value: meant.value });
  }

  /** @param {ResultName} result */
  async saveResult(result) {
    await this.send("Result", { type: "result", result });
  }

  /**
   * @param {HeaderName | "Result"} name
   * @param {Extract<import("./protocol").Intent, { type: "header" | "result" }>} intent
   */
  async send(name, intent) {
    try {
      await this.app.connection.ask(intent);
      this.complain(name, "");
    } catch (error) {
      this.complain(name, error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {HeaderName | "Result"} name
   * @param {string} problem
   */
  complain(name, problem) {
    const place = this.problems.get(name);
    if (place) write(place, problem);
    const control = name === "Result" ? this.result : this.inputs.get(name);
    if (control) set(control, { "aria-invalid": problem ? "true" : null });
  }
}
