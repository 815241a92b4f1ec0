// @ts-check
// The draft behind the editor: saved a moment after each edit, so that a reload loses nothing.
import { call, failureOf } from "./call.js";

const rest = 400; // ms without an edit before the text is sent
const keepaliveLimit = 60_000; // bytes; a browser refuses a keepalive body above 64 KiB

export class Draft {
  /**
   * @param {string} name
   * @param {string} base the text that needs no draft
   * @param {boolean} stored a draft is stored already
   * @param {(state: string) => void} tell called with what to show: "draft saved" or why not
   */
  constructor(name, base, stored, tell) {
    this.path = "/api/v1/lab/drafts/" + encodeURIComponent(name);
    this.base = base;
    this.stored = stored;
    this.tell = tell;
    this.timer = 0;
    /** @type {string | null} the text that is not saved yet */
    this.unsaved = null;
    window.addEventListener("pagehide", () => this.flush());
  }

  /** @param {string} text */
  save(text) {
    this.unsaved = text;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.send(false), rest);
  }

  flush() {
    if (this.unsaved === null) return;
    window.clearTimeout(this.timer);
    void this.send(new TextEncoder().encode(this.unsaved).length < keepaliveLimit);
  }

  /** @param {boolean} keepalive */
  async send(keepalive) {
    const text = this.unsaved;
    if (text === null) return;
    this.unsaved = null;
    try {
      if (text === this.base) await this.drop(keepalive);
      else await this.put(text, keepalive);
      if (this.unsaved === null) this.tell(text === this.base ? "" : "draft saved");
    } catch (caught) {
      this.unsaved ??= text;
      this.tell("draft not saved: " + failureOf(caught).message);
    }
  }

  /**
   * @param {string} text
   * @param {boolean} keepalive
   */
  async put(text, keepalive) {
    this.stored = true; // one may be from now on, also when the answer is lost
    await call("PUT", this.path, { body: text, keepalive, headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }

  /** @param {boolean} keepalive */
  async drop(keepalive) {
    if (!this.stored) return;
    this.stored = false; // before the call: an edit during it may store one again
    try {
      await call("DELETE", this.path, { keepalive });
    } catch (caught) {
      const failure = failureOf(caught);
      if (failure.code === "not_found" || failure.code === "http_404") return;
      this.stored = true;
      throw failure;
    }
  }
}
