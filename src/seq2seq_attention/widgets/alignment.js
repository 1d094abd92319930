// AlignmentView: attention weights as a matrix to step through. Drawn from the traits of
// alignment.py, in a live notebook and on a static page alike. Rows are target words t,
// columns source words s; -1 in place of t or s means a whole column or row.
// The DOM holds words and empty cells, built once; one canvas under them shows the weights,
// so that a step, a hover or a snapshot is one painting, however large the matrix.

import {
  visible, ordinal, largest, wordWidth, shortened, nextCell, h, tokenNode,
  clamp, pencil, marker, player, stepControls, choiceControl, sliderControl, tableControl, saveControls,
  framed, spoken, spokenNodes, csvLine,
} from "./base.js";

const PLAY_MS = 900;

// ---------------------------------------------------------------- pure functions (node tests)

/** Bytes of `_packed` in alignment.py to thousandths, ordered snapshot, target, source. */
export function unpack(bytes, N, T, S) {
  const raw = ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes);
  const out = new Uint16Array(N * T * S);
  const mode = raw[0];
  let read = 1, i = 0; // i counts cell by cell through the snapshots
  const fail = () => { throw new Error(`${raw.length} bytes of weights cannot hold ${out.length} values`); };
  if (!(mode <= 1)) fail();
  while (read < raw.length) {
    const byte = raw[read++];
    if (byte >= 192 && byte < 255) { i += 2 ** (byte - 192); continue; }
    let number = byte;
    if (byte === 255) { number = raw[read] + 256 * raw[read + 1]; read += 2; }
    if (i >= out.length || read > raw.length) fail();
    const cell = Math.floor(i / N);
    out[(i - cell * N) * T * S + cell] = number;
    i++;
  }
  if (i !== out.length) fail();
  if (mode === 1) { // zigzag changes since the snapshot before
    for (let at = 0; at < out.length; at++) {
      const change = out[at] & 1 ? -(out[at] + 1) / 2 : out[at] / 2;
      out[at] = (at >= T * S ? out[at - T * S] : 0) + change;
    }
  }
  return out;
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

/**
 * Where a key leads in the two rows of words; `partner(t, s)` is the word most linked to one.
 * sideBySide: the words stand in two columns, source left, so the arrows turn with them.
 */
export function nextWord(key, [t, s], T, S, sideBySide, partner) {
  const [back, on, toTarget, toSource] = sideBySide
    ? ["ArrowUp", "ArrowDown", "ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"];
  const target = t >= 0, i = target ? t : s, count = target ? T : S;
  const word = (at) => (target ? [at, -1] : [-1, at]);
  if (key === back) return word(Math.max(i - 1, 0));
  if (key === on) return word(Math.min(i + 1, count - 1));
  if (key === "Home") return word(0);
  if (key === "End") return word(count - 1);
  if (key === toTarget) return target || !T ? [t, s] : [partner(-1, s), -1];
  if (key === toSource) return target && S ? [-1, partner(t, -1)] : [t, s];
  return null;
}

/** The weights as CSV text, source words across, three decimals. */
export const csv = ({ src, tgt, at }) => csvLine("target \\ source", ...src) +
  tgt.map((token, t) => csvLine(token, ...src.map((_, s) => at(t, s).toFixed(3)))).join("");

// ---------------------------------------------------------------- drawing with a pen
// Both views are painted through a pen of four strokes, on canvas for the page and for PNG,
// as markup for SVG: what is saved is what is seen.

const decimals = (w) => w.toFixed(2).replace(/^0/, "");

