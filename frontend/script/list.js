// @ts-check
import { onShortcut } from "./keys.js";

/** Lets keys walk through the rows of the list that has the focus, or of the page's list. */
export function startList() {
  onShortcut("next", () => focusRow((at) => at + 1));
  onShortcut("previous", () => focusRow((at) => at - 1));
  onShortcut("first", () => focusRow(() => 0));
  onShortcut("last", () => focusRow(() => links().length - 1));
}

/** @param {(at: number) => number} step */
function focusRow(step) {
  const all = links();
  const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  all[Math.max(0, Math.min(all.length - 1, step(at)))]?.focus();
}

/** @returns {HTMLElement[]} */
function links() {
  const list = document.activeElement?.closest("[data-list]") ?? document.querySelector("main [data-list]");
  return list ? [...list.querySelectorAll(".row-link")].map((e) => /** @type {HTMLElement} */ (e)) : [];
}
