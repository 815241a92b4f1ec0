// @ts-check
import { say, size } from "./status.js";

/**
 * Saves a text as a file in the browser's download folder, byte for byte as UTF-8.
 * @param {string} text
 * @param {string} name
 */
export function saveText(text, name) {
  const blob = new Blob([text], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
  say(`Saved ${name}, ${size(blob.size)}, in the download folder.`);
}