/** The matrix: g = {x, y, cell, tall, bars} is its place; look = {lit, gold}; c the colours. */
export function drawMatrix(pen, data, g, { lit, gold }, c) {
  const { T, S, step, threshold, at } = data;
  const [t, s] = lit || [-1, -1];
  const x = (i) => g.x + i * g.cell, y = (i) => g.y + i * g.tall;
  if (step < T) pen.rect(g.x, y(step), S * g.cell, g.tall, c.attention, 0.08);
  if (s >= 0) pen.rect(x(s), g.y, g.cell, T * g.tall, c.attention, t >= 0 ? 0.08 : 0.16);
  if (t >= 0) pen.rect(g.x, y(t), S * g.cell, g.tall, c.attention, 0.16);
  if (g.cell >= 18) {
    for (let i = 1; i <= S; i++) pen.rect(x(i) - 1, g.y, 1, T * g.tall, c.ink, 0.08);
    for (let i = 1; i <= T; i++) pen.rect(g.x, y(i) - 1, S * g.cell, 1, c.ink, 0.08);
  }
  const size = 0.8 * Math.min(g.cell, g.tall), middle = 0.5 * g.cell, half = 0.5 * g.tall;
  for (let i = 0; i <= Math.min(step, T - 1); i++) {
    for (let k = 0; k < S; k++) {
      const w = at(i, k);
      if (w < 0.0005 || w < threshold) continue;
      const side = size * Math.sqrt(w); // size and shade both say the weight
      pen.rect(x(k) + middle - side / 2, y(i) + half - side / 2, side, side, c.ramp[Math.round(100 * w)]);
      if (w >= 0.6 && g.cell >= 33) pen.text(x(k) + middle, y(i) + half, decimals(w), c.onHigh, 11, "middle");
    }
  }
  if (gold) {
    const line = g.cell < 18 ? 1.5 : 2;
    for (const [i, k] of data.links) pen.frame(x(k) + line / 2, y(i) + line / 2, g.cell - line - 1, g.tall - line - 1, c.gold, line);
  }
  if (t >= 0 && s >= 0) pen.frame(x(s), y(t), g.cell, g.tall, c.ink, 2);
  const bar = t >= 0 ? t : s >= 0 ? -1 : step; // the lit row as a chart over the source words
  pen.rect(g.x, g.y - 1, S * g.cell, 1, c.muted);
  if (bar < 0 || bar > step || bar >= T) return;
  for (let k = 0; k < S; k++) {
    const tall = at(bar, k) * (g.bars - 2);
    if (tall > 0) pen.rect(x(k) + 0.25 * g.cell, g.y - 1 - tall, 0.5 * g.cell, tall, c.attention);
  }
}

const THICK = 12; // px of a ribbon of weight 1
const FINE = 0.005; // ribbons of what is lit below it are not seen
const FAINT = 0.05; // nor are those of the rest below this: a thousand of them are fog, and slow
const MANY = 120; // of the rest, the heaviest are drawn, by twentieths, as long as they're so few

/** The flow: g = {src, tgt: [x, y] of each word's edge, upright: words stand in rows}. */
export function drawFlow(pen, data, g, { lit, gold }, c) {
  const { T, S, step, threshold, at } = data;
  const [t, s] = lit || [step, -1];
  const chosen = (i, k) => (t < 0 || i === t) && (s < 0 || k === s);
  const faint = new Map(), strong = []; // faint ones of about the same weight are one path
  for (let i = 0; i <= Math.min(step, T - 1); i++) {
    for (let k = 0; k < S; k++) {
      const w = at(i, k);
      if (w < threshold || w < (chosen(i, k) ? FINE : FAINT)) continue;
      const ribbon = [...g.src[k], ...g.tgt[i]];
      if (chosen(i, k)) { strong.push([w, ribbon, i, k]); continue; }
      const key = Math.ceil(w * 20);
      if (!faint.has(key)) faint.set(key, []);
      faint.get(key).push(ribbon);
    }
  }
  let drawn = 0;
  for (const key of [...faint.keys()].sort((a, b) => b - a)) {
    const list = faint.get(key);
    drawn += list.length;
    if (drawn > MANY && drawn > list.length) break; // the heaviest class is drawn whatever its size
    pen.curves(list, g.upright, c.muted, 0.5 + (key / 20) * THICK, 0.04 + 0.22 * (key / 20));
  }
  for (const [w, ribbon] of strong.sort((a, b) => a[0] - b[0])) {
    pen.curves([ribbon], g.upright, c.ramp[Math.round(100 * w)], 0.5 + w * THICK, 0.35 + 0.65 * w);
  }
  if (gold) for (const [i, k] of data.links) pen.curves([[...g.src[k], ...g.tgt[i]]], g.upright, c.gold, 2, 1, [5, 4]);
  for (const [w, , i, k] of strong) { // in numbers too, at the far end
    if (w < 0.1) continue;
    const [x, y] = t >= 0 ? g.src[k] : g.tgt[i], away = (t >= 0 ? 1 : -1) * (g.upright ? 9 : 14);
    const [px, py] = g.upright ? [x, y + away] : [x + away, y];
    pen.rect(px - 11, py - 7, 22, 14, c.surface, 0.85);
    pen.text(px, py, decimals(w), c.ink, 11, "middle");
  }
}

