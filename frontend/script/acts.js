// @ts-check
// The three acts on the request. Starting one clears its own earlier result; an answer that comes after a newer edit or
// act is not shown; a failed call shows the error and no older result.
import { showBusy } from "./busy.js";
import { call, CallFailure, failureOf, textOf } from "./call.js";
import { failureSection } from "./failure.js";
import { showState } from "./results.js";
import { clock, say } from "./status.js";

/**
 * @typedef {import("./results.js").Kind} Kind
 * @typedef {{kind: Kind, id: string, number: number, edit: number}} Act
 */

const cancelWait = 15_000; // ms until a cancel without an answer is called not confirmed

export class Acts {
  /**
   * @param {object} options
   * @param {() => string} options.text the exact text of the editor
   * @param {() => number} options.edit the number of the newest edit
   * @param {(kind: Kind) => string} options.words what an act does now, "Running berth-7, trial 3"
   * @param {import("./results.js").Results} options.results
   * @param {() => void} options.changed called when an act begins or ends
   */
  constructor(options) {
    this.options = options;
    this.number = 0;
    /** @type {Act | null} the run that is active */
    this.running = null;
    this.note = "";
    this.cancelTimer = 0;
    window.addEventListener("beforeunload", (event) => {
      if (this.running) event.preventDefault();
    });
  }

  /** @param {Kind} kind */
  async start(kind) {
    if (this.running) return;
    const { results, edit, text, words } = this.options;
    /** @type {Act} */
    const act = { kind, id: newId(), number: ++this.number, edit: edit() };
    const sent = text();
    results.begin(kind);
    if (kind === "run") this.running = act;
    const button = /** @type {HTMLElement} */ (document.querySelector(`[data-run-act="${kind}"]`));
    const done = showBusy(button, (note) => this.tell(note), words(kind));
    this.tell("");
    this.options.changed();
    try {
      this.take(act, await answerOf(act, sent));
    } catch (caught) {
      this.fail(act, failureOf(caught));
    } finally {
      done();
      this.end(act);
    }
  }

  /** @param {Act} act */
  end(act) {
    if (this.running === act) {
      this.running = null;
      window.clearTimeout(this.cancelTimer);
    }
    if (!this.running) this.tell("");
    this.options.changed();
  }

  /**
   * Whether an answer still belongs to what the page shows.
   * @param {Act} act
   */
  current(act) {
    return act.number === this.number && act.edit === this.options.edit();
  }

  /**
   * @param {Act} act
   * @param {DocumentFragment} answer
   */
  take(act, answer) {
    const { results } = this.options;
    const report = /** @type {HTMLElement} */ (answer.querySelector(`section.report[data-act="${act.kind}"]`));
    results.remember(answer);
    if (!this.current(act)) {
      results.why(act.kind, "answered for an earlier text; that result is in the history.");
      say(`A late answer was put into the history only: ${report.dataset.line}`);
      return;
    }
    results.show(act.kind, report);
    showState({
      tone: report.dataset.tone || "neutral", icon: report.dataset.icon || "unchecked",
      word: report.dataset.word || "", says: report.dataset.says || "",
    });
    say(`Answered ${clock()}: ${report.dataset.line}`);
  }

  /**
   * @param {Act} act
   * @param {CallFailure} failure
   */
  fail(act, failure) {
    if (!this.current(act)) {
      say(`A call for an earlier text failed: ${failure.message}`);
      return;
    }
    const section = failureSection(act.kind, failure);
    this.options.results.why(act.kind, `the call failed at ${clock()}.`);
    this.options.results.show(act.kind, section);
    showState({ tone: "problem", icon: "problem", word: "Call failed", says: failure.message });
    say(`Failed ${clock()}: ${failure.message}`);
  }

  /** Asks for the end of the active run. The answer to the run confirms it. */
  async cancel() {
    const act = this.running;
    if (!act) return;
    const asked = `Cancel asked ${clock()}`;
    this.tell(asked + ".");
    say(asked + ".");
    this.cancelTimer = window.setTimeout(() => {
      if (this.running === act) this.tell(asked + ", not confirmed: whether the engine still works is not known.");
    }, cancelWait);
    try {
      await call("DELETE", "/api/v1/lab/runner/acts/" + encodeURIComponent(act.id));
    } catch (caught) {
      if (this.running === act) this.tell(`${asked}, but not taken: ${failureOf(caught).message}`);
    }
  }

  /** @param {string} note */
  tell(note) {
    this.note = note;
    this.options.changed();
  }
}

/**
 * @param {Act} act
 * @param {string} text
 * @returns {Promise<DocumentFragment>}
 */
async function answerOf(act, text) {
  const response = await call("POST", "/api/v1/lab/runner/" + act.kind, { body: text, headers: { "Parley-Act": act.id } });
  const template = document.createElement("template");
  template.innerHTML = await textOf(response, "text/html"); // our own route; every value in it is escaped there
  if (!template.content.querySelector(`section.report[data-act="${act.kind}"]`)) {
    throw new CallFailure("not_a_report", "The answer is not a report of this act.", false);
  }
  return template.content;
}

function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}
