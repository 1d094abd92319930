// AlignmentView: attention weights as a matrix to step through. Drawn from the traits of
// alignment.py, in a live notebook and on a static page alike. Rows are target words t,
// columns source words s; -1 in place of t or s means a whole column or row.
//
// Text reaches the page through textContent alone, so no token is ever parsed as HTML.
// The DOM is built once; a step, a hover or a snapshot only changes classes and variables.

const PLAY_MS = 900;
const PAGE = 5; // rows moved by PageUp and PageDown

// ---------------------------------------------------------------- pure functions (node tests)

/** Bytes (uint16 little endian, or uint8) to `count` weights in [0, 1]. */
export function dequantise(bytes, count) {
  const raw = bytes instanceof ArrayBuffer ? new DataView(bytes)
    : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = raw.byteLength === 2 * count;
  if (!wide && raw.byteLength !== count) {
    throw new Error(`${raw.byteLength} bytes of weights cannot hold ${count} values`);
  }
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    out[i] = wide ? raw.getUint16(2 * i, true) / 65535 : raw.getUint8(i) / 255;
  }
  return out;
}

/** A token as shown: blanks and nothing get a visible sign. */
export function visible(token) {
  if (token === "") return "∅";
  return /^\s+$/u.test(token) ? token.replace(/\s/gu, "␣") : token;
}

/** "2nd", "3rd": which copy of a repeated token this is; "" if it is the only one. */
export function ordinal(tokens, i) {
  if (tokens.indexOf(tokens[i]) === tokens.lastIndexOf(tokens[i])) return "";
  const n = tokens.slice(0, i + 1).filter((token) => token === tokens[i]).length;
  const tail = n % 100 > 10 && n % 100 < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th";
  return `${n}${tail}`;
}

/** Where a key leads from (t, s) in a T x S grid with a header row and column at -1, or null. */
export function nextCell(key, [t, s], T, S, ctrl = false) {
  const to = {
    ArrowUp: [t - 1, s], ArrowDown: [t + 1, s], ArrowLeft: [t, s - 1], ArrowRight: [t, s + 1],
    Home: ctrl ? [0, 0] : [t, 0], End: ctrl ? [T - 1, S - 1] : [t, S - 1],
    PageUp: [Math.max(t - PAGE, Math.min(t, 0)), s], PageDown: [Math.min(t + PAGE, T - 1), s],
  }[key];
  if (!to) return null;
  const [r, c] = to;
  return r < -1 || c < -1 || r >= T || c >= S || (r < 0 && c < 0) ? [t, s] : to;
}

/** Indices of the k largest values, largest first, earlier first among equals. */
export function largest(values, k) {
  return [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, k);
}

const word = (side, tokens, i) => {
  const nth = ordinal(tokens, i);
  return [{ side, text: visible(tokens[i]) }, nth && ` (${nth})`];
};

/**
 * What is lit, in words: a list of strings and of {side, text} for tokens.
 * data: {src, tgt, step, at(t, s), isGold(t, s)}; lit: null (the step itself) or [t, s].
 */
export function sentence({ src, tgt, step, at, isGold }, lit) {
  const T = tgt.length, S = src.length;
  if (!T || !S) return ["There are no target words, so nothing is looked at."];
  const num = (t, s) => at(t, s).toFixed(3);
  const [t, s] = lit || [step, -1];
  const lead = lit ? "" : `Step ${step + 1} of ${T}: `;
  if (t > step) {
    return [...word("tgt", tgt, t), ` is not produced yet: the decoder is at step ${step + 1} of ${T}.`]
      .filter(Boolean);
  }
  let parts;
  if (t >= 0 && s >= 0) {
    parts = [...word("tgt", tgt, t), ` looks ${num(t, s)} at `, ...word("src", src, s),
      isGold(t, s) ? " — gold link." : "."];
  } else if (t >= 0) {
    const [a, b] = largest(src.map((_, i) => at(t, i)), 2);
    parts = [lead, ...word("tgt", tgt, t), " looks most at ", ...word("src", src, a), ` (${num(t, a)})`];
    if (b !== undefined && at(t, b) >= 0.0005) parts.push(", then at ", ...word("src", src, b), ` (${num(t, b)})`);
    parts.push(".");
  } else {
    const [a] = largest(tgt.slice(0, step + 1).map((_, i) => at(i, s)), 1);
    parts = [...word("src", src, s), " is looked at most by ", ...word("tgt", tgt, a), ` (${num(a, s)}).`];
  }
  return parts.filter(Boolean);
}

