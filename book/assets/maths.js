// Before MathJax starts, on pages with formulas: two things for a strict Content-Security-Policy.
(() => {
  "use strict";
  window.MathJax ||= {};
  // its menu adds style elements, and offers what would have to be fetched from elsewhere
  MathJax.options = { ...MathJax.options, enableMenu: false };
  MathJax.startup = { ...MathJax.startup, ready() {
    MathJax.startup.defaultReady();
    const { output } = MathJax.startup;
    const make = output.styleSheet.bind(output);
    // An empty style element is allowed, and so are rules inserted into it; only text in it isn't.
    output.styleSheet = (document) => {
      const node = make(document);
      const text = node?.textContent;
      if (text?.trim()) {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        node.textContent = "";
        window.document.head.append(node);
        [...sheet.cssRules].forEach((rule, i) => node.sheet.insertRule(rule.cssText, i));
      }
      return node;
    };
  } };
})();