/** Where each word of the flow stands in a saved picture `width` wide, starting at (x, y). */
export function flowPlaces(src, tgt, width, x, y) {
  const wide = (token) => Math.max(24, Math.min(wordWidth(token), 9) * 14 + 12);
  const need = Math.max(...[src, tgt].map((side) => side.reduce((sum, token) => sum + wide(token), 0)));
  const upright = need <= width;
  const along = (side, across) => {
    if (!upright) return side.map((_, i) => [across, y + 14 + 28 * i]);
    const gap = (width - side.reduce((sum, token) => sum + wide(token), 0)) / Math.max(side.length, 1);
    let from = x;
    return side.map((token) => { const to = from + wide(token) + gap; const mid = (from + to) / 2; from = to; return [mid, across]; });
  };
  if (upright) return { upright, src: along(src, y + 22), tgt: along(tgt, y + 190), bottom: y + 212, right: x + width };
  const column = (side) => Math.max(...side.map((token) => Math.min(wordWidth(token), 12) * 14), 24) + 10;
  const left = x + column(src), right = left + 260;
  return { upright, src: along(src, left), tgt: along(tgt, right), bottom: y + 28 * Math.max(src.length, tgt.length), right: right + column(tgt) };
}

/** A whole picture to save: returns {width, height, paint(pen)}. */
export function picture(data, view, look, c, caption) {
  const PAD = 16, top = PAD + (data.title ? 24 : 0) + 20, { src, tgt, S, T } = data;
  const heading = (pen, width, height) => {
    pen.rect(0, 0, width, height, c.surface);
    if (data.title) pen.text(PAD, PAD + 10, shortened(data.title, (width - 2 * PAD) / 16), c.ink, 16, "start", 0, true);
    pen.text(PAD, top - 12, caption, c.muted, 13);
  };
  if (view === "flow") {
    const g = flowPlaces(src, tgt, 800, PAD, top);
    const [width, height] = [g.right + PAD, g.bottom + PAD], room = g.upright ? 9 : 12;
    return { width, height, paint(pen) {
      heading(pen, width, height);
      drawFlow(pen, data, g, look, c);
      const words = (side, places, colour, anchor, dx, dy) => side.forEach((token, i) => {
        const [x, y] = places[i], [px, py] = g.upright ? [x, y + dy] : [x + dx, y];
        pen.text(px, py, shortened(token, room), colour(i), 14, g.upright ? "middle" : anchor);
      });
      words(src, g.src, () => c.source, "end", -6, -11);
      words(tgt, g.tgt, (t) => (t > data.step ? c.muted : c.target), "start", 6, 11);
    } };
  }
  const sizes = layout(800, src, tgt, true), bars = 26;
  const g = { x: PAD + sizes.row, y: top + sizes.head + bars, cell: sizes.cell, tall: sizes.cell, bars };
  const width = Math.max(g.x + S * g.cell + sizes.lean + PAD, 260), height = g.y + T * g.tall + PAD;
  return { width, height, paint(pen) {
    heading(pen, width, height);
    drawMatrix(pen, data, g, look, c);
    tgt.forEach((token, t) => pen.text(g.x - 8, g.y + (t + 0.5) * g.tall, shortened(token, (sizes.row - 24) / sizes.font),
      t > data.step ? c.muted : c.target, sizes.font, "end"));
    src.forEach((token, s) => {
      const x = g.x + (s + 0.5) * g.cell, y = g.y - bars - 4;
      const [turn, anchor, up] = { flat: [0, "middle", 8], slanted: [-45, "start", 4], upright: [-90, "start", 2] }[sizes.style];
      pen.text(x, y - up, shortened(token, 9), c.source, sizes.font, anchor, turn);
    });
  } };
}

