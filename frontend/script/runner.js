// @ts-check
// The runner contract lab: the parts and how they hang together.
import { json } from "@codemirror/lang-json";
import { Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { Acts } from "./acts.js";
import { adoptStyles } from "./adopted_styles.js";
import { call, exactText, failureOf } from "./call.js";
import { Captured } from "./captured.js";
import { completion } from "./complete.js";
import { copyText } from "./copy.js";
import { Draft } from "./draft.js";
import { openFiles, takeFiles } from "./drop.js";
import { from, makeEditor, replaceText } from "./editor.js";
import { format } from "./format.js";
import { Inspector } from "./inspect.js";
import { onShortcut } from "./keys.js";
import { exportNewest, ready } from "./page.js";
import { Problems } from "./problems.js";
import { startExportNotice } from "./recorded.js";
import { Results, showState } from "./results.js";
import { clock, say } from "./status.js";
import { showVerdict } from "./summary.js";
import { selectTab, startTabs } from "./tabs.js";
import { showToolbar } from "./toolbar.js";

adoptStyles();
const lab = byId("lab");
const base = await textOf("base");
const opened = "text" in lab.dataset || "textFrom" in lab.dataset ? await textOf("text") : base;
let edit = 0;
/** @type {import("./inspect.js").Inspection | null} */
let inspection = null;
let blind = "";
let saved = "";

const request = makeEditor({
  host: /** @type {HTMLElement} */ (document.querySelector("[data-editor=request]")),
  text: opened,
  label: "Request JSON",
  language: [json(), escapes()],
  more: completion({
    capabilities: JSON.parse(lab.dataset.capabilities || "[]"),
    versions: ["1.0"],
    schemas: JSON.parse(lab.dataset.schemas || "[]"),
  }),
  onChange: edited,
});
const captured = [new Captured("eval", request), new Captured("task", request)];
const problems = new Problems({ request, eval: captured[0].view, task: captured[1].view });
const results = new Results();
const draft = new Draft(lab.dataset.draft || "draft", base, opened !== base, (state) => {
  saved = state;
  showAll();
});
const inspector = new Inspector(inspected, (failure) => {
  blind = failure.message;
  showAll();
});
const showExport = startExportNotice(request, (text) => replaceText(request, text));
const acts = new Acts({ text: requestText, edit: () => edit, words, results, changed: showAll });

/** @param {import("@codemirror/view").ViewUpdate} update */
function edited(update) {
  edit++;
  inspection = null;
  blind = "";
  results.clear();
  const text = requestText();
  draft.save(text);
  inspector.ask(text);
  const origin = update.transactions.map((t) => t.annotation(from)).find(Boolean);
  for (const pane of captured) if (pane.name !== origin) pane.take();
  if (text === "") problems.show([], 0);
  showState(acts.running ? runningState() : editedState(text));
  showAll();
}

/** @param {import("./inspect.js").Inspection} found */
function inspected(found) {
  inspection = found;
  problems.show(found.findings, found.more);
  const all = found.findings.length + found.more;
  const silent = results.host.childElementCount === 0 && !acts.running;
  if (all > 0 && silent) {
    const word = all === 1 ? "1 error" : all + " errors";
    showState({ tone: "problem", icon: "problem", word, says: "The request is not right yet; nothing was executed." });
  }
  showAll();
}

function showAll() {
  const text = requestText();
  showExport();
  const empty = text === "";
  byId("panel-request").classList.toggle("is-empty", empty);
  byId("empty-request").hidden = !empty;
  byId("offers").hidden = !empty;
  const copied = document.getElementById("edited");
  if (copied) copied.hidden = text === base;
  byId("copy-link").dataset.note = text === base ? "" : ` The link names ${lab.dataset.baseWord}, not your edit.`;
  showToolbar({ empty, inspection, blind, running: acts.running !== null, note: acts.note });
  showVerdict({ doc: request.state.doc, empty, inspection, blind, saved, problems });
}

/** @param {string} text */
function editedState(text) {
  const says = text === "" ? "No request; nothing has been checked, validated or run."
    : `Edited at ${clock()}; nothing has been checked, validated or run since.`;
  return { tone: "neutral", icon: "unchecked", word: "Not run", says };
}

function runningState() {
  return { tone: "neutral", icon: "clock", word: "Running", says: "A run is active; its answer will go into the history, because the request was edited." };
}

/** @param {"negotiate" | "validate" | "run"} kind */
function words(kind) {
  if (kind === "negotiate") return "Checking compatibility";
  if (kind === "validate") return "Validating exact work";
  return "Running " + unitWords();
}

function unitWords() {
  const unit = inspection?.unit;
  return (unit ? `${unit.task}, trial ${unit.trial}` : "the selected unit") + limitWords();
}

/** The request's own time limit; the captured texts may set a shorter one. */
function limitWords() {
  try {
    const limit = JSON.parse(requestText()).timeout_ms;
    return typeof limit === "number" ? `, limit ${limit < 1000 ? limit + " ms" : limit / 1000 + " s"}` : "";
  } catch {
    return "";
  }
}

/** @param {"negotiate" | "validate" | "run"} kind */
function act(kind) {
  const button = /** @type {HTMLButtonElement} */ (document.querySelector(`[data-run-act="${kind}"]`));
  if (button.disabled) return say(byId("acts-note").textContent || "");
  if (kind !== "negotiate" && !inspection) return say("The request is still being looked at; use the button again.");
  void acts.start(kind);
  if (kind !== "run") return;
  showState({ tone: "neutral", icon: "clock", word: "Running", says: unitWords() + "; free, on the mock engine. Leaving the page cancels it." });
  say(`Run started ${clock()}.`);
}

/**
 * @param {string} text
 * @param {string} name
 */
function loadFile(text, name) {
  selectTab("request");
  replaceText(request, text);
  request.focus();
  say(`Loaded ${name}; undo gives the former text back.`);
}

function formatRequest() {
  const text = format(requestText());
  if (text === null) return say("Not formatted: the text is not made of whole JSON tokens. Nothing was changed.");
  replaceText(request, text);
  say("Formatted: white space only.");
}

/** Gives the line breaks inside captured texts a colour of their own. */
function escapes() {
  const matcher = new MatchDecorator({
    regexp: /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g, decoration: Decoration.mark({ class: "tok-escape" }),
  });
  return ViewPlugin.define((view) => ({
    decorations: matcher.createDeco(view),
    update(u) {
      this.decorations = matcher.updateDeco(u, this.decorations);
    },
  }), { decorations: (v) => v.decorations });
}

function requestText() {
  return request.state.doc.toString();
}

/**
 * A text that the page carries, or a large one from where it is stored. Without it there is no editor: an empty one
 * would be saved over the text.
 * @param {"text" | "base"} name
 * @returns {Promise<string>}
 */
async function textOf(name) {
  const path = lab.dataset[name + "From"];
  if (path === undefined) return JSON.parse(lab.dataset[name] || '""');
  try {
    return await exactText(await call("GET", path));
  } catch (caught) {
    const says = `The stored text could not be loaded: ${failureOf(caught).message} Reload the page to try again.`;
    showState({ tone: "problem", icon: "problem", word: "Not loaded", says });
    say(says);
    throw caught;
  }
}

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

startTabs();
for (const button of document.querySelectorAll("[data-run-act]")) {
  if (button instanceof HTMLElement) button.addEventListener("click", () => act(/** @type {any} */ (button.dataset.runAct)));
}
byId("cancel").addEventListener("click", () => acts.cancel());
byId("export").addEventListener("click", exportNewest);
byId("format").addEventListener("click", formatRequest);
byId("copy-request").addEventListener("click", (event) => copyText(requestText(), "request", /** @type {HTMLElement} */ (event.currentTarget)));
document.getElementById("revert")?.addEventListener("click", () => {
  replaceText(request, base);
  say("Reverted; undo gives your edit back.");
  request.focus();
});
takeFiles(byId("request-pane"), loadFile);
openFiles(loadFile);
onShortcut("check", () => act("negotiate"));
onShortcut("validate", () => act("validate"));
onShortcut("next-error", () => problems.step(1));
onShortcut("previous-error", () => problems.step(-1));
inspector.ask(requestText(), 0);
results.settle();
showAll();
void ready();
