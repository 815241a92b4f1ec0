// @ts-check
// The errors that the runner found in the request: marks at their places, counts on the tabs, the list below.
import { goTo } from "./editor.js";
import { showMarks, symbol } from "./marks.js";
import { positionOf, positionsOf } from "./places.js";
import { selectTab } from "./tabs.js";

/**
 * @typedef {{code: string, document: string, path: string, offset: number, line: number, column: number,
 *   expected: string, found: string, hint?: string}} Finding
 * @typedef {Finding & {position: number}} Placed
 */

const order = ["request", "eval", "task"];

export class Problems {
  /** @param {Record<string, import("@codemirror/view").EditorView>} views by document name */
  constructor(views) {
    this.views = views;
    /** @type {Placed[]} */
    this.list = [];
    this.at = -1;
  }

  /**
   * Shows these findings and no others.
   * @param {Finding[]} findings
   * @param {number} more how many there are beyond these
   */
  show(findings, more) {
    this.list = findings.map((f) => ({ ...f, document: order.includes(f.document) ? f.document : "request", position: 0 }));
    this.list.sort(compare);
    this.at = -1;
    for (const name of order) this.mark(name);
    this.write(more);
  }

  /** @param {string} name */
  mark(name) {
    const own = this.list.filter((f) => f.document === name);
    const doc = this.views[name].state.doc;
    const offsets = name === "request" ? positionsOf(doc.toString(), own.map((f) => f.offset)) : [];
    own.forEach((f, i) => (f.position = name === "request" ? offsets[i] : positionOf(doc, f.line, f.column)));
    showMarks(this.views[name], own.map((f) => ({ position: f.position, message: sentence(f) })));
    const count = document.querySelector(`[data-count="${name}"]`);
    if (count) count.textContent = own.length ? `(${own.length})` : "";
  }

  /** @param {number} more */
  write(more) {
    const list = /** @type {HTMLElement} */ (document.getElementById("problems"));
    const items = this.list.map((f, i) => item(this.link(i), sentence(f)));
    if (more > 0) items.push(item(null, `${more} more, not listed.`));
    list.hidden = items.length < 2;
    list.replaceChildren(...(items.length < 2 ? [] : items));
  }

  /**
   * A button that goes to one finding.
   * @param {number} index
   */
  link(index) {
    const f = this.list[index];
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = this.placeOf(f);
    button.addEventListener("click", () => this.go(index));
    return button;
  }

  /** @param {Placed} f */
  placeOf(f) {
    const line = this.views[f.document].state.doc.lineAt(Math.min(f.position, this.views[f.document].state.doc.length)).number;
    const where = f.document === "request" ? "" : f.document + " ";
    return `${where}line ${line}${f.path ? ": " + f.path : ""}`;
  }

  /** @param {number} index */
  go(index) {
    const f = this.list[index];
    if (!f) return;
    this.at = index;
    selectTab(f.document);
    goTo(this.views[f.document], f.position);
  }

  /** @param {number} step */
  step(step) {
    if (this.list.length) this.go((this.at + step + this.list.length) % this.list.length);
  }
}

/**
 * Findings about the whole document head the list, then places by path.
 * @param {Placed} a
 * @param {Placed} b
 */
function compare(a, b) {
  const rank = (/** @type {Placed} */ f) => (f.path === "" && f.document === "request" ? -1 : order.indexOf(f.document));
  return rank(a) - rank(b) || a.path.localeCompare(b.path) || a.offset - b.offset || a.line - b.line;
}

/** @param {Finding} f */
function sentence(f) {
  const hint = f.hint ? " " + f.hint[0].toUpperCase() + f.hint.slice(1) + "." : "";
  return `Expected ${f.expected}, found ${f.found}.${hint}`.replace(/\.\.$/, ".");
}

/**
 * @param {HTMLElement | null} link
 * @param {string} text
 */
function item(link, text) {
  const li = document.createElement("li");
  const words = document.createElement("span");
  words.append(...(link ? [link, " "] : []), text);
  li.append(symbol("problem"), words);
  return li;
}