// ---------------------------------------------------------------- small DOM helpers

// ---------------------------------------------------------------- the two views
// Each is words and cells to reach by pointer and keys, over one canvas that shows the weights.
// Methods: resize(width, coarse), paint(look, colours), step(t), light(pinned, hovered),
// labels(), node(t, s), next(key, at, ctrl), reveal(s).

function matrixView(data) {
  const { src, tgt, T, S, at } = data;
  const cells = [], rows = [], heads = { src: [], tgt: [] };
  const position = (t, s) => ({ "data-t": t, "data-s": s, tabindex: -1 });

  const top = h("tr", { class: "att-head" }, h("td", { class: "att-corner" },
    h("span", { class: "att-tgt" }, "target ↓"), h("span", { class: "att-src" }, "source →")));
  src.forEach((token, s) => heads.src.push(h("th", { scope: "col", ...position(-1, s) }, tokenNode("src", token))));
  top.append(...heads.src);
  const strip = h("tr", { class: "att-bars", "aria-hidden": "true" }, h("td"), S ? h("td", { colspan: S }) : null);
  const body = h("tbody");
  tgt.forEach((token, t) => {
    heads.tgt.push(h("th", { scope: "row", ...position(t, -1) }, tokenNode("tgt", token)));
    const row = h("tr", {}, heads.tgt[t]);
    for (let s = 0; s < S; s++) {
      cells.push(h("td", { role: "gridcell", "data-testid": "alignment-cell", ...position(t, s) }));
      row.append(cells.at(-1));
    }
    rows.push(row);
    body.append(row);
  });
  const grid = h("table", { role: "grid", class: "att-grid", "aria-label": data.title || "Attention weights",
    "aria-rowcount": T + 1, "aria-colcount": S + 1 }, h("thead", {}, top, strip), body);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const element = h("div", { class: "att-scroll" }, h("div", { class: "att-stage" }, canvas, grid));

  const mark = marker();
  let home = null, place = null;
  const node = (t, s) => (t < 0 ? heads.src[s] : s < 0 ? heads.tgt[t] : cells[t * S + s]);

  return {
    element, area: grid, node,
    resize(width, coarse) {
      const sizes = layout(width, src, tgt, coarse);
      element.toggleAttribute("data-more", sizes.row + sizes.cell * S + sizes.lean > sizes.width);
      grid.dataset.heads = sizes.style;
      grid.dataset.size = sizes.cell < 18 ? "small" : "large";
      for (const key of ["cell", "row", "head", "lean", "font"]) grid.style.setProperty(`--${key}`, `${sizes[key]}px`);
      if (!T || !S) { place = null; return; }
      const bars = strip.offsetHeight, [x, y] = [cells[0].offsetLeft, strip.offsetTop];
      canvas.style.setProperty("left", `${x}px`);
      canvas.style.setProperty("top", `${y}px`);
      place = { x: 0, y: bars, bars, cell: cells[0].offsetWidth, tall: body.offsetHeight / T };
    },
    paint(look, colours) {
      if (place) drawMatrix(pencil(canvas, place.cell * S, place.bars + place.tall * T), data, place, look, colours);
    },
    labels() {
      cells.forEach((cell, i) => {
        const t = Math.floor(i / S), s = i % S, text = at(t, s).toFixed(3) + (data.isGold(t, s) ? ", gold link" : "");
        if (cell.ariaLabel !== text) cell.setAttribute("aria-label", text);
      });
    },
    step(t) {
      rows.forEach((row, i) => {
        row.classList.toggle("att-future", i > t);
        row.classList.toggle("att-now", i === t);
      });
    },
    light(pinned, hovered) {
      const [t, s] = hovered || pinned || [-1, -1];
      mark([rows[t], "att-lit"], [heads.src[s], "att-lit"], [t >= 0 && s >= 0 ? node(t, s) : null, "att-cell"]);
      const next = pinned ? node(...pinned) : home || node(...(S && T ? [0, 0] : S ? [-1, 0] : [0, -1]));
      if (!next || next === home) return; // the one cell that Tab reaches
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    },
    next: (key, from, ctrl) => nextCell(key, from, T, S, ctrl),
    reveal(s) { // scroll the box, never the page, so that column s is in sight
      if (element.scrollWidth <= element.clientWidth || !heads.src[s]) return;
      const left = heads.src[s].offsetLeft, size = heads.src[s].offsetWidth, from = element.scrollLeft + heads.tgt[0].offsetWidth;
      if (left < from) element.scrollLeft += left - from;
      else if (left + size > element.scrollLeft + element.clientWidth) element.scrollLeft = left + size - element.clientWidth;
    },
  };
}

