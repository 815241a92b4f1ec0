// @ts-check
// Asks the runner what it sees in the request: shape, errors, the unit and what running it would cost. Stores nothing.
import { call, failureOf, jsonOf } from "./call.js";

const rest = 250; // ms without an edit before the runner is asked

/**
 * @typedef {object} Inspection
 * @property {"compact" | "complete" | "unknown"} shape
 * @property {import("./problems.js").Finding[]} findings
 * @property {number} more
 * @property {number} bytes
 * @property {{task: string, shard: string, trial: number, attempt: number} | null} unit
 * @property {string} profile
 * @property {string} mode
 * @property {boolean} paid
 * @property {boolean} offered this program executes the profile
 */

export class Inspector {
  /**
   * @param {(inspection: Inspection) => void} tell
   * @param {(failure: import("./call.js").CallFailure) => void} fail
   */
  constructor(tell, fail) {
    this.tell = tell;
    this.fail = fail;
    this.number = 0;
    this.timer = 0;
  }

  /**
   * Asks about a text after a rest; what was asked before is forgotten, also its late answer.
   * @param {string} text
   * @param {number} [wait]
   */
  ask(text, wait = rest) {
    const mine = ++this.number;
    window.clearTimeout(this.timer);
    if (text === "") return;
    this.timer = window.setTimeout(async () => {
      try {
        const answer = await jsonOf(await call("POST", "/api/v1/lab/runner/inspect", { body: text }));
        if (mine === this.number) this.tell(answer);
      } catch (caught) {
        if (mine === this.number) this.fail(failureOf(caught));
      }
    }, wait);
  }
}
