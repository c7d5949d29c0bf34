// @ts-check
// Controls that show and change a value of the store.

import { button, el } from "./dom.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./app.js").Settings} Settings */
/** @typedef {"flipped" | "engine" | "arrows" | "threats" | "sounds" | "figurines"} SwitchName */

/**
 * Turns a setting on or off.
 * @param {App} app
 * @param {SwitchName} name
 */
export const toggle = ({ store }, name) =>
  store.set(/** @type {Partial<Settings>} */ ({ [name]: !store.get(name) }));

/**
 * A switch for a setting that is on or off.
 * @param {App} app
 * @param {SwitchName} name
 * @param {string} label
 */
export function switchButton(app, name, label) {
  const control = button(label, () => toggle(app, name), { role: "switch", class: "switch" });
  app.store.on([name], () => control.setAttribute("aria-checked", String(app.store.get(name))));
  return control;
}

/**
 * A few choices side by side.
 * @template {"color" | "depth" | "coordinates"} Name
 * @param {App} app
 * @param {string} label
 * @param {Name} name
 * @param {[value: Settings[Name], text: string][]} options
 */
export function segments({ store }, label, name, options) {
  const group = el("span", { class: "segments" });
  for (const [value, text] of options) {
    const radio = el("input", { type: "radio", name: `segment-${name}`, value });
    radio.checked = store.get(name) === value;
    radio.addEventListener("change", () => store.set(/** @type {Partial<Settings>} */ ({ [name]: value })));
    group.append(el("label", {}, radio, text));
  }
  return el("fieldset", {}, el("legend", {}, label), group);
}
