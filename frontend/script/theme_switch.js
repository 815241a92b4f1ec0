// @ts-check
import { say } from "./status.js";

const key = "parley-theme";
/** @type {Record<string, string>} */
const next = { system: "light", light: "dark", dark: "system" };

/** The chosen theme: "system", "light" or "dark". */
export function chosenTheme() {
  return document.documentElement.dataset.theme || "system";
}

/** The theme that is shown: "light" or "dark". */
export function shownTheme() {
  const chosen = chosenTheme();
  if (chosen !== "system") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Goes to the next theme and remembers it for this browser. */
export function switchTheme() {
  const theme = next[chosenTheme()];
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // The choice then lasts for this page only.
  }
  wordTheme();
  say("Theme: " + theme + ".");
}

/** Writes the chosen theme into the switch, for those who do not see it. */
export function wordTheme() {
  for (const e of document.querySelectorAll("[data-theme-word]")) e.textContent = chosenTheme();
}
