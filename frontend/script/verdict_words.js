// @ts-check
// The words of the history for a record that comes as JSON.

/** @typedef {{id: string, act: string, at: string, verdict: string, exit_code: number, task?: string, trial?: number}} Line */

/**
 * What happened, as a row of the history says it: time, act, unit, verdict.
 * @param {Line} record
 */
export function rowWords(record) {
  const { acts, verdicts } = JSON.parse(document.body.dataset.words || "{}");
  const verdict = verdicts?.[`${record.act} ${record.verdict}`] ?? record.verdict;
  const exit = record.act === "run" ? `, exit ${record.exit_code}` : "";
  const unit = record.task ? [record.task, record.trial].filter(Boolean).join(", ") : "";
  return [moment(new Date(record.at)), acts?.[record.act] ?? record.act, unit, verdict + exit].filter(Boolean).join(" · ");
}

/**
 * A day and a time of day, "2031-05-17 12:00:00".
 * @param {Date} at
 */
function moment(at) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
  return day + " " + [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
}
