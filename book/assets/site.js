// What the buttons of every page do; the theme has it in attributes, which a strict
// Content-Security-Policy forbids.
(() => {
  "use strict";
  const actions = { print: () => window.print(), fullscreen: () => window.toggleFullScreen() };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-click]");
    if (button) actions[button.dataset.click]?.();
  });

  // From disk a page can't read the others, so the search gives titles without extracts.
  if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
  }

  // Paper is white: print the light figures, then give the reader's theme back.
  const root = document.documentElement;
  let theme = null;
  addEventListener("beforeprint", () => { theme ??= root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { if (theme) root.dataset.theme = theme; theme = null; });
})();
