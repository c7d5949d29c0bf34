// @ts-check
// Light or dark: the system's theme until the reader switches.

import { byId } from "./dom.js";

/** Switches between light and dark. */
export function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("ferz-theme", root.dataset.theme);
  } catch {
    // Without storage the choice is lost when the page closes.
  }
}

export const mountTheme = () => byId("theme").addEventListener("click", switchTheme);
