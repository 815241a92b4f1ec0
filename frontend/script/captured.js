// @ts-check
// The captured texts, each in a YAML editor of its own. The request's string literal is the only owner of the text: a
// pane shows what it says, and an edit in a pane rewrites that one literal and nothing else.
import { yaml } from "@codemirror/lang-yaml";
import { nameCompletion } from "./complete_yaml.js";
import { from, makeEditor, replaceText } from "./editor.js";
import { literalAt } from "./literal.js";

/** @typedef {"eval" | "task"} Name */

export class Captured {
  /**
   * @param {Name} name
   * @param {import("@codemirror/view").EditorView} request
   */
  constructor(name, request) {
    this.name = name;
    this.request = request;
    this.panel = /** @type {HTMLElement} */ (document.getElementById("panel-" + name));
    this.view = makeEditor({
      host: /** @type {HTMLElement} */ (this.panel.querySelector("[data-editor]")),
      text: "",
      label: `Captured ${name}, YAML`,
      language: yaml(),
      more: nameCompletion(name),
      onChange: (update) => {
        if (!update.transactions.some((t) => t.annotation(from))) this.giveBack();
      },
    });
    this.take();
  }

  /** Shows what the request holds now. */
  take() {
    const literal = literalAt(this.request.state, ["input", this.name]);
    this.panel.classList.toggle("is-absent", literal === null);
    const absent = this.panel.querySelector("[data-absent]");
    if (absent instanceof HTMLElement) absent.hidden = literal !== null;
    replaceText(this.view, literal?.text ?? "", "request");
  }

  /** Writes the pane's text into its literal. */
  giveBack() {
    const literal = literalAt(this.request.state, ["input", this.name]);
    if (!literal) return;
    const insert = JSON.stringify(this.view.state.doc.toString());
    this.request.dispatch({ changes: { from: literal.from, to: literal.to, insert }, annotations: from.of(this.name) });
  }
}
