// Controls that show and change a value of the store.

import { button, el } from "./dom.js";

/** A switch for a value that is true or false. */
export function switchButton(app, name, label) {
  const toggle = button(label, () => app.store.set({ [name]: !app.store.get(name) }), {
    role: "switch",
    class: "switch",
  });
  app.store.on([name], () => toggle.setAttribute("aria-checked", String(app.store.get(name))));
  return toggle;
}

/** A few choices side by side. */
export function segments(label, name, options, store, changed = (value) => store.set({ [name]: value })) {
  const group = el("span", { class: "segments" });
  for (const [value, text] of options) {
    const radio = el("input", { type: "radio", name: `segment-${name}`, value });
    radio.checked = store.get(name) === value;
    radio.addEventListener("change", () => changed(value));
    group.append(el("label", {}, radio, text));
  }
  return el("fieldset", {}, el("legend", {}, label), group);
}