function flowView(data) {
  const { src, tgt, T, S, at } = data;
  const side = (name, tokens, attributes) => {
    const words = tokens.map((token, i) => h("button", { type: "button", class: "att-item", "data-testid": "alignment-word",
      tabindex: -1, "aria-pressed": "false", ...attributes(i) }, tokenNode(name, token)));
    const label = name === "src" ? "Source words" : "Target words";
    return { words, element: h("div", { class: "att-words", role: "group", "aria-label": label }, ...words) };
  };
  const source = side("src", src, (s) => ({ "data-t": -1, "data-s": s }));
  const target = side("tgt", tgt, (t) => ({ "data-t": t, "data-s": -1 }));
  const canvas = h("canvas", { "aria-hidden": "true" });
  const element = h("div", { class: "att-flow", role: "group", "aria-label": data.title || "Attention as ribbons" },
    canvas, source.element, target.element);

  const mark = marker();
  let place = null, home = null, pressed = null;
  const node = (t, s) => (t >= 0 ? target.words[t] : source.words[s]);
  const partner = (t, s) => {
    const values = t >= 0 ? src.map((_, i) => at(t, i)) : tgt.slice(0, data.step + 1).map((_, i) => at(i, s));
    return largest(values, 1)[0];
  };

  return {
    element, area: element, node,
    resize() {
      element.dataset.lay = "rows";
      const fits = (box) => box.scrollWidth <= box.clientWidth + 1;
      if (![source.element, target.element].every(fits)) element.dataset.lay = "columns";
      const upright = element.dataset.lay === "rows";
      const edge = (word, first) => (upright
        ? [word.offsetLeft + word.offsetWidth / 2, word.offsetTop + (first ? word.offsetHeight : 0)]
        : [word.offsetLeft + (first ? word.offsetWidth : 0), word.offsetTop + word.offsetHeight / 2]);
      place = { upright, width: element.clientWidth, height: element.offsetHeight,
        src: source.words.map((word) => edge(word, true)), tgt: target.words.map((word) => edge(word, false)) };
    },
    paint(look, colours) {
      if (place?.width && S) drawFlow(pencil(canvas, place.width, place.height), data, place, look, colours);
    },
    labels() {},
    step(t) {
      target.words.forEach((word, i) => {
        word.classList.toggle("att-future", i > t);
        word.classList.toggle("att-now", i === t);
      });
    },
    light(pinned, hovered) {
      const [t, s] = hovered || pinned || [-1, -1];
      mark([target.words[t], "att-lit"], [source.words[s], "att-lit"]);
      const now = pinned ? node(...pinned) : null;
      if (pressed !== now) {
        pressed?.setAttribute("aria-pressed", "false");
        now?.setAttribute("aria-pressed", "true");
        pressed = now;
      }
      const next = now || home || target.words[0] || source.words[0];
      if (!next || next === home) return;
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    },
    next: (key, from) => nextWord(key, from, T, S, element.dataset.lay === "columns", partner),
    reveal() {},
  };
}

// ---------------------------------------------------------------- controls and wiring

function snapshotControl(N, play, go) {
  if (N < 2) return { element: null, show() {} };
  const slider = h("input", { type: "range", min: 0, max: N - 1, step: 1, "data-testid": "alignment-snapshot",
    "aria-label": "Training snapshot", oninput: () => go(+slider.value) });
  const readout = h("output", { class: "att-readout", "aria-live": "off" });
  return {
    element: h("div", { class: "att-controls" }, h("span", { class: "att-buttons att-label" }, play.button, "training"), slider, readout),
    show(i, label) {
      slider.value = i;
      slider.setAttribute("aria-valuetext", label);
      readout.textContent = label;
    },
  };
}

