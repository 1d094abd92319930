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

  // What scrolls sideways on a narrow screen can be reached, and so scrolled, by keyboard.
  const wide = ".bd-article table, .bd-article mjx-container[display=true], .bd-article .text_html";
  function reach() {
    for (const node of document.querySelectorAll(wide)) {
      const scrolls = node.scrollWidth > node.clientWidth && getComputedStyle(node).overflowX !== "visible";
      if (scrolls) node.tabIndex = 0;
      else if (node.tabIndex === 0) node.removeAttribute("tabindex");
    }
  }
  let waiting;
  const later = () => { clearTimeout(waiting); waiting = setTimeout(reach, 100); };
  addEventListener("resize", later);
  addEventListener("load", () => {
    later();
    window.MathJax?.startup?.promise?.then(later);
  });

  // Paper is white: print the light figures, then give the reader's theme back.
  const root = document.documentElement;
  let theme = null;
  addEventListener("beforeprint", () => { theme ??= root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { if (theme) root.dataset.theme = theme; theme = null; });
})();
