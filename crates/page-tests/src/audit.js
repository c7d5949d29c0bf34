// Checks the whole page like an accessibility checker and returns the findings as sentences.
(() => {
  const ROLES = new Set(
    (
      "alert alertdialog application article banner button cell checkbox columnheader combobox " +
      "complementary contentinfo definition dialog document feed figure form grid gridcell group heading img link list " +
      "listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none " +
      "note option presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox " +
      "separator slider spinbutton status switch tab table tablist tabpanel term textbox timer toolbar tooltip tree " +
      "treegrid treeitem"
    ).split(" "),
  );
  const PARENTS = {
    tab: ["tablist"],
    gridcell: ["row"],
    row: ["grid", "table", "rowgroup", "treegrid"],
    menuitem: ["menu", "menubar"],
  };
  const STATES = { tab: "aria-selected", switch: "aria-checked", slider: "aria-valuenow" };
  const findings = [];
  const all = [...document.querySelectorAll("body *")];
  // Content behind a dialog is inert.
  const front = document.querySelector("dialog[open]") ?? document.body;
  const visible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const describe = (element) => {
    const id = element.id ? `#${element.id}` : "";
    const text = (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 30);
    return `<${element.tagName.toLowerCase()}${id} class="${element.getAttribute("class") ?? ""}"> “${text}”`;
  };
  const report = (rule, element, more = "") => findings.push(`${rule}: ${describe(element)} ${more}`.trim());

  // ---- the document ----
  if (!document.documentElement.lang) findings.push("the page has no language");
  if (!document.title) findings.push("the page has no title");
  for (const landmark of ["main", "header", "nav"]) {
    if (document.querySelectorAll(landmark).length !== 1) findings.push(`there must be one <${landmark}>`);
  }
  if ([...document.querySelectorAll("h1")].filter(visible).length !== 1) findings.push("there must be one <h1>");
  let level = 0;
  for (const heading of [...document.querySelectorAll("h1, h2, h3, h4")].filter(visible)) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) report(`heading jumps from ${level} to ${now}`, heading);
    level = now;
  }

  // ---- ids, references, roles ----
  const ids = new Map();
  for (const element of all) if (element.id) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
  for (const [id, count] of ids) if (count > 1) findings.push(`the id ${id} is used ${count} times`);
  for (const element of all) {
    for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns"]) {
      for (const id of (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean)) {
        if (!ids.has(id)) report(`${name} names ${id}, which does not exist`, element);
      }
    }
    const role = element.getAttribute("role");
    if (role && !ROLES.has(role)) report(`unknown role ${role}`, element);
    if (role && PARENTS[role] && !PARENTS[role].includes(element.parentElement.closest("[role]")?.getAttribute("role")))
      report(`${role} outside of ${PARENTS[role]}`, element);
    if (role && STATES[role] && !element.hasAttribute(STATES[role])) report(`${role} without ${STATES[role]}`, element);
    if (element.tabIndex > 0) report("positive tabindex", element);
    if (element.closest("[aria-hidden=true]") && element.tabIndex >= 0 && element.hasAttribute("tabindex"))
      report("focus inside aria-hidden", element);
    if (element.tagName === "IMG" && !element.hasAttribute("alt")) report("picture without alt", element);
  }

  // ---- size of what is pressed ----
  for (const element of document.querySelectorAll("button, select, input, summary")) {
    if (!visible(element) || element.matches(".visually-hidden, .move")) continue;
    const box = (element.closest("label") ?? element).getBoundingClientRect();
    if (box.width < 24 || box.height < 24)
      report(`smaller than 24 by 24 (${Math.round(box.width)} by ${Math.round(box.height)})`, element);
  }

  // ---- contrast ----
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", {
    willReadFrequently: true,
  });
  const known = new Map();
  const rgba = (color) => {
    if (!known.has(color)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = color;
      pen.fillRect(0, 0, 1, 1);
      known.set(
        color,
        [...pen.getImageData(0, 0, 1, 1).data].map((n) => n / 255),
      );
    }
    return known.get(color);
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const luminance = (color) => {
    const [r, g, b] = color.map((n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element, x, y) => {
    // What lies under the text, also if it is not an ancestor.
    const under = document.elementsFromPoint(x, y);
    const from = under.indexOf(element);
    const stack = from >= 0 ? under.slice(from) : [];
    if (from < 0) for (let at = element; at; at = at.parentElement) stack.push(at);
    const layers = [];
    for (const layer of stack) {
      const color = rgba(getComputedStyle(layer).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((ground, color) => over(color, ground), [1, 1, 1, 1]);
  };
  const check = (element, style, what) => {
    const box = element.getBoundingClientRect();
    if (box.width === 0) return;
    const ground = background(element, box.left + box.width / 2, box.top + box.height / 2);
    const [one, two] = [luminance(over(rgba(style.color), ground)), luminance(ground)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (two + 0.05);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (contrast < needed)
      report(`contrast ${contrast.toFixed(2)} of ${what}, ${needed} is needed`, element, style.color);
  };
  const scrolled = [scrollX, scrollY];
  for (const element of all) {
    if (!visible(element) || !front.contains(element) || element.matches(":disabled, .visually-hidden, option, svg *"))
      continue;
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const labels = ["::before", "::after"].filter((pseudo) => /^"\S/.test(getComputedStyle(element, pseudo).content));
    if (!hasText && labels.length === 0) continue;
    const box = element.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) element.scrollIntoView({ block: "center" });
    if (hasText) check(element, getComputedStyle(element), "text");
    for (const pseudo of labels) check(element, getComputedStyle(element, pseudo), pseudo);
  }
  scrollTo(...scrolled);
  return findings;
})();
