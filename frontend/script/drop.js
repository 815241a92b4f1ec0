// @ts-check
import { say, size } from "./status.js";

const limit = 4 * 1024 * 1024; // bytes; the largest request document (runner 3, rule 1)

/**
 * Lets a person drop a file onto a pane.
 * @param {HTMLElement} pane
 * @param {(text: string, name: string) => void} take
 */
export function takeFiles(pane, take) {
  const mark = (/** @type {boolean} */ on) => pane.classList.toggle("is-dropping", on);
  const holdsFile = (/** @type {DragEvent} */ e) => e.dataTransfer?.types.includes("Files") ?? false;
  pane.addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    mark(true);
  }, true);
  pane.addEventListener("dragleave", () => mark(false));
  pane.addEventListener("drop", async (event) => {
    mark(false);
    if (!holdsFile(event)) return;
    event.preventDefault();
    event.stopPropagation(); // the editor would paste it into the text
    const files = event.dataTransfer?.files;
    if (files?.length !== 1) return say("Drop one file at a time.");
    await read(files[0], take);
  }, true);
}

/**
 * Lets a person choose a file.
 * @param {(text: string, name: string) => void} take
 */
export function openFiles(take) {
  const input = /** @type {HTMLInputElement} */ (document.getElementById("file"));
  for (const button of document.querySelectorAll("[data-open-file]")) button.addEventListener("click", () => input.click());
  input.addEventListener("change", async () => {
    const file = input.files?.[0];
    if (file) await read(file, take);
    input.value = ""; // so that the same file can be chosen again
  });
}

/**
 * @param {File} file
 * @param {(text: string, name: string) => void} take
 */
async function read(file, take) {
  if (file.size > limit) return say(`${file.name} has ${size(file.size)}; a request has at most ${size(limit)}. Nothing was changed.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
    take(text, file.name);
  } catch {
    say(`${file.name} is not UTF-8 text. Nothing was changed.`);
  }
}