/** The parts of `sentence` as plain text, tokens in quotation marks. */
export const plain = (parts) => parts.map((p) => (p.text === undefined ? p : `“${p.text}”`)).join("");

/** A generous guess of a token's width in em, without asking the page. */
export function wordWidth(token) {
  let em = 0;
  for (const c of visible(token)) {
    em += c.codePointAt(0) >= 0x1100 ? 1 : /[A-Zmw@%<>&]/.test(c) ? 0.78 : 0.56;
  }
  return em;
}

/** Sizes in px for a box `width` wide: cell, row heading, heading height, heading style. */
export function layout(width, src, tgt, coarse) {
  const S = Math.max(src.length, 1);
  const font = width < 520 ? 13 : 14;
  const longest = Math.max(1, ...src.map(wordWidth));
  const capped = Math.min(longest, 9) * font;
  const row = Math.ceil(Math.min(Math.max(4.2, ...tgt.map(wordWidth)), width < 520 ? 7 : 10) * font) + 24;
  let slanted = width >= 520, lean = 0;
  if (slanted) lean = Math.ceil(capped * 0.71);
  const fit = (extra) => Math.floor((width - row - extra) / S);
  let cell = Math.min(fit(lean), 40);
  if (cell < 20) { slanted = false; lean = 0; cell = Math.min(fit(0), 40); }
  if (cell < 20 && (coarse || cell < 9)) cell = 24; // too small to hit: scroll inside the box
  const style = longest * font <= cell - 4 ? "flat" : slanted ? "slanted" : "upright";
  const small = Math.max(9, Math.min(font, cell - 1));
  const head = { flat: font * 1.7, slanted: capped * 0.71 + font * 1.2, upright: Math.min(longest, 9) * small + 10 };
  return { width, cell, row, style, font: small, lean: style === "slanted" ? lean : 0, head: Math.ceil(head[style]) };
}

/** "light" or "dark", as the page around the figure says; its system's wish otherwise. */
export function themeOf(html, body, prefersDark) {
  const sphinx = html.dataset.theme;
  if (sphinx === "light" || sphinx === "dark") return sphinx;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "true" ? "light" : "dark";
  if (/vscode-(dark|high-contrast)(?!-light)/.test(body.className)) return "dark";
  if (/vscode-/.test(body.className)) return "light";
  if (html.getAttribute("theme") === "dark") return "dark"; // Colab
  return prefersDark ? "dark" : "light";
}

// ---------------------------------------------------------------- small DOM helpers

/** An element with attributes, then children: nodes, or strings as text. */
function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) node.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== false) node.setAttribute(k, v === true ? "" : v);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return node;
}

const tokenNode = (side, token) =>
  h("bdi", { class: `att-word att-${side}`, dir: "auto", title: wordWidth(token) > 6 ? token : undefined }, visible(token));

