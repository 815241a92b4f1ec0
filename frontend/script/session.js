// @ts-check
// The page of one Session: it is told that something changed, asks for what is shown and takes it in. A hidden page asks
// for nothing; one that lost the lab says so quietly and tries again.
import { call, failureOf, textOf } from "./call.js";
import { morph } from "./morph.js";
import { startForms } from "./session_form.js";
import { clock, say } from "./status.js";

const every = 5000; // ms: what changes without an event, such as the age of a heartbeat
const slow = 10_000; // ms of a lost connection after which the page says so above its content
const waits = [1000, 2000, 4000, 8000]; // ms before the attempts to connect again

let session = "";
let shown = 0; // number of the last event that is shown
let asking = false;
let again = false;
let seen = clock();
let lost = 0; // when the connection was lost, by performance.now; 0: it is there
let attempt = 0;
let timer = 0;
let retry = 0;
let gone = false;

/** @type {EventSource | null} */
let source = null;

/** Starts the Sessions screens. Call it once. */
export function startSession() {
  if (document.body.dataset.screen !== "sessions") return;
  const panes = document.querySelector("[data-session]");
  startForms(panes ? refresh : async () => {});
  if (!(panes instanceof HTMLElement)) return;
  session = panes.dataset.session || "";
  shown = Number(panes.dataset.seq);
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : listen()));
  addEventListener("pagehide", rest);
  addEventListener("pageshow", () => document.hidden || listen());
  if (!document.hidden) listen();
}

function path() {
  return "/api/v1/lab/sessions/" + encodeURIComponent(session);
}

/** Listens for changes; what was missed is asked for by the first event. */
function listen() {
  if (source || gone) return;
  window.clearTimeout(retry);
  source = new EventSource(path() + "/live");
  source.addEventListener("changed", (event) => {
    if (lost) found();
    if (JSON.parse(event.data).seq > shown) void refresh();
  });
  source.addEventListener("gone", () => {
    gone = true;
    rest();
    note("This Session was deleted. What is shown is what was known of it.");
  });
  source.addEventListener("error", lose);
  window.clearInterval(timer);
  timer = window.setInterval(() => void refresh(), every);
}

/** Stops asking. */
function rest() {
  source?.close();
  source = null;
  window.clearInterval(timer);
  window.clearTimeout(retry);
}

function lose() {
  source?.close();
  source = null;
  lost ||= performance.now();
  const wait = waits[Math.min(attempt, waits.length - 1)];
  attempt++;
  quiet(`Reconnecting: attempt ${attempt} at ${clock(new Date(Date.now() + wait))}.`);
  if (performance.now() - lost > slow) note(`The lab does not answer. This is what was known at ${seen}.`);
  window.clearTimeout(retry);
  if (!document.hidden) retry = window.setTimeout(listen, wait);
}

function found() {
  lost = 0;
  attempt = 0;
  note("");
  quiet("Connected again.");
}

/**
 * In the status line, without an announcement.
 * @param {string} text
 */
function quiet(text) {
  const line = document.getElementById("status-shown");
  if (line) line.textContent = text;
}

/** Asks for what is shown; while an answer is under way once more after it. */
async function refresh() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    const template = document.createElement("template");
    template.innerHTML = await textOf(await call("GET", `${path()}/screen?from=${from()}`), "text/html"); // our own route; every value in it is escaped there
    take(template.content);
  } catch (caught) {
    if (!lost) quiet("Not up to date: " + failureOf(caught).message);
  } finally {
    asking = false;
  }
  if (!again) return;
  again = false;
  await refresh();
}

/** Whether the newest Turns are shown. */
function latest() {
  return document.querySelector("[data-session][data-latest]") !== null;
}

/** The number of the first Turn that may change: the first that has not ended, or the last one. */
function from() {
  if (!latest()) return String(Number.MAX_SAFE_INTEGER); // what is shown has ended
  const turns = [...document.querySelectorAll("#turns > .turn")].map((e) => /** @type {HTMLElement} */ (e));
  const open = turns.find((t) => t.dataset.ended === undefined) ?? turns.at(-1);
  return open?.dataset.number ?? "1";
}

/** @param {DocumentFragment} answer */
function take(answer) {
  const whole = answer.querySelector("[data-title]");
  if (!(whole instanceof HTMLElement)) return;
  seen = clock();
  const held = document.activeElement;
  shown = Math.max(shown, Number(whole.dataset.seq));
  for (const id of ["head-state", "composer", "session-side"]) {
    const here = document.getElementById(id);
    const there = answer.querySelector("#" + id);
    if (here && there) morph(here, there);
  }
  for (const turn of answer.querySelectorAll(".turn")) takeTurn(turn);
  if (held && !held.isConnected) document.getElementById("message")?.focus({ preventScroll: true }); // what had it has done its work
  if (document.title === whole.dataset.title) return;
  document.title = whole.dataset.title || "";
  say(whole.dataset.says || "");
}

/** @param {Element} turn */
function takeTurn(turn) {
  const here = document.getElementById(turn.id);
  if (here) return morph(here, turn);
  if (!latest()) return;
  document.getElementById("no-turns")?.remove();
  document.getElementById("turns")?.append(document.importNode(turn, true));
}

/** @param {string} text */
function note(text) {
  const line = document.getElementById("session-note");
  if (!line) return;
  line.hidden = text === "";
  line.textContent = text;
}

/**
 * Asks for the cancel of the Turn that runs. What comes of it is what the page then shows.
 * @param {HTMLElement} button
 */
export async function cancelTurn(button) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  say(`Cancel asked ${clock()}.`);
  const turn = button.dataset.turn || "";
  try {
    await call("POST", button.dataset.path || "", { body: JSON.stringify({ turn, key: "cancel-" + turn }) });
    note("");
  } catch (caught) {
    const failure = failureOf(caught);
    const means = failure.refused ? "The Turn was not cancelled." : "It is not known whether the cancel was taken; asking again is the same act.";
    note(`${means} ${failure.message}`);
    say(means);
  } finally {
    button.removeAttribute("aria-busy");
  }
  await refresh();
}
