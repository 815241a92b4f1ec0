// @ts-check
// The results beside the request. What stands here belongs to the text in the editor; anything else is in the history.
import { symbol } from "./marks.js";
import { clock } from "./status.js";

/** @typedef {"negotiate" | "validate" | "run"} Kind */

const stacked = "(max-width: 900px)"; // as in narrow.css: the results stand below the editor
const recent = 10; // rows that the history on the page keeps

/** Why an act without an answer has none, at the start of the page. */
const untouched = { negotiate: "not checked.", validate: "not run.", run: "not run." };

export class Results {
  constructor() {
    this.host = /** @type {HTMLElement} */ (document.getElementById("results"));
    this.exportButton = /** @type {HTMLButtonElement} */ (document.getElementById("export"));
    this.exportWhy = /** @type {HTMLElement} */ (document.getElementById("export-why"));
  }

  /** Clears every result because the text was edited. */
  clear() {
    this.host.replaceChildren();
    const since = `the edit at ${clock()}.`;
    this.why("negotiate", "not checked since " + since);
    this.why("validate", "not run since " + since);
    this.why("run", "not run since " + since);
    this.settle();
  }

  /**
   * Clears the earlier result of an act that begins now.
   * @param {Kind} kind
   */
  begin(kind) {
    this.host.querySelector(`[data-slot="${kind}"]`)?.remove();
    this.why(kind, `waiting for the answer since ${clock()}.`);
    this.settle();
  }

  /**
   * Puts a report or a failure at the top.
   * @param {Kind} kind
   * @param {HTMLElement} section
   */
  show(kind, section) {
    this.host.querySelector(`[data-slot="${kind}"]`)?.remove();
    section.setAttribute("data-slot", kind);
    this.host.prepend(section);
    this.settle();
    /** @type {HTMLElement} */ (document.getElementById("results-pane")).scrollTop = 0;
    if (matchMedia(stacked).matches) bringToView(section);
  }

  /**
   * @param {Kind} kind
   * @param {string} text
   */
  why(kind, text) {
    const line = document.querySelector(`[data-not-run="${kind}"] [data-why]`);
    if (line) line.textContent = text || untouched[kind];
  }

  /** Brings what depends on the shown results in line with them. */
  settle() {
    let missing = 0;
    for (const line of document.querySelectorAll("[data-not-run]")) {
      if (!(line instanceof HTMLElement)) continue;
      line.hidden = this.host.querySelector(`[data-slot="${line.dataset.notRun}"]`) !== null;
      if (!line.hidden) missing++;
    }
    /** @type {HTMLElement} */ (document.getElementById("not-run")).hidden = missing === 0;
    const nothing = this.host.querySelector("[data-export]") === null;
    this.exportButton.disabled = nothing;
    this.exportWhy.hidden = !nothing;
  }

  /**
   * Adds the row of a stored record to the history, whether its result is shown or not.
   * @param {DocumentFragment} answer
   */
  remember(answer) {
    const row = answer.querySelector("template[data-row]");
    const body = document.getElementById("record-rows");
    if (!(row instanceof HTMLTemplateElement) || !body) return;
    body.prepend(row.content.cloneNode(true));
    while (body.children.length > recent) body.lastElementChild?.remove();
    /** @type {HTMLElement} */ (document.getElementById("history-table")).hidden = false;
    /** @type {HTMLElement} */ (document.getElementById("history-empty")).hidden = true;
  }
}

/** @param {HTMLElement} section */
function bringToView(section) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
}

/**
 * Writes the state of the page into its header and its title.
 * @param {{tone: string, icon: string, word: string, says: string}} state
 */
export function showState(state) {
  const head = /** @type {HTMLElement} */ (document.getElementById("head-state"));
  const badge = document.createElement("span");
  badge.className = "badge " + state.tone;
  const word = document.createElement("span");
  word.className = "word";
  word.textContent = state.word;
  badge.append(symbol(state.icon), word);
  const says = document.createElement("span");
  says.className = "says";
  says.textContent = state.says;
  head.replaceChildren(badge, says);
  document.title = `${state.word} – ${document.querySelector("h1")?.textContent} – Parley`;
}
