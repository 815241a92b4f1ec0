// @ts-check
// The line under the editor: are there errors, where is the first, how large is the text, is the draft saved.
import { symbol } from "./marks.js";
import { size } from "./status.js";

/**
 * @param {object} now
 * @param {import("@codemirror/state").Text} now.doc
 * @param {boolean} now.empty
 * @param {import("./inspect.js").Inspection | null} now.inspection
 * @param {string} now.blind
 * @param {string} now.saved
 * @param {import("./problems.js").Problems} now.problems
 */
export function showVerdict(now) {
  const place = /** @type {HTMLElement} */ (document.getElementById("verdict-request"));
  const measure = /** @type {HTMLElement} */ (document.getElementById("measure"));
  const count = now.doc.lines - (now.doc.line(now.doc.lines).length === 0 ? 1 : 0); // a last line break begins none
  const lines = count === 1 ? "1 line" : count + " lines";
  const bytes = now.inspection && !now.empty ? ", " + size(now.inspection.bytes) : "";
  measure.textContent = lines + bytes + (now.saved ? " · " + now.saved : "");
  setShape(now.empty ? "" : now.inspection?.shape ?? "");
  if (now.empty) return place.replaceChildren();
  if (now.blind) return place.replaceChildren(badge("neutral", "unchecked", "Not inspected"));
  if (!now.inspection) return;
  const all = now.inspection.findings.length + now.inspection.more;
  if (all === 0) return place.replaceChildren(badge("ok", "ok", "No errors"));
  const words = badge("problem", "problem", all === 1 ? "1 error" : all + " errors");
  place.replaceChildren(words, ...(all === 1 ? [" ", now.problems.link(0)] : []));
}

/** @param {string} shape */
function setShape(shape) {
  const names = { compact: "runner-negotiation-request-1.0", complete: "runner-request-1.0" };
  const place = /** @type {HTMLElement} */ (document.getElementById("shape"));
  place.textContent = names[/** @type {"compact" | "complete"} */ (shape)] ?? "";
}

/**
 * @param {string} tone
 * @param {string} icon
 * @param {string} word
 */
function badge(tone, icon, word) {
  const span = document.createElement("span");
  span.className = "badge " + tone;
  const text = document.createElement("span");
  text.className = "word";
  text.textContent = word;
  span.append(symbol(icon), text);
  return span;
}
