// RecurrentView: an encoder's state h_i while it reads, unit by unit. Drawn from the traits of
// recurrent.py, in a live notebook and on a static page alike. Columns are words, rows units;
// in each cell a bar leans left for a negative number and right for a positive one. The strip on
// the right is the one vector the network really has; the columns are our memory of it.

import {
  visible, wordWidth, shortened, h, tokenNode, clamp, pencil, player, stepControls, choiceControl,
  sliderControl, tableControl, saveControls, framed, spoken, spokenNodes, csvLine, viewOf,
} from "./base.js";

const PLAY_MS = 1100;
const PAGE_UNITS = 8; // rows moved by PageUp and PageDown

// ---------------------------------------------------------------- pure functions (node tests)

/** Bytes of `_packed` in recurrent.py to whole thousandths, row by row; null if there are none. */
export function thousandths(bytes, count) {
  const view = viewOf(bytes);
  if (!view.byteLength) return null;
  if (view.byteLength !== 2 * count) throw new Error(`${view.byteLength} bytes cannot hold ${count} numbers`);
  return Int16Array.from({ length: count }, (_, i) => view.getInt16(2 * i, true));
}

/** Everything the figure says, from the numbers: at(i, u), before(i, u), change[i], read(i), … */
export function reader({ tokens, S, H, states, backward, reset, update }) {
  const data = {
    tokens, S, H, hasGates: Boolean(reset), hasBackward: Boolean(backward),
    step: S - 1, unit: 0, shows: "state", reading: "forward", order: "index", final: false, title: "",
    get back() { return data.reading === "backward"; },
    /** The word that has just been read. */
    get now() { return data.back ? S - 1 - data.step : data.step; },
    /** At which step word i is read. */
    when: (i) => (data.back ? S - 1 - i : i),
    read: (i) => data.when(i) <= data.step,
    state: (i, u) => (data.back ? backward : states)[i * H + u] / 1000,
    /** The unit's state before word i was read; h_0 is 0. */
    before: (i, u) => (data.when(i) === 0 ? 0 : data.state(data.back ? i + 1 : i - 1, u)),
    gate: (name, i, u) => (name === "reset" ? reset : update)[i * H + u] / 1000,
    at: (i, u) => (data.shows === "state" ? data.state(i, u) : data.gate(data.shows, i, u)),
  };
  const known = {};
  const once = (name, make) => (known[`${name} ${data.reading}`] ??= make());
  const units = Array.from({ length: H }, (_, u) => u);
  /** How far each word moved the whole state: the length of h_i − h_{i−1}. */
  Object.defineProperty(data, "change", { get: () => once("change", () => tokens.map((_, i) =>
    Math.sqrt(units.reduce((sum, u) => sum + (data.state(i, u) - data.before(i, u)) ** 2, 0)))) });
  /** The step at which each unit changes most, the earlier one among equals. */
  Object.defineProperty(data, "turns", { get: () => once("turns", () => units.map((u) => {
    let best = 0, most = -1;
    for (let step = 0; step < S; step++) {
      const i = data.back ? S - 1 - step : step, moved = Math.abs(data.state(i, u) - data.before(i, u));
      if (moved > most) [best, most] = [step, moved];
    }
    return best;
  })) });
  /** The units from the top row to the bottom one. */
  Object.defineProperty(data, "rows", { get: () => (data.order === "index" ? units
    : once("rows", () => [...units].sort((a, b) => data.turns[a] - data.turns[b] || a - b))) });
  return data;
}

/** A number with three decimals and a real minus, never −0. */
export const figures = (value, places = 3) => {
  const text = Math.abs(value).toFixed(places);
  return (value < 0 && +text !== 0 ? "−" : "") + text;
};

/** "h₁₂": a letter and its index. */
export const indexed = (letter, i) => letter + String(i).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);

/** Words in a row, the middle left out where there are many. */
export function phrase(words, most = 6) {
  const shown = words.map(visible);
  return (shown.length <= most ? shown : [...shown.slice(0, 2), "…", ...shown.slice(2 - most)]).join(" ");
}

