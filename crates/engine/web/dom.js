// Making and changing elements. Text only ever becomes text: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Sets what `attributes` names: `onclick` and its like as listeners, `class`, `dataset` and properties that are not
 * text (`hidden`, `disabled`, `value`) as properties, everything else as attributes. `null` takes an attribute away.
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value" || typeof value === "boolean") element[name] = value;
    else if (value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
  return element;
}

/** A new element with attributes and children; children may be text or lists, and `null` stands for nothing. */
export function el(tag, attributes = {}, ...children) {
  const element = set(document.createElement(tag), attributes);
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** The same for the elements of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  const element = set(document.createElementNS(SVG, tag), attributes);
  element.append(...children);
  return element;
}

/** Words for those who listen; the eye has other signs. */
export const hidden = (text) => el("span", { class: "visually-hidden" }, text);

/** Writes text only where it differs, so that nothing is laid out again without need. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** A button that looks and behaves like all others. */
export function button(label, onclick, attributes = {}) {
  return el("button", { type: "button", ...attributes, onclick }, label);
}

/** A labelled field: the label is part of the field's name for everyone, not only for the eye. */
export function field(label, control, attributes = {}) {
  return el("label", { class: "field", ...attributes }, el("span", {}, label), control);
}

/** A choice from a list of `[value, text]`. */
export function choice(options, chosen, onchange, attributes = {}) {
  const select = el("select", attributes);
  for (const [value, text] of options) select.append(el("option", { value: String(value) }, text));
  select.value = String(chosen);
  select.addEventListener("change", () => onchange(select.value));
  return select;
}

/** Runs `work` once in the next frame, however often it is asked for until then. */
export function oncePerFrame(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}
