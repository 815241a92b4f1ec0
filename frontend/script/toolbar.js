// @ts-check
// The three act buttons: what each would do, and in text beside them why one is disabled.

/**
 * @typedef {object} Situation
 * @property {boolean} empty no request text
 * @property {import("./inspect.js").Inspection | null} inspection of the text as it is, null while it is awaited
 * @property {string} blind why the text could not be inspected, "" when it could
 * @property {boolean} running a run is active
 * @property {string} note what an act says about itself; it wins over the reasons
 */

const kinds = /** @type {const} */ (["negotiate", "validate", "run"]);

/**
 * Why acts are not offered now, and for which. An empty list of acts means that all are.
 * @param {Situation} now
 * @returns {{acts: readonly string[], why: string}}
 */
export function refusalOf(now) {
  const unitActs = ["validate", "run"];
  if (now.empty) return { acts: kinds, why: "Waiting for a request." };
  if (now.running) return { acts: kinds, why: "A run is active; other acts wait for its end." };
  if (now.blind) return { acts: unitActs, why: `The request was not inspected: ${now.blind} Checking still works.` };
  if (!now.inspection) return { acts: [], why: "" };
  const { findings, shape, paid, offered } = now.inspection;
  if (findings.some((f) => f.code === "invalid_request")) return { acts: unitActs, why: "Validate and Run wait for a request without errors." };
  if (shape !== "complete") return { acts: unitActs, why: "Validate and Run need a complete request; this one is compact." };
  if (paid && !offered) return { acts: ["run"], why: "Run would be paid. This program does not offer paid execution, so it is not sent." };
  if (findings.length > 0) return { acts: [], why: "The captured texts have errors: the runner will refuse the unit and execute nothing." };
  return { acts: [], why: "The runner validates again before it runs." };
}

/** @param {Situation} now */
export function showToolbar(now) {
  const refusal = refusalOf(now);
  for (const kind of kinds) {
    const button = /** @type {HTMLButtonElement} */ (document.querySelector(`[data-run-act="${kind}"]`));
    button.disabled = refusal.acts.includes(kind);
  }
  const run = /** @type {HTMLElement} */ (document.getElementById("act-run"));
  const paid = now.inspection?.paid ?? false;
  run.classList.toggle("btn-main", !paid);
  run.classList.toggle("btn-paid", paid);
  run.querySelector("use")?.setAttribute("href", paid ? "#i-paid" : "#i-play");
  if (now.inspection || now.empty) setText("run-word", runWords(now.inspection));
  setText("acts-note", now.note || refusal.why);
  /** @type {HTMLElement} */ (document.getElementById("cancel")).hidden = !now.running;
}

/**
 * The run button names the unit and what it costs.
 * @param {import("./inspect.js").Inspection | null} inspection
 */
function runWords(inspection) {
  const unit = inspection?.unit;
  if (!unit) return "Run selected unit";
  const cost = inspection.profile ? [inspection.mode, inspection.paid ? "paid" : "free"] : ["no profile"];
  return [`Run ${unit.task}`, `trial ${unit.trial}`, ...cost].join(" · ");
}

/**
 * @param {string} id
 * @param {string} text
 */
function setText(id, text) {
  const place = document.getElementById(id);
  if (place && place.textContent !== text) place.textContent = text;
}
