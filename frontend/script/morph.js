// @ts-check
// Brings a part of the page in line with a newer one and leaves alone what did not change, so that focus, selection,
// scroll places and opened details stay.

const stays = ["open", "style", "aria-busy"]; // what a person opened or resized, and what is under way

/**
 * @param {Node} from in the page
 * @param {Node} to as it should be
 */
export function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeName !== to.nodeName || keyOf(from) !== keyOf(to)) {
    from.parentNode?.replaceChild(document.importNode(to, true), from);
    return;
  }
  if (!(from instanceof Element) || !(to instanceof Element)) {
    from.nodeValue = to.nodeValue;
    return;
  }
  if (from.hasAttribute("data-own") && to.hasAttribute("data-own")) return; // the page itself writes it
  takeAttributes(from, to);
  takeChildren(from, to);
}

/**
 * @param {Element} from
 * @param {Element} to
 */
function takeAttributes(from, to) {
  for (const name of from.getAttributeNames()) {
    if (!to.hasAttribute(name) && !stays.includes(name)) from.removeAttribute(name);
  }
  for (const name of to.getAttributeNames()) {
    const value = to.getAttribute(name) ?? "";
    if (!stays.includes(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

/**
 * Children with a key are found again wherever they stand; others by their place.
 * @param {Element} from
 * @param {Element} to
 */
function takeChildren(from, to) {
  const wanted = new Set([...to.childNodes].map(keyOf).filter(Boolean));
  for (const child of [...from.childNodes]) {
    if (keyOf(child) && !wanted.has(keyOf(child))) child.remove(); // first, so that none that stays has to move
  }
  const kept = new Map([...from.childNodes].filter(keyOf).map((n) => [keyOf(n), n]));
  [...to.childNodes].forEach((want, at) => {
    const here = from.childNodes[at];
    const same = kept.get(keyOf(want));
    if (same && same !== here) from.insertBefore(same, here ?? null);
    const found = same ?? here;
    if (found && (same || !kept.has(keyOf(found)))) morph(found, want);
    else from.insertBefore(document.importNode(want, true), here ?? null);
  });
  while (from.childNodes.length > to.childNodes.length) from.lastChild?.remove();
}

/**
 * @param {Node} node
 * @returns {string} "" for a node without a key
 */
function keyOf(node) {
  return node instanceof HTMLElement ? node.dataset.key || "" : "";
}
