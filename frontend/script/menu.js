// @ts-check
// Arrow keys inside a menu of links.

/** Makes the arrow keys, Home and End work in every menu of the page. */
export function startMenus() {
  for (const menu of document.querySelectorAll("details.menu")) {
    if (menu instanceof HTMLDetailsElement) menu.addEventListener("keydown", (event) => walk(menu, event));
  }
}

/**
 * @param {HTMLDetailsElement} menu
 * @param {KeyboardEvent} event
 */
function walk(menu, event) {
  const links = [...menu.querySelectorAll("a")];
  const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? links.length - 1 : at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (to === undefined || (at < 0 && !event.key.startsWith("Arrow"))) return;
  event.preventDefault();
  menu.open = true;
  links[(to + links.length) % links.length].focus();
}
