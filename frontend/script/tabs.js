// @ts-check
// The tabs over the editor. Arrow keys move between them; one panel is shown.

/** Makes the tabs work. */
export function startTabs() {
  const tabs = all();
  for (const tab of tabs) {
    tab.addEventListener("click", () => selectTab(nameOf(tab)));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      selectTab(nameOf(next));
      next.focus();
    });
  }
}

/**
 * Shows the panel of one tab.
 * @param {string} name
 */
export function selectTab(name) {
  for (const tab of all()) {
    const on = nameOf(tab) === name;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute("aria-controls") || "");
    if (panel) panel.hidden = !on;
  }
}

/** @returns {HTMLElement[]} */
function all() {
  return [...document.querySelectorAll("#request-pane [role=tab]")].map((e) => /** @type {HTMLElement} */ (e));
}

/** @param {HTMLElement} tab */
function nameOf(tab) {
  return tab.id.replace("tab-", "");
}