/** What is lit, in words. lit: null (the word just read, the chosen unit) or {i, u}. */
export function sentence(data, lit) {
  const { tokens, S, back } = data, i = lit ? lit.i : data.now, u = lit ? lit.u : data.unit;
  const token = { side: "src", text: visible(tokens[i]) }, name = indexed("h", i + 1);
  if (!data.read(i)) return [token, ` has not been read yet: the encoder is at `, { side: "src", text: visible(tokens[data.now]) }, "."];
  if (data.shows !== "state") {
    const gate = data.gate(data.shows, i, u), reset = data.shows === "reset";
    return [`Reading `, token, `, the ${data.shows} gate ${indexed(reset ? "r" : "z", i + 1)} of unit ${u} is ${figures(gate)}: `,
      reset ? `that much of the old state reaches unit ${u}’s candidate.`
        : `${figures(gate)} of its old value ${figures(data.before(i, u))} stays, ${figures(1 - gate)} of the new candidate comes in.`];
  }
  const order = back ? tokens.slice(i).reverse() : tokens.slice(0, i + 1);
  const last = data.final && data.when(i) === S - 1;
  return [`${back ? "Backward, " : ""}${name}${last ? " = c" : ""} has read `, { side: "src", text: phrase(order) },
    order.length > 6 ? ` (${order.length} words)` : "", `. Unit ${u} is ${figures(data.state(i, u))}, was ${figures(data.before(i, u))}`,
    ...(data.when(i) === 0 ? [" at the start"] : [" before ", token]), `. The whole state moved by ${figures(data.change[i], 2)}.`].filter(Boolean);
}

/** Where everything stands, in px, for a box `width` wide. */
export function layout(width, tokens, H, coarse) {
  const S = tokens.length, narrow = width < 520, font = narrow ? 13 : 14;
  const gutter = narrow ? 60 : 70, strip = narrow ? 84 : 116, gap = narrow ? 8 : 14;
  const longest = Math.max(1, ...tokens.map(wordWidth));
  const col = Math.min(Math.max(Math.floor((width - gutter - strip - gap) / S), coarse ? 14 : 9), 92);
  const upright = longest * font > col - 4;
  const small = Math.max(9, Math.min(font, col - 1));
  const row = Math.max(2, Math.min(24, Math.floor(390 / H)));
  const words = upright ? Math.ceil(Math.min(longest, 8) * small) + 18 : Math.ceil(font * 1.6);
  const name = words, change = name + 20, map = change + 46, trace = map + row * H + 12;
  return { width, font: small, gutter, strip, gap, col, upright, row, narrow, wide: col * S,
    room: Math.min(col * S, width - gutter - strip - gap), words, name, change, map, trace, height: trace + 74 };
}

/** The numbers shown as CSV text: a line for each unit, a column for each word. */
export function csv(data) {
  const name = { state: "h", reset: "r", update: "z" }[data.shows];
  return csvLine(`unit of ${name}`, ...data.tokens)
    + data.rows.map((u) => csvLine(u, ...data.tokens.map((_, i) => data.at(i, u).toFixed(3)))).join("")
    + csvLine("change of the state", ...data.change.map((c) => c.toFixed(3)));
}

// ---------------------------------------------------------------- drawing with a pen

const STATE = "state";
const colourOf = (value, c) => (value < 0 ? c.target : c.attention);

/** One number as a bar: from the middle for a state, from the left edge for a gate. */
function cell(pen, x, y, w, tall, value, shows, c) {
  const size = Math.abs(value), strong = 0.45 + 0.55 * size; // longer and stronger
  if (size < 0.0005) return;
  if (shows !== STATE) { pen.rect(x + 1, y, value * (w - 3), tall, c.encoder, strong); return; }
  const middle = x + w / 2, length = size * (w / 2 - 1);
  pen.rect(value < 0 ? middle - length : middle, y, length, tall, colourOf(value, c), strong);
}

