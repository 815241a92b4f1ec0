// @ts-check
// What the page shows of the Runtimes is asked for anew every few seconds, unless the page is hidden or a person paused
// it. What could not be asked for is said to be old, never taken for a state.
import { call, failureOf, textOf } from "./call.js";
import { morph } from "./morph.js";
import { clock, say } from "./status.js";

const every = 5000; // ms
const soon = 1000; // after a person asked for a change
const parts = ["rail-state", "head-state", "runtimes-list", "runtime-detail"];

const stacked = "(max-width: 900px)"; // as in narrow.css: the facts stand below the list

let timer = 0;
let asked = 0; // number of the newest question
let paused = false;
let seen = clock(); // when what is shown was asked for
let open = "";

/** Starts asking on a page that shows Runtimes. Call it once. */
export function startLive() {
  if (!document.getElementById("rail-state")) return;
  const at = location.pathname.match(/^\/runtimes\/([^/]+)$/);
  open = at ? decodeURIComponent(at[1]) : "";
  document.addEventListener("visibilitychange", () => (document.hidden ? window.clearTimeout(timer) : void look()));
  document.addEventListener("click", choose);
  later();
}

function later() {
  window.clearTimeout(timer);
  if (!document.hidden && !paused) timer = window.setTimeout(look, every);
}

/** Asks now. */
async function look() {
  const number = ++asked;
  window.clearTimeout(timer);
  if (paused) return;
  try {
    const answer = await partsOf(await call("GET", address()));
    if (number !== asked) return;
    take(answer);
  } catch (caught) {
    if (number !== asked) return;
    lose(failureOf(caught).message);
  }
  later();
}

function address() {
  if (document.body.dataset.screen !== "runtimes") return "/api/v1/lab/runtimes/rail";
  return "/api/v1/lab/runtimes/screen" + (open ? "?device=" + encodeURIComponent(open) : "");
}

/** @param {Response} response */
async function partsOf(response) {
  const template = document.createElement("template");
  template.innerHTML = await textOf(response, "text/html"); // our own route; every value in it is escaped there
  return template.content;
}

/** @param {DocumentFragment} answer */
function take(answer) {
  seen = clock();
  note("");
  for (const id of parts) {
    const from = document.getElementById(id);
    const to = answer.querySelector("#" + id);
    if (from && to) morph(from, to);
  }
  const whole = answer.querySelector("[data-title]");
  if (!(whole instanceof HTMLElement) || document.title === whole.dataset.title) return;
  document.title = whole.dataset.title || "";
  say(whole.dataset.says || "");
}

/** @param {string} why */
function lose(why) {
  note(`This is what was known at ${seen}; it could not be asked for again. ${why}`);
  const badge = document.querySelector("#rail-state .badge");
  if (!badge) return;
  badge.className = "badge neutral";
  badge.querySelector("use")?.setAttribute("href", "#i-unknown");
  const word = badge.querySelector(".word");
  if (word) word.textContent = "not known";
  const link = document.getElementById("rail-state");
  link?.setAttribute("aria-label", "Runtimes: not known");
  link?.setAttribute("title", "The lab did not answer.");
}

/** @param {string} text */
function note(text) {
  const line = document.getElementById("live-note");
  if (!line) return;
  line.hidden = text === "";
  line.textContent = text;
}

/**
 * Pauses or goes on.
 * @param {HTMLElement} button
 */
export function switchLive(button) {
  paused = !paused;
  asked++; // an answer that is under way is not shown
  window.clearTimeout(timer);
  button.setAttribute("aria-pressed", String(paused));
  note(paused ? `Updates are paused: this is what was known at ${seen}.` : "");
  say(paused ? "Updates are paused." : "Updates go on.");
  if (!paused) void look();
}

/**
 * A Runtime of the list opens beside it, without a new page.
 * @param {MouseEvent} event
 */
function choose(event) {
  const link = event.target instanceof Element ? event.target.closest("a[data-open]") : null;
  if (!(link instanceof HTMLAnchorElement) || paused || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open = link.dataset.open || "";
  history.replaceState(null, "", link.href);
  void look().then(() => {
    if (matchMedia(stacked).matches) document.getElementById("runtime-detail")?.scrollIntoView({ block: "start" });
  });
}

/**
 * Wakes the lab's own Runtime. What comes of it is what the page then shows.
 * @param {HTMLElement} button
 */
export async function wake(button) {
  button.setAttribute("aria-busy", "true");
  try {
    await call("POST", "/api/v1/lab/runtimes/own/wake");
    say(`Wake asked ${clock()}.`);
    await look();
    if (!paused && !document.hidden) {
      window.clearTimeout(timer);
      timer = window.setTimeout(look, soon);
    }
  } catch (caught) {
    note("The Runtime was not woken. " + failureOf(caught).message);
  } finally {
    button.removeAttribute("aria-busy");
  }
}
