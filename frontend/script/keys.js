// @ts-check
// The handlers' end of the shortcut table. The table itself comes with the page; a key that is not in it does nothing.

/**
 * @typedef {{id: string, keys: string[], scope: string, text: string, editor?: boolean}} Shortcut
 */

const storage = "parley-single-keys";
const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** @type {Map<string, (event: KeyboardEvent) => void>} */
const handlers = new Map();

/**
 * Says what a shortcut of the table does on this page.
 * @param {string} id
 * @param {(event: KeyboardEvent) => void} handler
 */
export function onShortcut(id, handler) {
  handlers.set(id, handler);
}

/** Starts listening. Call it once. */
export function startKeys() {
  /** @type {Shortcut[]} */
  const table = JSON.parse(document.body.dataset.shortcuts || "[]");
  // Capture: the editor must not see a key that the table gives to the page.
  document.addEventListener("keydown", (event) => dispatch(table, event), true);
}

/**
 * @param {Shortcut[]} table
 * @param {KeyboardEvent} event
 */
function dispatch(table, event) {
  const pressed = nameOf(event);
  const row = table.find((s) => !s.editor && s.keys.includes(pressed) && inScope(s, event));
  const handler = row && handlers.get(row.id);
  if (!handler) return;
  event.preventDefault();
  event.stopPropagation();
  handler(event);
}

/**
 * The key as the table writes it: "Mod+Enter", "Shift+F8", "?".
 * @param {KeyboardEvent} event
 */
function nameOf(event) {
  let name = event.key.length === 1 && (event.ctrlKey || event.metaKey) ? event.key.toUpperCase() : event.key;
  if (event.shiftKey && name.length > 1) name = "Shift+" + name;
  if (event.altKey) name = "Alt+" + name;
  if (mac ? event.metaKey : event.ctrlKey) name = "Mod+" + name;
  else if (event.ctrlKey || event.metaKey) name = "Other+" + name;
  return name;
}

/**
 * @param {Shortcut} shortcut
 * @param {KeyboardEvent} event
 */
function inScope(shortcut, event) {
  const target = event.target instanceof Element ? event.target : document.body;
  const dialog = document.querySelector("dialog[open]");
  if (dialog) return false; // the top-most dialog has the keys
  switch (shortcut.scope) {
    case "anywhere":
      return true;
    case "runner lab":
      return document.body.dataset.screen === "runner";
    case "sessions":
      return document.body.dataset.screen === "sessions";
    case "outside text":
      return singleKeys() && !inText(target);
    case "list":
      return (singleKeys() || event.key.length > 1) && (target.closest("[data-list]") !== null || isFree(target, event)) && !inText(target);
  }
  return false;
}

/**
 * On the page that is a list, a letter needs no focus; arrow keys without one scroll.
 * @param {Element} target
 * @param {KeyboardEvent} event
 */
function isFree(target, event) {
  return ["runs", "runtimes", "sessions"].includes(document.body.dataset.screen || "") && event.key.length === 1 && target.closest("a, button, summary") === null;
}

/** @param {Element} target */
function inText(target) {
  return target.closest("input, textarea, select, [contenteditable=true]") !== null;
}

/** Whether keys without a modifier work; a person can switch them off (WCAG 2.1.4). */
export function singleKeys() {
  try {
    return localStorage.getItem(storage) !== "off";
  } catch {
    return true;
  }
}

/** @param {boolean} on */
export function setSingleKeys(on) {
  try {
    if (on) localStorage.removeItem(storage);
    else localStorage.setItem(storage, "off");
  } catch {
    // Then the choice cannot be kept.
  }
}