/** Columns of all words read so far, the bars of change over them, and the names h_i. */
export function drawMap(pen, data, g, x0, c) {
  const { S, H, rows, shows } = data, tall = g.row > 2 ? g.row - 1 : g.row;
  const most = Math.max(...data.change, 1e-9), letter = { state: "h", reset: "r", update: "z" }[shows];
  for (let i = 0; i < S; i++) {
    const x = x0 + i * g.col, now = i === data.now;
    pen.rect(x, g.map, g.col - 1, g.row * H, c.ink, data.read(i) ? 0.045 : 0.02);
    if (!data.read(i)) continue;
    if (now) pen.rect(x, g.name, g.col - 1, 20, c.source, 0.14);
    const last = data.final && shows === STATE && data.when(i) === S - 1;
    const label = indexed(letter, i + 1) + (last && g.col >= 44 ? " = c" : "");
    if (g.col >= 22 || now) pen.text(x + g.col / 2, g.name + 10, g.col < 22 && last ? "c" : label, now ? c.source : c.muted, g.col < 30 ? 11 : 13, "middle", 0, now);
    const bar = (data.change[i] / most) * 22;
    pen.rect(x + g.col / 2 - Math.min(g.col * 0.3, 12), g.change + 38 - bar, Math.min(g.col * 0.6, 24), bar, c.encoder, now ? 1 : 0.55);
    if (g.col >= 34) pen.text(x + g.col / 2, g.change + 30 - bar, figures(data.change[i], 2), c.muted, 11, "middle");
    if (shows === STATE) pen.rect(x + (g.col - 1) / 2 - 0.5, g.map, 1, g.row * H, c.ink, 0.3);
    for (let r = 0; r < H; r++) cell(pen, x, g.map + r * g.row, g.col - 1, tall, data.at(i, rows[r]), shows, c);
    if (now) pen.frame(x - 0.5, g.map - 1, g.col, g.row * H + 2, c.source, 2);
  }
  pen.rect(x0, g.change + 38, g.col * S - 1, 1, c.muted);
}

/** The chosen unit: its row across all columns, and its numbers over time below. */
export function drawUnit(pen, data, g, x0, unit, pointed, c) {
  const { S, shows } = data, y = g.map + data.rows.indexOf(unit) * g.row;
  for (const edge of [y - 2, y + g.row]) pen.rect(x0, edge, g.col * S - 1, 1.5, c.ink, 0.9);
  if (pointed >= 0) pen.frame(x0 + pointed * g.col - 0.5, y - 2, g.col, g.row + 4, c.ink, 2);
  const middle = shows === STATE ? g.trace + 37 : g.trace + 62, half = shows === STATE ? 25 : 48;
  if (shows === STATE) for (const edge of [-half, half]) pen.rect(x0, middle + edge, g.col * S - 1, 1, c.ink, 0.12);
  else pen.rect(x0, middle - half, g.col * S - 1, 1, c.ink, 0.12);
  for (let i = 0; i < S; i++) {
    if (!data.read(i)) continue;
    const value = data.at(i, unit), x = x0 + i * g.col + (g.col - 1) / 2, w = Math.min(g.col * 0.6, 24), bar = Math.abs(value) * half;
    if (i === (pointed >= 0 ? pointed : data.now)) pen.rect(x0 + i * g.col, g.trace, g.col - 1, 74, c.source, 0.1);
    pen.rect(x - w / 2, value < 0 ? middle : middle - bar, w, bar, shows === STATE ? colourOf(value, c) : c.encoder);
    if (g.col >= 34) pen.text(x, value < 0 ? middle + bar + 8 : middle - bar - 7, figures(value, g.col >= 46 ? 3 : 2), c.ink, 11, "middle");
  }
  pen.rect(x0, middle - 0.5, g.col * S - 1, 1, c.muted);
}

/** What the rows are, left of the map. */
export function drawGutter(pen, data, g, x, unit, c) {
  const right = x + g.gutter - 8, { H, rows, shows } = data;
  const say = (y, text, colour = c.muted, bold = false) => pen.text(right, y, text, colour, g.narrow ? 11 : 12, "end", 0, bold);
  say(g.change + 28, "change");
  const at = g.map + (rows.indexOf(unit) + 0.5) * g.row, top = g.map + 6, bottom = g.map + g.row * H - 6;
  const [first, last] = data.order === "index" ? [`unit ${rows[0]}`, rows.at(-1)] : ["early", "late"];
  if (H > 1 && Math.abs(at - top) > 15) say(top, first);
  if (H > 1 && Math.abs(at - bottom) > 15) say(bottom, String(last));
  say(at, `${unit} ▸`, c.ink, true);
  say(g.trace + 37, `unit ${unit}`, c.ink, true);
  if (shows === STATE) { say(g.trace + 12, "1"); say(g.trace + 62, "−1"); } else { say(g.trace + 14, "1"); say(g.trace + 62, "0"); }
}

