// @ts-check
// The divider between two panes: arrow keys and a pointer move it, and this browser remembers where it stands.

const storage = "parley-split";
const least = 20; // percent of the width that the right pane keeps
const most = 70;

/** Makes every splitter of the page work. */
export function startSplitters() {
  for (const split of document.querySelectorAll(".split")) {
    if (split instanceof HTMLElement) start(split);
  }
}

/** @param {HTMLElement} split */
function start(split) {
  try {
    const kept = Number(localStorage.getItem(storage));
    if (kept) place(split, kept);
  } catch {
    // The width of the style sheet is fine.
  }
  split.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: 2, ArrowRight: -2 }[event.key];
    if (!step) return;
    event.preventDefault();
    place(split, Number(split.getAttribute("aria-valuenow")) + step);
  });
  split.addEventListener("pointerdown", (event) => {
    split.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  split.addEventListener("pointermove", (event) => {
    if (!split.hasPointerCapture(event.pointerId)) return;
    const box = /** @type {HTMLElement} */ (split.parentElement).getBoundingClientRect();
    place(split, ((box.right - event.clientX) / box.width) * 100);
  });
}

/**
 * @param {HTMLElement} split
 * @param {number} percent
 */
function place(split, percent) {
  const value = Math.round(Math.max(least, Math.min(most, percent)));
  split.parentElement?.style.setProperty("--right", value + "%");
  split.setAttribute("aria-valuenow", String(value));
  try {
    localStorage.setItem(storage, String(value));
  } catch {
    // Then it holds for this page.
  }
}
