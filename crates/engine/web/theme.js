// Light or dark: the system's choice until someone presses the switch.

import { byId } from "./dom.js";

export function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("ferz-theme", root.dataset.theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}

export const mountTheme = () => byId("theme").addEventListener("click", switchTheme);