/** The vector as it is now, with the values one word earlier as ticks. */
export function drawStrip(pen, data, g, x, unit, c) {
  const { H, S, rows, shows, now } = data, w = g.strip, tall = g.row > 2 ? g.row - 1 : g.row;
  const letter = { state: "h", reset: "r", update: "z" }[shows], last = data.final && shows === STATE && data.step === S - 1;
  pen.text(x + w / 2, g.name + 10, `now: ${indexed(letter, now + 1)}${last ? " = c" : ""}`, c.source, 13, "middle", 0, true);
  const marks = shows === STATE ? [[0.02, "−1", "start"], [0.5, "0", "middle"], [0.98, "1", "end"]] : [[0.02, "0", "start"], [0.98, "1", "end"]];
  for (const [part, text, anchor] of marks) pen.text(x + part * w, g.map - 10, text, c.muted, 11, anchor);
  pen.rect(x, g.map, w, g.row * H, c.source, 0.07);
  const y = g.map + rows.indexOf(unit) * g.row;
  if (shows === STATE) pen.rect(x + w / 2 - 0.5, g.map, 1, g.row * H, c.ink, 0.3);
  rows.forEach((u, r) => {
    const top = g.map + r * g.row;
    cell(pen, x, top, w, tall, data.at(now, u), shows, c);
    if (shows === STATE && data.step > 0) pen.rect(x + w / 2 + data.before(now, u) * (w / 2 - 1) - 1, top, 2, tall, c.ink, 0.75);
  });
  pen.frame(x + 1, g.map - 1, w - 2, g.row * H + 2, c.source, 2);
  for (const edge of [y - 2, y + g.row]) pen.rect(x, edge, w, 1.5, c.ink, 0.9);
  pen.text(x + w / 2, g.trace + 26, figures(data.at(now, unit)), c.ink, 18, "middle", 0, true);
  if (shows === STATE) pen.text(x + w / 2, g.trace + 48, `was ${figures(data.before(now, unit))}`, c.muted, 12, "middle");
}

/** A whole picture to save: returns {width, height, paint(pen)}. */
export function picture(data, c) {
  const PAD = 16, top = PAD + (data.title ? 26 : 0), base = layout(760, data.tokens, data.H, false), g = { ...base };
  for (const key of ["words", "name", "change", "map", "trace", "height"]) g[key] += top;
  const x0 = PAD + g.gutter, right = x0 + g.wide + g.gap, width = right + g.strip + PAD, height = g.height + PAD;
  return { width, height, paint(pen) {
    pen.rect(0, 0, width, height, c.surface);
    if (data.title) pen.text(PAD, PAD + 10, shortened(data.title, (width - 2 * PAD) / 9), c.ink, 16, "start", 0, true);
    data.tokens.forEach((token, i) => {
      const colour = data.read(i) ? c.source : c.muted, x = x0 + (i + 0.5) * g.col;
      if (g.upright) pen.text(x, g.words - 4, shortened(token, 8), colour, g.font, "start", -90, i === data.now);
      else pen.text(x, g.words - 11, token, colour, g.font, "middle", 0, i === data.now);
    });
    drawMap(pen, data, g, x0, c);
    drawUnit(pen, data, g, x0, data.unit, -1, c);
    drawGutter(pen, data, g, PAD, data.unit, c);
    drawStrip(pen, data, g, right, data.unit, c);
  } };
}

// ---------------------------------------------------------------- the figure

const NAMES = { state: "state", reset: "reset gate", update: "update gate" };

