// @ts-check
// Numbers as literals of a programming language, for the clipboard.

import { button, choice, field } from "./dom.js";
import { copy } from "./share.js";

/** @typedef {"u64" | "u16" | "i16" | "i64"} NumberType */
/** @typedef {string | number | bigint} Plain */
/** @typedef {{ name: string, type: NumberType | "text", value: Plain | Plain[] }} Literal */
/** @typedef {"Rust" | "C" | "Python"} Language */

/** How many numbers of a list stand on a line. */
const PER_LINE = 8;

/** @type {Language} */
let language = "Rust";

/** The choice of the language. */
export const languageChoice = () =>
  field(
    "Copy as",
    choice(
      [
        ["Rust", "Rust"],
        ["C", "C"],
        ["Python", "Python"],
      ],
      language,
      (chosen) => (language = /** @type {Language} */ (chosen)),
      { id: "xray-language" },
    ),
  );

/**
 * @param {Plain} value
 * @param {Literal["type"]} type
 */
function single(value, type) {
  if (type === "text") return JSON.stringify(String(value));
  if (type.startsWith("i")) return String(value);
  const digits = BigInt(value)
    .toString(16)
    .padStart(type === "u64" ? 16 : 4, "0");
  if (language === "Rust") return `0x${digits.replace(/.{4}(?=.)/g, "$&_")}`;
  return `0x${digits}${language === "C" && type === "u64" ? "ULL" : ""}`;
}

/** @param {Literal} literal */
export function literal({ name, type, value }) {
  const list = Array.isArray(value) ? value.map((item) => single(item, type)) : null;
  const words = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  const lines = (list ?? []).map((item, at) => `${at % PER_LINE === 0 ? "\n    " : " "}${item},`).join("");
  const one = list ? "" : single(/** @type {Plain} */ (value), type);
  if (language === "Python") {
    const upper = words.toUpperCase();
    return list ? `${upper} = [${lines}\n]` : `${upper} = ${one}`;
  }
  if (language === "C") {
    const lower = words.toLowerCase();
    const start = type === "text" ? "const char *" : `const ${cType(type)} `;
    return list ? `${start}${lower}[${list.length}] = {${lines}\n};` : `${start}${lower} = ${one};`;
  }
  const rust = type === "text" ? "&str" : type;
  const upper = words.toUpperCase();
  return list
    ? `const ${upper}: [${rust}; ${list.length}] = [${lines}\n];`
    : `const ${upper}: ${rust} = ${one};`;
}

/** @param {NumberType} type */
const cType = (type) => `${type.startsWith("u") ? "uint" : "int"}${type.slice(1)}_t`;

/**
 * Copies literals to the clipboard.
 * @param {Literal[]} literals
 * @param {string} what
 */
export const copyLiterals = (literals, what) => copy(literals.map(literal).join("\n"), `${what} as ${language}`);

/**
 * A button that copies the data of a section.
 * @param {string} heading
 * @param {() => Literal[]} literals
 */
export const copyButton = (heading, literals) =>
  button("Copy", () => copyLiterals(literals(), heading), { class: "small", "aria-label": `Copy: ${heading}` });
