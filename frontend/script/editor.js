// @ts-check
// One text editor: CodeMirror with our keys, our marks and our token classes.
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, Prec } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { hangingLines } from "./hanging.js";
import { marks } from "./marks.js";

/** Marks a change that did not come from a person in this editor. Its value says where it came from. */
export const from = Annotation.define();

/** The words of the find panel, as the rest of the page writes words. */
const words = {
  Find: "Find", Replace: "Replace with", next: "Next", previous: "Previous", all: "All", "match case": "Match case",
  regexp: "Pattern", "by word": "Whole words", replace: "Replace", "replace all": "Replace all", close: "Close the find panel",
};

/**
 * @typedef {object} EditorOptions
 * @property {HTMLElement} host
 * @property {string} text
 * @property {string} label accessible name
 * @property {import("@codemirror/state").Extension} language
 * @property {(update: import("@codemirror/view").ViewUpdate) => void} onChange called after the text changed
 * @property {import("@codemirror/state").Extension} [more]
 */

/**
 * Makes an editor in its host.
 * @param {EditorOptions} options
 */
export function makeEditor(options) {
  const state = EditorState.create({
    doc: options.text,
    extensions: [
      // Only LF breaks a line, so that CR stays in the text as it was.
      EditorState.lineSeparator.of("\n"),
      EditorState.phrases.of(words),
      EditorView.lineWrapping,
      hangingLines(),
      indentUnit.of("  "),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      highlightActiveLine(),
      drawSelection(),
      history(),
      indentOnInput(),
      bracketMatching(),
      highlightSelectionMatches(),
      search({ top: true }),
      syntaxHighlighting(classHighlighter),
      options.language,
      marks(),
      options.more || [],
      Prec.low(keymap.of([{ key: "Escape", run: leaveWithTab }])),
      keymap.of([
        { key: "Tab", run: indentMore, shift: indentLess },
        ...searchKeymap, ...historyKeymap, ...defaultKeymap,
      ]),
      EditorView.contentAttributes.of({
        "aria-label": options.label, "aria-describedby": "leave-hint", spellcheck: "false", autocorrect: "off", tabindex: "0",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged || update.selectionSet) update.view.setTabFocusMode(false);
        if (update.docChanged) options.onChange(update);
      }),
      EditorView.domEventHandlers({
        focus: (_, view) => view.setTabFocusMode(false),
        beforeinput: typeOverSelection,
      }),
    ],
  });
  return new EditorView({ state, parent: options.host });
}

/**
 * Types over selected lines. The browser would join them by markup with style attributes, which the content policy
 * forbids.
 * @param {InputEvent} event
 * @param {EditorView} view
 */
function typeOverSelection(event, view) {
  const { main } = view.state.selection;
  const lines = view.state.doc.lineAt(main.from).number !== view.state.doc.lineAt(main.to).number;
  if (event.inputType !== "insertText" || event.data === null || view.composing || !lines) return false;
  view.dispatch({ ...view.state.replaceSelection(event.data), userEvent: "input.type", scrollIntoView: true });
  event.preventDefault();
  return true;
}

/**
 * After Escape, Tab and Shift+Tab move the focus until the next edit; so the keyboard can leave the editor.
 * @param {EditorView} view
 */
function leaveWithTab(view) {
  view.setTabFocusMode(true);
  return true;
}

/**
 * Replaces the whole text by the smallest change, so that selection and undo stay useful.
 * @param {EditorView} view
 * @param {string} text
 * @param {string} [origin] set when the change did not come from a person
 */
export function replaceText(view, text, origin) {
  const old = view.state.doc.toString();
  if (old === text) return;
  let head = 0;
  while (head < old.length && head < text.length && old[head] === text[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, text.length) - head;
  while (tail < most && old[old.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  view.dispatch({
    changes: { from: head, to: old.length - tail, insert: text.slice(head, text.length - tail) },
    annotations: origin ? from.of(origin) : [],
  });
}

/**
 * Puts the cursor at a place and shows it.
 * @param {EditorView} view
 * @param {number} position
 */
export function goTo(view, position) {
  const at = Math.min(position, view.state.doc.length);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  view.focus();
}
