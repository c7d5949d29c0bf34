// @ts-check
// Creates and changes elements. Text is always inserted as text: nothing here parses HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {{ [name: string]: unknown }} Attributes */
/** @typedef {Node | string | false | null | undefined} Leaf */
/** @typedef {Leaf | Leaf[]} Child */

/**
 * Sets attributes: `onclick` and the like as listeners, `dataset`, `value` and booleans (`hidden`, `disabled`) as
 * properties, everything else as attributes. `null` removes an attribute.
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Attributes} attributes
 * @returns {E}
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "value" || typeof value === "boolean") Object.assign(element, { [name]: value });
    else if (value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
  }
  return element;
}

/**
 * Creates an element with attributes and children. A child may be a list; `null` and `false` add nothing.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = set(document.createElement(tag), attributes);
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = set(document.createElementNS(SVG, tag), attributes);
  element.append(...children);
  return element;
}

/**
 * Text for screen readers only.
 * @param {string} text
 */
export const hidden = (text) => el("span", { class: "visually-hidden" }, text);

/**
 * Writes text only if it differs, to avoid needless layout.
 * @param {Element} element
 * @param {string} text
 */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The element with this id; throws if the page has no such element of that kind.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 * @param {new () => E} [kind]
 * @returns {E}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!element || (kind && !(element instanceof kind))) throw new Error(`The page has no element #${id}.`);
  return /** @type {E} */ (element);
}

/**
 * The closest ancestor of an event's target, or the target itself, that matches a selector.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function closest(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * A button with the common look.
 * @param {Child} label
 * @param {() => void} onclick
 * @param {Attributes} [attributes]
 */
export function button(label, onclick, attributes = {}) {
  return el("button", { type: "button", ...attributes, onclick }, label);
}

/**
 * A form control inside its label.
 * @param {string} label
 * @param {HTMLElement} control
 */
export function field(label, control) {
  return el("label", { class: "field" }, el("span", {}, label), control);
}

/**
 * A drop-down list of `[value, text]`.
 * @param {[value: string | number, text: string][]} options
 * @param {string | number} chosen
 * @param {(value: string) => void} onchange
 * @param {Attributes} [attributes]
 */
export function choice(options, chosen, onchange, attributes = {}) {
  const select = el("select", attributes);
  for (const [value, text] of options) select.append(el("option", { value: String(value) }, text));
  select.value = String(chosen);
  select.addEventListener("change", () => onchange(select.value));
  return select;
}

/**
 * Returns a function that runs `work` in the next frame, once, no matter how often it is called before then.
 * @param {() => void} work
 */
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
