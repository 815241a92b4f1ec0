// @ts-check
// Marks of errors inside an editor: the line, its number, the underlined place, and one line that explains.
import { ensureSyntaxTree } from "@codemirror/language";
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, gutterLineClass, GutterMarker, gutterWidgetClass, WidgetType } from "@codemirror/view";

/** @typedef {{position: number, message: string}} Mark */

/**
 * Replaces all marks of an editor.
 * @type {import("@codemirror/state").StateEffectType<Mark[]>}
 */
const setMarks = StateEffect.define();

class Explanation extends WidgetType {
  /** @param {string} message */
  constructor(message) {
    super();
    this.message = message;
  }

  /** @param {Explanation} other */
  eq(other) {
    return other.message === this.message;
  }

  toDOM() {
    const line = document.createElement("div");
    line.className = "say";
    const text = document.createElement("span");
    text.textContent = this.message;
    line.append(symbol("problem"), text);
    return line;
  }
}

class BadLine extends GutterMarker {
  elementClass = "bad";
}

const brackets = new Set(["[", "{"]);
const badLine = Decoration.line({ class: "bad" });
const badText = Decoration.mark({ class: "bad-text" });
const badGutter = new BadLine();

const field = StateField.define({
  create: () => ({ decorations: Decoration.none, gutter: gutterOf([]) }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) return build(transaction.state, effect.value);
    }
    if (!transaction.docChanged) return value;
    return { decorations: value.decorations.map(transaction.changes), gutter: value.gutter.map(transaction.changes) };
  },
  provide: (f) => [
    EditorView.decorations.from(f, (value) => value.decorations),
    gutterLineClass.from(f, (value) => value.gutter),
  ],
});

/** The extension that lets an editor carry marks. */
export function marks() {
  return [field, gutterWidgetClass.of((_, widget) => (widget instanceof Explanation ? badGutter : null))];
}

/**
 * Shows these marks and no others.
 * @param {EditorView} view
 * @param {Mark[]} list
 */
export function showMarks(view, list) {
  view.dispatch({ effects: setMarks.of(list) });
}

/**
 * @param {import("@codemirror/state").EditorState} state
 * @param {Mark[]} list
 */
function build(state, list) {
  const decorations = [];
  const gutter = [];
  for (const mark of list) {
    const at = Math.min(mark.position, state.doc.length);
    const line = state.doc.lineAt(at);
    const [start, end] = extent(state, at, line);
    decorations.push(badLine.range(line.from));
    if (end > start) decorations.push(badText.range(start, end));
    decorations.push(Decoration.widget({ widget: new Explanation(mark.message), block: true, side: 1 }).range(line.to));
    gutter.push(line.from);
  }
  return { decorations: Decoration.set(decorations, true), gutter: gutterOf(gutter) };
}

/**
 * The line numbers to mark, each once.
 * @param {number[]} starts
 * @returns {import("@codemirror/state").RangeSet<GutterMarker>}
 */
function gutterOf(starts) {
  return RangeSet.of([...new Set(starts)].sort((a, b) => a - b).map((start) => badGutter.range(start)));
}

/**
 * What to underline: the value at a position together with its key, no further than its line.
 * @param {import("@codemirror/state").EditorState} state
 * @param {number} at
 * @param {import("@codemirror/state").Line} line
 * @returns {[number, number]}
 */
function extent(state, at, line) {
  const tree = ensureSyntaxTree(state, Math.min(at + 1, state.doc.length), 50);
  let node = tree?.resolveInner(at, 1);
  if (node?.parent && brackets.has(node.name)) node = node.parent;
  if (node?.parent?.name === "Property" || node?.parent?.name === "Pair") node = node.parent;
  let start = Math.max(node && !node.type.isTop ? node.from : at, line.from);
  const end = Math.min(node && !node.type.isTop ? node.to : at + 1, line.to);
  if (end <= start) start = Math.max(line.from, line.to - 1);
  return [start, Math.max(end, start)];
}

/**
 * One symbol of the page's sprite.
 * @param {string} name
 */
export function symbol(name) {
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "i");
  icon.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#i-" + name);
  icon.append(use);
  return icon;
}
