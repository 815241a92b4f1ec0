// @ts-check
// A failed call in the place of a result: what failed, why, what that means, what to do.

const verbs = { negotiate: "Checking compatibility", validate: "Validating", run: "Running" };

/**
 * Builds the section that shows a failed call.
 * @param {import("./results.js").Kind} kind
 * @param {import("./call.js").CallFailure} failure
 */
export function failureSection(kind, failure) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("call-failure"));
  const section = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true));
  const what = verbs[kind] + " failed.";
  const means = meaning(kind, failure.refused);
  put(section, "[data-what]", what);
  put(section, "[data-means]", means);
  put(section, "[data-cause]", failure.message);
  put(section, "[data-code]", failure.code);
  put(section, "[data-next]", nextAct(kind, failure.refused));
  const copy = /** @type {HTMLElement} */ (section.querySelector("[data-copy]"));
  copy.dataset.copy = `act: ${kind}\nat: ${new Date().toISOString()}\nfailed: ${what}\nmeans: ${means}\ncause: ${failure.message}\ncode: ${failure.code}\n`;
  return section;
}

/**
 * Certainty is part of the message: a run that lost its connection may have happened.
 * @param {import("./results.js").Kind} kind
 * @param {boolean} refused
 */
function meaning(kind, refused) {
  if (kind !== "run") return "No result is shown. This act never executes anything; the request is as you left it.";
  if (refused) return "No result is shown. The lab refused the call, so the unit was not run by it.";
  return "No result is shown. It is not known whether the unit was run.";
}

/**
 * @param {import("./results.js").Kind} kind
 * @param {boolean} refused
 */
function nextAct(kind, refused) {
  if (kind === "run" && !refused) return "Look in the history, after a reload, for what happened before you run the unit again.";
  return "See whether the lab still runs, then use the button again.";
}

/**
 * @param {Element} section
 * @param {string} selector
 * @param {string} text
 */
function put(section, selector, text) {
  const place = section.querySelector(selector);
  if (place) place.textContent = text;
}
