// What a term means, beside the word: for a pointer, the keyboard and a finger. The definitions
// are in the page (book/_ext/book_glossary.py); nothing is fetched.
(() => {
  "use strict";
  const GAP = 6; // pixels between word and box, and to the edge of the window
  let link = null; // whose definition is shown
  let box = null;
  let leaving;
  let shownBefore = false; // at the start of a tap

  const termAt = (node) => node?.closest?.("a.term[aria-describedby]");

  function place() {
    if (!link) return;
    // a link may run over two lines: the box belongs to the first
    const word = link.getClientRects()[0];
    if (!word) return hide();
    const room = document.documentElement.clientWidth - GAP;
    const below = word.bottom + GAP + box.offsetHeight <= innerHeight;
    const left = Math.max(GAP, Math.min(word.left, room - box.offsetWidth));
    const top = below || word.top < box.offsetHeight + GAP ? word.bottom + GAP : word.top - GAP - box.offsetHeight;
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  }

  function show(term) {
    clearTimeout(leaving);
    if (term === link) return;
    hide();
    link = term;
    box = document.getElementById(term.getAttribute("aria-describedby"));
    if (!box) return void (link = null);
    box.hidden = false;
    place();
  }

  function hide() {
    clearTimeout(leaving);
    if (box) box.hidden = true;
    link = box = null;
  }

  // time enough to move from the word into the box
  const hideSoon = () => { clearTimeout(leaving); leaving = setTimeout(hide, 250); };

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const term = termAt(event.target);
    if (term) show(term);
    else if (box?.contains(event.target)) clearTimeout(leaving);
    else if (link && link !== document.activeElement) hideSoon();
  });
  document.addEventListener("focusin", (event) => {
    const term = termAt(event.target);
    if (term) show(term);
    else hide();
  });
  document.addEventListener("focusout", (event) => { if (event.target === link) hideSoon(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  // The first tap shows, a second one follows the link, a tap elsewhere closes.
  document.addEventListener("pointerdown", (event) => {
    const term = termAt(event.target);
    shownBefore = Boolean(term) && term === link;
    if (!term && !box?.contains(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    const term = termAt(event.target);
    if (!term || event.pointerType !== "touch" || shownBefore) return;
    event.preventDefault();
    show(term);
  });

  addEventListener("scroll", place, { passive: true, capture: true });
  addEventListener("resize", place);
})();
