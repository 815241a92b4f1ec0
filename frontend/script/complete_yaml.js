// @ts-check
// Completion of field names inside a captured text. The lines above say by their indent which keys hold the cursor.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { keymap } from "@codemirror/view";
import { yamlNames } from "./yaml_names.js";

const line = /^( *)((?:- +)*)([\w-]*)(:?)/;
const far = 2000; // lines that are looked at for the keys above

/**
 * The extension that completes the names of one captured text.
 * @param {"eval" | "task"} document
 */
export function nameCompletion(document) {
  return [
    autocompletion({ override: [(context) => complete(context, yamlNames[document])], icons: false }),
    keymap.of(completionKeymap),
  ];
}

/**
 * @param {import("@codemirror/autocomplete").CompletionContext} context
 * @param {Record<string, string[]>} names
 */
function complete(context, names) {
  const { state, pos } = context;
  const here = state.doc.lineAt(pos);
  const before = here.text.slice(0, pos - here.from);
  const found = /** @type {RegExpExecArray} */ (line.exec(before));
  if (found[0] !== before || found[4]) return null; // behind a key stands a value
  if (!context.explicit && !found[3]) return null;
  const lines = above(state.doc, here.number);
  if (found[2]) lines.unshift({ key: "", column: found[1].length + found[2].length, dash: found[1].length });
  const { path, present } = holders(lines, found[1].length + found[2].length);
  const options = (names[path] ?? []).filter((name) => !present.has(name)).map((name) => ({ label: name, apply: name + ": ", type: "property" }));
  return options.length ? { from: pos - found[3].length, options, validFor: /^[\w-]*$/ } : null;
}

/**
 * @typedef {{key: string, column: number, dash: number}} Line a key, its column, and the column of the dash before it or -1
 */

/**
 * The lines above one that have a key or a dash, the nearest first.
 * @param {import("@codemirror/state").Text} doc
 * @param {number} number
 */
function above(doc, number) {
  /** @type {Line[]} */
  const list = [];
  for (let n = number - 1; n > 0 && number - n < far; n--) {
    const [, spaces, dashes, key, colon] = /** @type {RegExpExecArray} */ (line.exec(doc.line(n).text));
    const dash = dashes ? spaces.length : -1;
    if (colon || dashes) list.push({ key: colon && key, column: spaces.length + dashes.length, dash });
  }
  return list;
}

/**
 * The keys that hold a name at a column, from the root down, and the keys that stand beside it already.
 * @param {Line[]} lines
 * @param {number} column
 */
function holders(lines, column) {
  /** @type {string[]} */
  const path = [];
  const present = new Set();
  let within = column; // what begins left of it holds the name
  let list = -1; // column of the dashes of the list that holds it
  for (const { key, column: at, dash } of lines) {
    if (key && at === within && path.length === 0) present.add(key);
    if (key && at < within) {
      path.unshift(key);
      within = at;
      list = -1;
    }
    if (dash >= 0 && dash < within && dash !== list) {
      path.unshift("*");
      list = dash;
      within = dash + 1; // the list's own key may stand above its dashes
    }
  }
  return { path: path.join(" "), present };
}
