// @ts-check
// A long line continues two columns deeper than it began, so that a captured text inside its string can be read.
import { Decoration, ViewPlugin } from "@codemirror/view";

const most = 24; // columns; deeper lines continue there

/** The extension that hangs wrapped lines. */
export function hangingLines() {
  return ViewPlugin.define((view) => ({
    decorations: build(view),
    update(update) {
      if (update.docChanged || update.viewportChanged) this.decorations = build(update.view);
    },
  }), { decorations: (plugin) => plugin.decorations });
}

/** @param {import("@codemirror/view").EditorView} view */
function build(view) {
  const lines = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const columns = Math.min(most, line.text.length - line.text.trimStart().length) + 2;
      lines.push(hang(columns).range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(lines);
}

/** @type {Map<number, Decoration>} */
const made = new Map();

/** @param {number} columns */
function hang(columns) {
  let line = made.get(columns);
  if (!line) {
    line = Decoration.line({ attributes: { style: `padding-left: ${columns}ch; text-indent: -${columns}ch` } });
    made.set(columns, line);
  }
  return line;
}
