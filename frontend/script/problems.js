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
    this.at = -1;
    for (const name of order) this.mark(name);
    this.list.sort((a, b) => order.indexOf(a.document) - order.indexOf(b.document) || a.position - b.position);
    this.write(more);
  }

  /** @param {string} name */
  mark(name) {
    const own = this.list.filter((f) => f.document === name);
    const doc = this.views[name].state.doc;
    const offsets = name === "request" ? positionsOf(doc.toString(), own.map((f) => f.offset)) : [];
    own.forEach((f, i) => (f.position = name === "request" ? offsets[i] : positionOf(doc, f.line, f.column)));
    showMarks(this.views[name], own.map((f) => ({ position: f.position, message: inline(f) })));
    const count = document.querySelector(`[data-count="${name}"]`);
    if (count) count.textContent = own.length ? `(${own.length})` : "";
  }

  /** @param {number} more */
  write(more) {
    const list = /** @type {HTMLElement} */ (document.getElementById("problems"));
    const items = this.list.map((f, i) => item(this.link(i), says(f)));
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
    return `${where}line ${line}${f.path ? ": " + pathOf(f) : ""}`;
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
 * What a mark says. The mark of a missing key stands at its parent, so the whole path is said; else the last name will do.
 * @param {Finding} f
 */
function inline(f) {
  if (!f.path) return "Expected" + says(f).slice(": expected".length);
  return (f.found.startsWith("nothing") ? pathOf(f) : lastName(pathOf(f))) + says(f);
}

/**
 * What is wrong, to stand behind the place. A hint is never changed: it may begin with the name of a field.
 * @param {Finding} f
 */
function says(f) {
  const what = isMissing(f) ? ` is missing: expected ${f.expected}` : `: expected ${f.expected}, found ${f.found}`;
  return (f.hint ? `${what}; ${f.hint}` : what).replace(/\.?$/, ".");
}

/** @param {Finding} f */
function isMissing(f) {
  return f.path !== "" && f.found.startsWith("nothing: ");
}

/**
 * The path as people write it: the runner names a place of the request by a JSON Pointer.
 * @param {Finding} f
 */
function pathOf(f) {
  if (f.document !== "request") return f.path;
  const names = f.path.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.map((name, i) => (i === 0 ? name : /^\d+$/.test(name) ? `[${name}]` : "." + name)).join("");
}

/** @param {string} path */
function lastName(path) {
  return path.slice(path.lastIndexOf(".") + 1) || path;
}

/**
 * @param {HTMLElement | null} link
 * @param {string} text
 */
function item(link, text) {
  const li = document.createElement("li");
  const words = document.createElement("span");
  words.append(...(link ? [link] : []), text);
  li.append(symbol("problem"), words);
  return li;
}