function legend() {
  const sample = (w, text) => h("span", { class: "att-sample", "data-w": w }, h("i", { "aria-hidden": "true" }), text);
  return h("span", { class: "att-legend" }, "weight", sample(0.1, "0.1"), sample(0.5, "0.5"), sample(1, "1"));
}

/** Everything drawn from one state of the data traits. */
function figure(model, root, page) {
  const [N, T, S] = model.get("shape");
  const all = unpack(model.get("weights"), N, T, S);
  const links = model.get("gold");
  const gold = new Set((links || []).map(([t, s]) => t * S + s));
  const data = {
    src: model.get("src"), tgt: model.get("tgt"), title: model.get("title"), T, S, links: links || [],
    hasGold: links !== null && links !== undefined, isGold: (t, s) => gold.has(t * S + s),
    step: 0, threshold: 0, snapshot: 0, at: (t, s) => all[(data.snapshot * T + t) * S + s] / 1000,
  };
  const name = data.title || "Attention weights";
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const label = () => (model.get("snapshots") || [])[data.snapshot] || `snapshot ${data.snapshot + 1} of ${N}`;
  const views = {}; // built when first shown
  const makers = { matrix: matrixView, flow: flowView };
  let shown = null, hovered = null, frame = 0, settling = 0;

  const playing = () => steps.on || training.on;
  const changed = () => say.setAttribute("aria-live", playing() ? "off" : "polite"); // a reader who plays doesn't want each step read out
  const go = (step) => {
    set({ focus: null, step: clamp(step, T) });
    shown.reveal(largest(data.src.map((_, s) => data.at(data.step, s)), 1)[0]);
  };
  const steps = player("alignment-play", "Play the decoder steps", "Pause", PLAY_MS, T, { at: () => data.step, go, changed });
  const training = player("alignment-snapshot-play", "Watch the alignment form", "Pause the training", Math.max(80, Math.min(8000 / N, 700)), N,
    { at: () => data.snapshot, go: (snapshot) => set({ snapshot }), changed });
  const stepper = stepControls(T, steps, {
    go(step) { steps.stop(); go(step); },
    move(by) { steps.stop(); go(data.step + by); },
  }, { name: "alignment-step", label: "Decoder step" });
  const snapshots = snapshotControl(N, training, (snapshot) => { training.stop(); set({ snapshot }); });
  const choice = choiceControl("alignment-view", "View", [["matrix", "Matrix"], ["flow", "Flow"]], (view) => set({ view }));
  const threshold = sliderControl("alignment-threshold", "hide below", { min: 0, max: 1, step: 0.01 }, (value) => set({ threshold: value }),
    (value) => (value ? `weights below ${value.toFixed(2)} are hidden` : "every weight is shown"));
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "alignment-sentence" });
  const check = h("input", { type: "checkbox", "data-testid": "alignment-gold", onchange: () => set({ show_gold: check.checked }) });
  const table = tableControl("alignment-table", "Table of weights", () => ({
    caption: name + (N > 1 ? `, ${label()}` : "") + (data.hasGold ? "; ● marks a gold link" : ""),
    head: ["target \\ source", ...data.src.map((token) => tokenNode("src", token))],
    rows: data.tgt.map((token, t) => [tokenNode("tgt", token),
      ...data.src.map((_, s) => data.at(t, s).toFixed(3) + (data.isGold(t, s) ? " ●" : ""))]),
  }));
  const stage = h("div", { class: "att-view" });
  const inside = (cell) => cell && cell[0] < T && cell[1] < S;
  const pinned = () => (inside(model.get("focus")) ? model.get("focus") : null); // it may be of older, larger data
  const look = () => ({ lit: hovered || pinned(), gold: model.get("show_gold") && data.hasGold });
  const make = () => {
    const caption = [N > 1 && label(), T > 0 && `step ${data.step + 1} of ${T}`, data.threshold > 0 && `weights below ${data.threshold.toFixed(2)} hidden`];
    return { ...picture(data, model.get("view"), look(), page.colours, caption.filter(Boolean).join(" · ")), description: spoken(sentence(data, look().lit)) };
  };
  root.replaceChildren(...[
    h("div", { class: "att-top" }, data.title ? h("p", { class: "att-title" }, data.title) : h("span"), choice.element),
    stepper.element, snapshots.element, stage, say,
    h("div", { class: "att-foot" }, data.hasGold ? h("label", { class: "att-check" }, check, h("i", { "aria-hidden": "true" }), "gold links") : null,
      threshold.element, legend()),
    table.element, ...saveControls({ prefix: "alignment", name, make, csv: () => csv(data), empty: !T || !S })].filter(Boolean));

  function speak() {
    say.replaceChildren(...spokenNodes(sentence(data, look().lit)));
    if (page.named && data.title) say.prepend(h("span", { class: "att-sr" }, `${data.title}: `));
  }
  const repaint = () => { // once a frame, however much has changed
    frame ||= requestAnimationFrame(() => { frame = 0; shown.paint(look(), page.colours); });
  };
  const settle = () => { // what only screen readers and the open table need may follow a moment later
    clearTimeout(settling);
    settling = setTimeout(() => { shown.labels(); table.fill(); }, 120);
  };
  const light = () => { shown.light(pinned(), hovered); speak(); repaint(); };
  const resize = () => { shown.resize(page.width, page.coarse.matches); repaint(); };
  const draw = {
    view() {
      const kind = model.get("view");
      choice.show(kind);
      if (!views[kind]) { views[kind] = makers[kind](data); wire(views[kind]); }
      shown = views[kind];
      hovered = null;
      root.dataset.attView = kind;
      stage.replaceChildren(shown.element);
      shown.step(data.step);
      shown.labels();
      resize();
      light();
    },
    step() { data.step = clamp(model.get("step"), T); stepper.show(data.step, data.tgt[data.step] || ""); shown.step(data.step); light(); },
    snapshot() { data.snapshot = clamp(model.get("snapshot"), N); snapshots.show(data.snapshot, label()); settle(); light(); },
    threshold() { data.threshold = model.get("threshold"); threshold.show(data.threshold); repaint(); },
    show_gold() { check.checked = model.get("show_gold"); repaint(); },
    focus: light,
  };

  const pin = (cell) => { hovered = null; set({ focus: cell }); };
  const hover = (cell, told = true) => {
    if (String(cell) === String(hovered)) return;
    hovered = cell;
    light();
    if (told) root.dispatchEvent(new CustomEvent("att-hover", { bubbles: true, detail: cell }));
  };
  function wire({ area, node, next }) {
    const cellOf = (event) => {
      const item = event.target.closest("[data-t]");
      return item && area.contains(item) ? [+item.dataset.t, +item.dataset.s] : null;
    };
    area.addEventListener("pointerover", (e) => { if (e.pointerType !== "touch") hover(cellOf(e)); });
    area.addEventListener("pointerleave", () => hover(null));
    area.addEventListener("focusin", (e) => { const cell = cellOf(e); if (cell) pin(cell); });
    area.addEventListener("click", (e) => { const cell = cellOf(e); if (cell) { pin(cell); node(...cell).focus(); } });
    area.addEventListener("keydown", (e) => {
      const cell = cellOf(e);
      if (!cell || e.altKey || e.metaKey) return;
      if (e.key === "Escape") { hovered = null; set({ focus: null }); e.preventDefault(); return; }
      const to = next(e.key, cell, e.ctrlKey);
      if (!to) return;
      e.preventDefault();
      e.stopPropagation(); // the notebook has keys of its own
      node(...to).focus();
    });
  }
  const peer = (e) => hover(inside(e.detail) ? e.detail : null, false); // the other figure of a pair is pointed at
  root.addEventListener("att-peer", peer);
  const stop = () => {
    steps.stop();
    training.stop();
    cancelAnimationFrame(frame);
    clearTimeout(settling);
    root.removeEventListener("att-peer", peer);
  };
  return { draw, resize, repaint, stop };
}

const render = framed({
  kind: "alignment", label: (model) => model.get("title") || "Attention weights",
  data: ["src", "tgt", "shape", "weights", "gold", "title", "snapshots"], figure,
});

export default { render };
