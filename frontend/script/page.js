// @ts-check
// What every page does: theme, keys, palette, copying, dialogs, and telling the lab that the page is ready.
import { call } from "./call.js";
import { copyFrom, copyText } from "./copy.js";
import { onShortcut, setSingleKeys, singleKeys, startKeys } from "./keys.js";
import { startList } from "./list.js";
import { startLive, switchLive, wake } from "./live.js";
import { startMenus } from "./menu.js";
import { openPalette, startPalette } from "./palette.js";
import { saveText } from "./save.js";
import { cancelTurn, startSession } from "./session.js";
import { startSplitters } from "./splitter.js";
import { say } from "./status.js";
import { shownTheme, switchTheme, wordTheme } from "./theme_switch.js";

/** Starts everything that pages share. The module does it by itself, once. */
function startPage() {
  wordTheme();
  startKeys();
  startPalette();
  startSplitters();
  startList();
  startMenus();
  startLive();
  startSession();
  onShortcut("sheet", openSheet);
  onShortcut("palette", openPalette);
  onShortcut("export", exportNewest);
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest("[data-do], [data-copy], [data-copy-from], [data-save]");
    if (button instanceof HTMLElement) press(button);
    closeMenus(target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
  });
  const single = document.getElementById("single-keys");
  if (single instanceof HTMLInputElement) {
    single.checked = singleKeys();
    single.addEventListener("change", () => setSingleKeys(single.checked));
  }
}

/** @param {HTMLElement} button */
function press(button) {
  if (button.dataset.save !== undefined) return saveText(button.dataset.save, button.dataset.name || "answer.json");
  if (button.dataset.copy !== undefined || button.dataset.copyFrom) return copyFrom(button);
  switch (button.dataset.do) {
    case "theme":
      return switchTheme();
    case "sheet":
      return openSheet();
    case "palette":
      return openPalette();
    case "live":
      return switchLive(button);
    case "cancel-turn":
      return cancelTurn(button);
    case "wake":
      return wake(button);
    case "close":
      return button.closest("dialog")?.close();
    case "copy-link":
      return copyText(location.origin + (button.dataset.path || location.pathname), "link", button);
  }
}

function openSheet() {
  const sheet = document.getElementById("sheet");
  if (sheet instanceof HTMLDialogElement && !sheet.open) sheet.showModal();
}

/** Exports the newest answer that the page shows. */
export function exportNewest() {
  const way = document.querySelector("[data-export-first], [data-export]");
  if (way instanceof HTMLElement) way.click();
  else say("Nothing to export yet.");
}

/** @param {Element | null} except */
function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (except && menu.contains(except)) continue;
    const held = menu.contains(document.activeElement);
    menu.removeAttribute("open");
    if (held && !except) menu.querySelector("summary")?.focus();
  }
}

/** Tells the lab that a person can use the page now. */
export async function ready() {
  const screen = document.body.dataset.screen || "";
  document.documentElement.dataset.ready = screen || "none";
  if (!screen) return;
  try {
    await call("POST", "/api/v1/lab/ready", { body: JSON.stringify({ screen, theme: shownTheme() }) });
  } catch {
    // A note for the log only; the page works without it.
  }
}

startPage();
if (document.body.dataset.screen !== "runner") void ready();
