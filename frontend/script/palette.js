// @ts-check
import { call, failureOf, jsonOf } from "./call.js";
import { rowWords } from "./verdict_words.js";

/**
 * @typedef {{path: string, word: string, kind: string, icon: string}} Place
 */

/** @type {Place[]} */
let places = [];
let selected = 0;
/** @type {Place[]} */
let shown = [];

/** Opens the palette and asks for the newest records. */
export async function openPalette() {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("palette"));
  if (dialog.open) return;
  places = JSON.parse(document.body.dataset.places || "[]");
  input().value = "";
  note("");
  dialog.showModal();
  render();
  try {
    const { records } = await jsonOf(await call("GET", "/api/v1/lab/records?limit=20"));
    places = places.concat(records.map(placeOf));
    render();
  } catch (caught) {
    note("Records are not listed: " + failureOf(caught).message);
  }
}

/** Listens inside the palette. Call it once. */
export function startPalette() {
  input().addEventListener("input", () => {
    selected = 0;
    render();
  });
  input().addEventListener("keydown", move);
  list().addEventListener("click", (event) => {
    const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
    if (option instanceof HTMLElement) go(Number(option.dataset.index));
  });
}

/** @param {KeyboardEvent} event */
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    selected = Math.max(0, Math.min(shown.length - 1, selected + step));
    render();
  } else if (event.key === "Enter") {
    go(selected);
  } else {
    return;
  }
  event.preventDefault();
}

/** @param {number} index */
function go(index) {
  const place = shown[index];
  if (place) location.assign(place.path);
}

function render() {
  const asked = input().value.trim();
  const link = pasted(asked);
  const words = asked.toLowerCase().split(/\s+/);
  const fits = (/** @type {Place} */ p) => words.every((w) => (p.kind + " " + p.word + " " + p.path).toLowerCase().includes(w));
  shown = link ? [link] : places.filter(fits);
  selected = Math.min(selected, Math.max(0, shown.length - 1));
  list().replaceChildren(...shown.map(option));
  input().setAttribute("aria-activedescendant", shown.length ? "place-" + selected : "");
  list().children[selected]?.scrollIntoView({ block: "nearest" });
  if (asked && shown.length === 0) note("Nothing has these words. Paste a link of this lab to follow it.");
  else if (asked) note("");
}

/**
 * A pasted link of this lab, or nothing. Links elsewhere are not followed.
 * @param {string} text
 * @returns {Place | null}
 */
function pasted(text) {
  if (!text.startsWith("/") && !/^https?:/.test(text)) return null;
  try {
    const url = new URL(text, location.origin);
    if (url.origin !== location.origin) return null;
    const path = url.pathname + url.search + url.hash;
    return { path, word: "Go to " + path, kind: "link", icon: "link" };
  } catch {
    return null;
  }
}

/**
 * @param {import("./verdict_words.js").Line} record
 * @returns {Place}
 */
function placeOf(record) {
  return { path: "/runs/" + encodeURIComponent(record.id), word: rowWords(record), kind: "record", icon: "history" };
}

/**
 * @param {Place} place
 * @param {number} index
 */
function option(place, index) {
  const item = document.createElement("li");
  item.id = "place-" + index;
  item.dataset.index = String(index);
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(index === selected));
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "i");
  icon.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", "#i-" + place.icon);
  icon.append(use);
  const word = document.createElement("span");
  word.className = "cut";
  word.textContent = place.word;
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = place.kind;
  item.append(icon, word, kind);
  return item;
}

/** @param {string} text */
function note(text) {
  const line = document.getElementById("palette-note");
  if (line) line.textContent = text;
}

function input() {
  return /** @type {HTMLInputElement} */ (document.getElementById("palette-input"));
}

function list() {
  return /** @type {HTMLElement} */ (document.getElementById("palette-list"));
}