function icon(path) {
  const NS = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(NS, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}
const ICONS = {
  play: "M4 2.5v11l9-5.5z", pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 2.5v11L5 8zM3 2.5h1.8v11H3z", next: "M4 2.5v11L11 8zM11.2 2.5H13v11h-1.8z",
};

const clamp = (i, count) => Math.max(0, Math.min(i, count - 1));

const paint = (node, w) => { // size and shade both say the weight
  node.style.cssText = w < 0.0005 ? "" : `--w:${w.toFixed(4)};--r:${Math.sqrt(w).toFixed(4)}`;
};

// ---------------------------------------------------------------- the matrix

/**
 * The matrix drawing. A second drawing (ribbons between two rows of words) needs the same
 * five methods: resize(sizes), weights(), step(t), light(pinned, hovered), gold(on).
 */
function matrix(data) {
  const { src, tgt, T, S } = data;
  const cells = [], rows = [], heads = { src: [], tgt: [] }, bars = [], shown = new Int16Array(T * S).fill(-1);
  const position = (t, s) => ({ "data-t": t, "data-s": s, tabindex: -1 });

  const top = h("tr", { class: "att-head" }, h("td", { class: "att-corner" },
    h("span", { class: "att-tgt" }, "target ↓"), h("span", { class: "att-src" }, "source →")));
  const strip = h("tr", { class: "att-bars", "aria-hidden": "true" }, h("td"));
  src.forEach((token, s) => {
    heads.src.push(h("th", { scope: "col", ...position(-1, s) }, tokenNode("src", token)));
    bars.push(h("td"));
  });
  top.append(...heads.src);
  strip.append(...bars);
  const body = h("tbody");
  tgt.forEach((token, t) => {
    heads.tgt.push(h("th", { scope: "row", ...position(t, -1) }, tokenNode("tgt", token)));
    const row = h("tr", {}, heads.tgt[t]);
    for (let s = 0; s < S; s++) {
      const cell = h("td", { role: "gridcell", "data-testid": "alignment-cell",
        class: data.isGold(t, s) ? "att-link" : undefined, ...position(t, s) });
      cells.push(cell);
      row.append(cell);
    }
    rows.push(row);
    body.append(row);
  });
  const grid = h("table", { role: "grid", class: "att-grid", "aria-label": data.title || "Attention weights",
    "aria-rowcount": T + 1, "aria-colcount": S + 1 }, h("thead", {}, top, strip), body);
  const element = h("div", { class: "att-scroll" }, grid);

  let home = null, marked = [];
  const node = (t, s) => (t < 0 ? heads.src[s] : s < 0 ? heads.tgt[t] : cells[t * S + s]);
  const mark = (item, name) => { if (item) { item.classList.add(name); marked.push([item, name]); } };
  const drawBars = (t) => bars.forEach((bar, s) => paint(bar, t >= 0 && t < T && t <= data.step ? data.at(t, s) : 0));

  return {
    element, grid, node,
    resize(sizes) {
      element.toggleAttribute("data-more", sizes.row + sizes.cell * S + sizes.lean > sizes.width);
      grid.dataset.heads = sizes.style;
      grid.dataset.size = sizes.cell < 18 ? "small" : "large";
      grid.dataset.numbers = sizes.cell >= 33 ? "yes" : "no";
      for (const key of ["cell", "row", "head", "lean", "font"]) grid.style.setProperty(`--${key}`, `${sizes[key]}px`);
    },
    weights() { // only the cells whose weight changed are touched
      for (let i = 0; i < T * S; i++) {
        const w = data.at(Math.floor(i / S), i % S), key = Math.round(w * 1000);
        const drawn = w < data.threshold ? 2000 + key : key;
        if (drawn === shown[i]) continue;
        shown[i] = drawn;
        paint(cells[i], w < data.threshold ? 0 : w);
        cells[i].setAttribute("aria-label", w.toFixed(3) + (cells[i].className ? ", gold link" : ""));
        if (w >= 0.6 && w >= data.threshold) cells[i].dataset.n = w.toFixed(2).replace(/^0/, "");
        else delete cells[i].dataset.n;
      }
    },
    step(t) {
      rows.forEach((row, i) => {
        row.classList.toggle("att-future", i > t);
        row.classList.toggle("att-now", i === t);
      });
    },
    light(pinned, hovered) {
      for (const [item, name] of marked) item.classList.remove(name);
      marked = [];
      const [t, s] = hovered || pinned || [-1, -1];
      const whole = t >= 0 && s >= 0;
      if (t >= 0) mark(rows[t], "att-lit");
      if (s >= 0) {
        mark(heads.src[s], "att-lit");
        if (!whole) for (let i = 0; i < T; i++) mark(cells[i * S + s], "att-column");
      }
      if (whole) mark(node(t, s), "att-cell");
      drawBars(t >= 0 ? t : s >= 0 ? -1 : data.step);
      this.tabStop(pinned);
    },
    tabStop(at) { // the one cell that Tab reaches
      const next = at ? node(...at) : home || node(...(S && T ? [0, 0] : S ? [-1, 0] : [0, -1]));
      if (!next || next === home) return;
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    },
    reveal(s) { // scroll the box, never the page, so that column s is in sight
      const left = heads.src[s] ? heads.src[s].offsetLeft : 0;
      const size = heads.src[s] ? heads.src[s].offsetWidth : 0, from = element.scrollLeft + heads.tgt[0].offsetWidth;
      if (left < from) element.scrollLeft += left - from;
      else if (left + size > element.scrollLeft + element.clientWidth) element.scrollLeft = left + size - element.clientWidth;
    },
    get scrolls() { return element.scrollWidth > element.clientWidth; },
    gold(on) { grid.classList.toggle("att-gold-on", on); },
  };
}

// ---------------------------------------------------------------- controls and wiring

function stepControls(T, act) {
  const button = (name, label, go, testid) =>
    h("button", { type: "button", "aria-label": label, title: label, "data-testid": testid, onclick: go }, icon(ICONS[name]));
  const back = button("back", "One step back", () => act.move(-1));
  const play = button("play", "Play the decoder steps", act.play, "alignment-play");
  const next = button("next", "One step forward", () => act.move(1));
  const slider = h("input", { type: "range", min: 0, max: Math.max(T - 1, 0), step: 1, "data-testid": "alignment-step",
    "aria-label": "Decoder step", disabled: T < 2, oninput: () => act.go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons" }, back, play, next), slider, readout),
    show(step, token) {
      slider.value = step;
      slider.setAttribute("aria-valuetext", T ? `step ${step + 1} of ${T}: ${visible(token)}` : "no steps");
      readout.replaceChildren(`step ${T ? step + 1 : 0} of ${T}`);
      back.disabled = step <= 0;
      next.disabled = step >= T - 1;
      play.disabled = T < 2;
    },
    playing(on) {
      const label = on ? "Pause" : "Play the decoder steps";
      play.replaceChildren(icon(on ? ICONS.pause : ICONS.play));
      play.setAttribute("aria-label", label);
      play.title = label;
    },
  };
}

function snapshotControl(N, go) {
  if (N < 2) return { element: null, show() {} };
  const slider = h("input", { type: "range", min: 0, max: N - 1, step: 1, "data-testid": "alignment-snapshot",
    "aria-label": "Training snapshot", oninput: () => go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons att-label" }, "training"), slider, readout),
    show(i, label) {
      slider.value = i;
      slider.setAttribute("aria-valuetext", label);
      readout.textContent = label;
    },
  };
}

/** The same numbers as a plain table, built when first opened. */
function numberTable(data, name) {
  const scroller = h("div", { class: "att-scroll", role: "group", tabindex: 0, "aria-label": "Table of weights" });
  const details = h("details", { "data-testid": "alignment-table", ontoggle: () => fill() }, h("summary", {}, "Table of weights"), scroller);
  function fill() {
    if (!details.open) return;
    const head = h("tr", {}, h("th", { scope: "col" }, "target \\ source"),
      ...data.src.map((token) => h("th", { scope: "col" }, tokenNode("src", token))));
    const rows = data.tgt.map((token, t) => h("tr", {}, h("th", { scope: "row" }, tokenNode("tgt", token)),
      ...data.src.map((_, s) => h("td", {}, data.at(t, s).toFixed(3) + (data.isGold(t, s) ? " ●" : "")))));
    scroller.replaceChildren(h("table", { class: "att-numbers" },
      h("caption", {}, name() + (data.hasGold ? "; ● marks a gold link" : "")), h("thead", {}, head), h("tbody", {}, ...rows)));
  }
  return { element: details, fill };
}

function legend() {
  const sample = (w, text) => {
    const square = h("i", { "aria-hidden": "true" });
    paint(square, w);
    return h("span", { class: "att-sample" }, square, text);
  };
  return h("span", { class: "att-legend" }, "weight", sample(0.1, "0.1"), sample(0.5, "0.5"), sample(1, "1"));
}

/** Everything drawn from one state of the data traits. */
function figure(model, root) {
  const [N, T, S] = model.get("shape");
  const all = dequantise(model.get("weights"), N * T * S);
  const links = model.get("gold");
  const gold = new Set((links || []).map(([t, s]) => t * S + s));
  const data = {
    src: model.get("src"), tgt: model.get("tgt"), title: model.get("title"), T, S,
    hasGold: links !== null && links !== undefined, isGold: (t, s) => gold.has(t * S + s),
    step: 0, threshold: 0, snapshot: 0, at: (t, s) => all[(data.snapshot * T + t) * S + s],
  };
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const label = () => (model.get("snapshots") || [])[data.snapshot] || `snapshot ${data.snapshot + 1} of ${N}`;

  let timer = null, hovered = null;
  const stop = () => { clearInterval(timer); timer = null; steps.playing(false); say.setAttribute("aria-live", "polite"); };
  const go = (step) => {
    set({ focus: null, step: clamp(step, T) });
    if (drawing.scrolls) drawing.reveal(largest(data.src.map((_, s) => data.at(data.step, s)), 1)[0]);
  };
  const steps = stepControls(T, {
    go(step) { stop(); go(step); },
    move(by) { stop(); go(data.step + by); },
    play() {
      if (timer) { stop(); return; }
      if (data.step >= T - 1) go(0);
      steps.playing(true);
      say.setAttribute("aria-live", "off"); // a reader who plays doesn't want each step read out
      timer = setInterval(() => { if (data.step >= T - 2) stop(); go(data.step + 1); }, PLAY_MS);
    },
  });
  const snapshots = snapshotControl(N, (snapshot) => set({ snapshot }));
  const drawing = matrix(data);
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "alignment-sentence" });
  const check = h("input", { type: "checkbox", "data-testid": "alignment-gold", onchange: () => set({ show_gold: check.checked }) });
  const table = numberTable(data, () => (data.title || "Attention weights") + (N > 1 ? `, ${label()}` : ""));
  root.replaceChildren(...[
    data.title && h("p", { class: "att-title" }, data.title), steps.element, snapshots.element, drawing.element, say,
    h("div", { class: "att-foot" }, data.hasGold ? h("label", { class: "att-check" }, check, h("i", { "aria-hidden": "true" }), "gold links") : null, legend()),
    table.element].filter(Boolean));

  function speak() {
    const parts = sentence(data, hovered || model.get("focus"));
    say.replaceChildren(...parts.map((p) => (p.text === undefined ? p
      : h("span", { class: `att-${p.side}` }, "“", h("bdi", { dir: "auto" }, p.text), "”"))));
  }
  const light = () => { drawing.light(model.get("focus"), hovered); speak(); };
  const draw = {
    step() { data.step = clamp(model.get("step"), T); steps.show(data.step, data.tgt[data.step] || ""); drawing.step(data.step); light(); },
    snapshot() { data.snapshot = clamp(model.get("snapshot"), N); snapshots.show(data.snapshot, label()); drawing.weights(); table.fill(); light(); },
    threshold() { data.threshold = model.get("threshold"); drawing.weights(); },
    show_gold() { check.checked = model.get("show_gold"); drawing.gold(check.checked); },
    focus: light,
  };

  const cellOf = (event) => {
    const item = event.target.closest("[data-t]");
    return item && drawing.grid.contains(item) ? [+item.dataset.t, +item.dataset.s] : null;
  };
  const pin = (cell) => { hovered = null; set({ focus: cell }); };
  const hover = (cell) => {
    if (String(cell) === String(hovered)) return;
    hovered = cell;
    light();
  };
  const { grid } = drawing;
  grid.addEventListener("pointerover", (e) => { if (e.pointerType !== "touch") hover(cellOf(e)); });
  grid.addEventListener("pointerleave", () => hover(null));
  grid.addEventListener("focusin", (e) => { const cell = cellOf(e); if (cell) pin(cell); });
  grid.addEventListener("click", (e) => { const cell = cellOf(e); if (cell) { pin(cell); drawing.node(...cell).focus(); } });
  grid.addEventListener("keydown", (e) => {
    const cell = cellOf(e);
    if (!cell || e.altKey || e.metaKey) return;
    if (e.key === "Escape") { hovered = null; set({ focus: null }); e.preventDefault(); return; }
    const next = nextCell(e.key, cell, T, S, e.ctrlKey);
    if (!next) return;
    e.preventDefault();
    e.stopPropagation(); // the notebook has keys of its own
    drawing.node(...next).focus();
  });
  return { draw, drawing, data, stop };
}

/** Follow the page's theme while the figure lives; returns how to stop. */
function followTheme(root) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => { root.dataset.attTheme = themeOf(document.documentElement, document.body, dark.matches); };
  const watcher = new MutationObserver(apply);
  for (const node of [document.documentElement, document.body]) {
    watcher.observe(node, { attributes: true, attributeFilter: ["data-theme", "data-jp-theme-light", "class", "theme"] });
  }
  dark.addEventListener("change", apply);
  apply();
  return () => { watcher.disconnect(); dark.removeEventListener("change", apply); };
}

