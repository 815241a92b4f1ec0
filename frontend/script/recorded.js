// @ts-check
// A text in the editor that is the lab's own export of a record, and the request text inside it.
import { literalAt, sourceAt, topKeys } from "./literal.js";
import { say } from "./status.js";

const kind = "parley.runner-record";

/**
 * Whether a text is an exported record that holds a request.
 * @param {import("@codemirror/state").EditorState} state
 */
export function isExport(state) {
  if (!state.sliceDoc(0, 1000).includes(kind)) return false;
  return literalAt(state, ["kind"])?.text === kind && topKeys(state).includes("request");
}

/**
 * Gives the request's exact text by its digest. An export keeps the JSON and leaves out the white space around it.
 * @param {import("@codemirror/state").EditorState} state
 * @returns {Promise<{text: string, exact: boolean} | null>} null when the export holds no request as text
 */
export async function requestOf(state) {
  const digest = literalAt(state, ["request", "sha256"])?.text ?? "";
  const text = sourceAt(state, ["request", "json"]) ?? literalAt(state, ["request", "text"])?.text;
  if (text === undefined) return null;
  for (const end of ["", "\n", "\r\n"]) if ((await sha256(text + end)) === digest) return { text: text + end, exact: true };
  return { text, exact: false };
}

/**
 * Keeps the notice about an export, whose button puts the request into the editor.
 * @param {import("@codemirror/view").EditorView} request
 * @param {(text: string) => void} put
 * @returns {() => void} brings the notice in line with the text
 */
export function startExportNotice(request, put) {
  const notice = /** @type {HTMLElement} */ (document.getElementById("export-notice"));
  document.getElementById("open-recorded")?.addEventListener("click", async () => {
    const state = request.state;
    const found = await requestOf(state);
    if (request.state.doc !== state.doc) return; // edited meanwhile
    if (!found) return say("The export holds no request that is text. Nothing was changed.");
    put(found.text);
    request.focus();
    say(found.exact ? "The recorded request is open; undo gives the export back."
      : "The request is open, but its bytes are not those of the export's digest; undo gives the export back.");
  });
  return () => {
    const found = isExport(request.state);
    if (found && notice.hidden) say("This is an exported record; open the request in it.");
    notice.hidden = !found;
  };
}

/** @param {string} text */
async function sha256(text) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, "0")).join("");
}
