// @ts-check
// What a person sees while an act waits for its answer: nothing below 100 ms, then a busy button, from one second what
// is being done, from ten seconds for how long. No bar: the total is not known.

const steps = { busy: 100, words: 1000, elapsed: 10_000 };

/**
 * Shows that an act is under way until the returned function is called.
 * @param {HTMLElement} button
 * @param {(text: string) => void} tell
 * @param {string} words "Running berth-7, trial 3"
 */
export function showBusy(button, tell, words) {
  const started = performance.now();
  const timers = [
    window.setTimeout(() => button.setAttribute("aria-busy", "true"), steps.busy),
    window.setTimeout(() => tell(words + "."), steps.words),
    window.setInterval(() => {
      const passed = performance.now() - started;
      if (passed >= steps.elapsed) tell(`${words}, for ${Math.floor(passed / 1000)} s.`);
    }, 1000),
  ];
  return () => {
    window.clearTimeout(timers[0]);
    window.clearTimeout(timers[1]);
    window.clearInterval(timers[2]);
    button.removeAttribute("aria-busy");
  };
}