function render({ model, el }) {
  const root = h("div", { class: "att", role: "group", "data-testid": "alignment" });
  el.append(root);
  const unfollow = followTheme(root);
  const coarse = matchMedia("(pointer: coarse)");
  let now = null, width = 0;

  const resize = () => {
    width = root.clientWidth || 640;
    now.drawing.resize(layout(width, now.data.src, now.data.tgt, coarse.matches));
  };
  const build = () => {
    now?.stop();
    root.setAttribute("aria-label", model.get("title") || "Attention weights");
    now = figure(model, root);
    resize();
    for (const name of ["threshold", "show_gold", "snapshot", "step"]) now.draw[name]();
  };
  build();

  const sizes = new ResizeObserver(() => { if (root.clientWidth && root.clientWidth !== width) resize(); });
  sizes.observe(root);
  let pending = false;
  const rebuild = () => { // several data traits change together
    if (pending) return;
    pending = true;
    queueMicrotask(() => { pending = false; if (now) build(); });
  };
  const listeners = Object.keys(now.draw).map((name) => [`change:${name}`, () => now.draw[name]()]);
  for (const name of ["src", "tgt", "shape", "weights", "gold", "title", "snapshots"]) listeners.push([`change:${name}`, rebuild]);
  for (const [event, call] of listeners) model.on(event, call);

  return () => {
    for (const [event, call] of listeners) model.off(event, call);
    sizes.disconnect();
    unfollow();
    now.stop();
    now = null;
    root.remove();
  };
}

export default { render };
