// @ts-check
// The status line shows the newest message at once. Beside it the one live region of a page announces at most one
// message a second; of those that wait, the newest counts.

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
  const shown = document.getElementById("status-shown");
  if (shown) shown.textContent = text;
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
