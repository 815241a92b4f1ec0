// @ts-check
// The one way to copy: exact text to the clipboard, or a box with the text selected when the clipboard refuses.
import { call, exactText, failureOf } from "./call.js";
import { saveText } from "./save.js";
import { say, size } from "./status.js";

const clipboardLimit = 1e6; // bytes; above it a file is the better place
const shown = 2000; // ms for which a button says that it copied

/**
 * Copies a text and says so.
 * @param {string} text
 * @param {string} what named in the messages, "digest"
 * @param {HTMLElement} [button]
 */
export async function copyText(text, what, button) {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > clipboardLimit) {
    saveText(text, what.replaceAll(" ", "-") + ".txt");
    say(`The ${what} has ${size(bytes)}; it was saved as a file in place of the clipboard.`);
    return;
  }
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    showBox(text);
    return;
  }
  say(`Copied ${what}, ${size(bytes)}.` + (button?.dataset.note ?? ""));
  if (button) markCopied(button);
}

/** @param {string} text */
function showBox(text) {
  const box = document.getElementById("copy-box");
  const area = document.getElementById("copy-box-text");
  if (!(box instanceof HTMLDialogElement) || !(area instanceof HTMLTextAreaElement)) return;
  area.value = text;
  box.showModal();
  area.focus();
  area.select();
}

/** @param {HTMLElement} button */
function markCopied(button) {
  const use = button.querySelector("use");
  if (!use) return;
  use.setAttribute("href", "#i-ok");
  window.setTimeout(() => use.setAttribute("href", "#i-copy"), shown);
}

/**
 * Handles a click on any copy button of the page.
 * @param {HTMLElement} button
 */
export async function copyFrom(button) {
  const what = button.dataset.what || "text";
  const from = button.dataset.copyFrom;
  if (!from) return copyText(button.dataset.copy || "", what, button);
  try {
    const response = await call("GET", from);
    const text = await exactText(response);
    await copyText(button.dataset.member ? memberOf(text, button.dataset.member) : text, what, button);
  } catch (caught) {
    say(`The ${what} could not be copied: ${failureOf(caught).message}`);
  }
}

/**
 * The string at a path of a JSON document, "observation.final_output".
 * @param {string} text
 * @param {string} path
 * @returns {string}
 */
function memberOf(text, path) {
  let value = JSON.parse(text);
  for (const name of path.split(".")) value = value[name];
  return value;
}
