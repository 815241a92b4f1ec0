// @ts-check
// Sets the theme before the first paint; loaded as a blocking script, so it is kept this small. The choice is
// "light", "dark" or nothing, which means the system's.
(() => {
  try {
    const kept = localStorage.getItem("parley-theme");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch {
    // Without storage the system's theme is right.
  }
})();