function figure(model, root, page) {
  const [S, H] = model.get("shape"), numbers = (name) => thousandths(model.get(name), S * H);
  const data = reader({ tokens: model.get("tokens"), S, H, states: numbers("states"), backward: numbers("backward"), reset: numbers("reset"), update: numbers("update") });
  data.title = model.get("title");
  data.final = model.get("final");
  data.step = clamp(model.get("step"), S);
  const name = data.title || "The encoder reads";
  let hovered = null, g = null, frame = 0, whole = false, settling = 0;
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };

  const steps = player("recurrent-play", "Play: read word by word", "Pause", PLAY_MS, S, { at: () => data.step, go,
    changed: () => say.setAttribute("aria-live", steps.on ? "off" : "polite") });
  const stepper = stepControls(S, steps, {
    go(step) { steps.stop(); go(step); },
    move(by) { steps.stop(); go(data.step + by); },
  }, { name: "recurrent-step", label: "Words read" });
  function go(step) { hovered = null; set({ step: clamp(step, S) }); reveal(); }

  const choices = [["state", "state h"], ["reset", "reset r"], ["update", "update z"]];
  const shows = data.hasGates ? choiceControl("recurrent-shows", "What is shown", choices, (value) => set({ shows: value })) : null;
  const reading = data.hasBackward ? choiceControl("recurrent-reading", "Direction of reading", [["forward", "→ forward"], ["backward", "← backward"]],
    (value) => set(value === "backward" ? { shows: STATE, reading: value } : { reading: value })) : null;
  const order = H > 1 ? choiceControl("recurrent-order", "Order of the units", [["index", "by number"], ["change", "by largest change"]], (value) => set({ order: value })) : null;
  const picker = H > 1 ? sliderControl("recurrent-unit", "unit", { min: 0, max: H - 1, step: 1 }, (row) => choose(data.rows[row]),
    () => `unit ${data.unit}: ${figures(data.at(data.now, data.unit))}`, () => String(data.unit)) : null;
  function choose(unit) { hovered = null; set({ unit }); }

  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "recurrent-sentence" });
  const table = tableControl("recurrent-table", "Table of numbers", () => ({
    caption: `${name}: ${NAMES[data.shows]} of each unit after each word; units are counted from 0, as in the code`,
    head: ["unit", ...data.tokens.map((token) => tokenNode("src", token))],
    rows: [...data.rows.map((u) => [u, ...data.tokens.map((_, i) => figures(data.at(i, u)))]),
      ["change", ...data.change.map((c) => figures(c))]],
  }));

  const words = data.tokens.map((token, i) => h("span", { class: "rec-word", "data-i": i }, tokenNode("src", token)));
  const canvas = () => h("canvas", { "aria-hidden": "true" });
  const [left, under, over, right] = [canvas(), canvas(), canvas(), canvas()];
  const map = h("div", { class: "rec-map", role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Unit followed through time",
    "aria-valuemin": 0, "aria-valuemax": H - 1, "data-testid": "recurrent-map" });
  const inner = h("div", { class: "rec-inner" }, h("div", { class: "rec-words" }, ...words), under, over, map);
  const scroller = h("div", { class: "att-scroll rec-scroll" }, inner);
  const stage = h("div", { class: "att-view rec-stage" }, left, scroller, right);
  const legend = h("span", { class: "rec-legend" }, h("span", { class: "att-tgt" }, "◂ below 0"), h("span", { class: "rec-high" }, "above 0 ▸"), h("span", {}, h("b", { "aria-hidden": "true" }, "|"), " one word earlier"));
  const gateLegend = h("span", { class: "rec-legend" }, h("span", { class: "rec-gate" }, "▬ from 0 to 1"));

  root.replaceChildren(...[
    h("div", { class: "att-top" }, data.title ? h("p", { class: "att-title" }, data.title) : h("span"), shows?.element, reading?.element),
    stepper.element, stage, say,
    h("div", { class: "att-foot" }, picker?.element, order?.element, legend, gateLegend),
    table.element, ...saveControls({ prefix: "recurrent", name, csv: () => csv(data),
      make: () => ({ ...picture(data, page.colours), description: spoken(sentence(data, null)) }) })].filter(Boolean));

  function resize() {
    g = layout(page.width, data.tokens, H, page.coarse.matches);
    stage.dataset.words = g.upright ? "upright" : "flat";
    const px = { "--col": g.col, "--font": g.font, "--words": g.words, "--height": g.height, "--room": g.room, "--gap": g.gap };
    for (const [key, value] of Object.entries(px)) stage.style.setProperty(key, `${value}px`);
    inner.style.setProperty("width", `${g.wide}px`);
    map.style.setProperty("top", `${g.map}px`);
    map.style.setProperty("height", `${g.row * H}px`);
    scroller.toggleAttribute("data-more", g.wide > g.room);
    reveal();
    paint(true);
  }
  function reveal() { // scroll the box, never the page, so that the word just read is in sight
    if (!g || g.wide <= g.room) return;
    const x = data.now * g.col;
    if (x >= scroller.scrollLeft && x + g.col <= scroller.scrollLeft + g.room) return;
    scroller.scrollLeft = data.back ? x - g.col : x + 2 * g.col - g.room; // what was read before it, too
  }
  function paint(all) { // once a frame; the map itself only if it has changed
    whole ||= all;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      const c = page.colours, unit = hovered ? hovered.u : data.unit;
      if (whole) drawMap(pencil(under, g.wide, g.height), data, g, 0, c);
      whole = false;
      drawUnit(pencil(over, g.wide, g.height), data, g, 0, unit, hovered ? hovered.i : -1, c);
      drawGutter(pencil(left, g.gutter, g.height), data, g, 0, unit, c);
      drawStrip(pencil(right, g.strip, g.height), data, g, 0, unit, c);
    });
  }
  function speak() {
    const lit = hovered && (hovered.i !== data.now || hovered.u !== data.unit) ? hovered : null;
    say.replaceChildren(...spokenNodes(sentence(data, lit)));
  }
  function light(all = false) {
    const unit = data.unit;
    map.setAttribute("aria-valuenow", data.rows.indexOf(unit));
    map.setAttribute("aria-valuetext", `unit ${unit}: ${figures(data.at(data.now, unit))}`);
    picker?.show(data.rows.indexOf(unit));
    speak();
    paint(all);
    clearTimeout(settling);
    settling = setTimeout(table.fill, 120); // the open table may follow a moment later
  }
  const draw = {
    reading() {
      data.reading = model.get("reading");
      reading?.show(data.reading);
      for (const input of shows?.element.querySelectorAll("input") || []) input.disabled = data.back && input.value !== STATE;
      draw.step();
    },
    shows() {
      data.shows = data.back ? STATE : model.get("shows");
      shows?.show(data.shows);
      legend.hidden = data.shows !== STATE;
      gateLegend.hidden = !legend.hidden;
      light(true);
    },
    order() { data.order = model.get("order"); order?.show(data.order); light(true); },
    unit() { data.unit = clamp(model.get("unit"), H); light(); },
    step() {
      data.step = clamp(model.get("step"), S);
      stepper.show(data.step, data.tokens[data.now]);
      words.forEach((word, i) => {
        word.classList.toggle("rec-now", i === data.now);
        word.classList.toggle("rec-future", !data.read(i));
      });
      light(true);
    },
  };

  const place = (event) => {
    const box = map.getBoundingClientRect();
    const row = clamp(Math.floor((event.clientY - box.top) / g.row), H), i = clamp(Math.floor((event.clientX - box.left) / g.col), S);
    return { i, u: data.rows[row] };
  };
  const hover = (next) => {
    if (next?.i === hovered?.i && next?.u === hovered?.u) return;
    hovered = next;
    speak();
    paint(false);
  };
  map.addEventListener("pointermove", (e) => { if (e.pointerType !== "touch") hover(place(e)); });
  map.addEventListener("pointerleave", () => hover(null));
  map.addEventListener("click", (e) => choose(place(e).u));
  map.addEventListener("keydown", (e) => {
    if (e.altKey || e.metaKey || e.ctrlKey) return;
    const row = data.rows.indexOf(data.unit), back = data.back ? -1 : 1;
    const to = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: row - PAGE_UNITS, PageDown: row + PAGE_UNITS, Home: 0, End: H - 1 }[e.key];
    const by = { ArrowLeft: -back, ArrowRight: back }[e.key];
    if (to === undefined && by === undefined) return;
    e.preventDefault();
    e.stopPropagation(); // the notebook has keys of its own
    if (by) { steps.stop(); go(data.step + by); } else choose(data.rows[clamp(to, H)]);
  });
  inner.firstChild.addEventListener("click", (e) => { // a word leads to the moment it was read; so does the slider
    const word = e.target.closest("[data-i]");
    if (word) { steps.stop(); go(data.when(+word.dataset.i)); }
  });
  const stop = () => {
    steps.stop();
    cancelAnimationFrame(frame);
    clearTimeout(settling);
  };
  resize();
  return { draw, resize, repaint: () => paint(true), stop };
}

const render = framed({
  kind: "recurrent", label: (model) => model.get("title") || "The encoder reads",
  data: ["tokens", "shape", "states", "backward", "reset", "update", "title", "final"], figure,
});

export default { render };
