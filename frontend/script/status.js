// @ts-check
// The one live region of a page. At most one message a second is announced; of those that wait, the newest counts.

const pause = 1000;
let last = -pause;
let timer = 0;
let waiting = "";

/**
 * Says one sentence in the status line.
 * @param {string} text
 */
export function say(text) {
  waiting = text;
  if (timer) return;
  const left = last + pause - performance.now();
  if (left <= 0) speak();
  else timer = window.setTimeout(speak, left);
}

function speak() {
  timer = 0;
  last = performance.now();
  const region = document.getElementById("status");
  if (region) region.textContent = waiting;
}

/**
 * A time of day, "14:02:41".
 * @param {Date} [at]
 */
export function clock(at = new Date()) {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}

/**
 * A number of bytes for a person; kB are thousands.
 * @param {number} n
 */
export function size(n) {
  if (n === 1) return "1 byte";
  if (n < 1000) return n + " bytes";
  return n < 1e6 ? (n / 1000).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB";
}
