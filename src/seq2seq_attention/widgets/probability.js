// ProbabilityView: from logits to the next word. Temperature, top-k, top-p and the draws are
// computed here, so that they work on a static page; probability.py says in which order.
// Each word is a row: its name and number are text, its bar lies on one canvas behind them.

import {
  visible, largest, shortened, h, tokenNode, clamp, pencil, player, stepControls, sliderControl,
  tableControl, saveControls, framed, spoken, spokenNodes, csvLine, viewOf,
} from "./base.js";

const PLAY_MS = 1500;
const ROWS = 12; // bars shown; all other words share one more

// ---------------------------------------------------------------- pure functions (node tests)

/** 32-bit floats, little endian, to numbers. */
export function floats(bytes, count) {
  const view = viewOf(bytes);
  if (view.byteLength !== 4 * count) throw new Error(`${view.byteLength} bytes cannot hold ${count} logits`);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat32(4 * i, true));
}

/** exp(l / temperature) over their sum; the largest is subtracted first, so nothing overflows. */
export function softmax(logits, temperature = 1) {
  const top = Math.max(...logits);
  const powers = Array.from(logits, (l) => Math.exp((l - top) / temperature));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((p) => p / sum);
}

/**
 * Temperature, then top-k, then top-p, each scaled to sum to 1 again.
 * Returns {before: after temperature alone, after: what is drawn from, kept: ids, best first}.
 */
export function adjust(logits, { temperature = 1, k = logits.length, p = 1 } = {}) {
  const before = softmax(logits, temperature), scaled = (values, ids) => {
    const sum = ids.reduce((total, id) => total + values[id], 0), out = new Array(values.length).fill(0);
    for (const id of ids) out[id] = values[id] / sum;
    return out;
  };
  let kept = largest(logits, Math.max(1, k)).filter((id) => before[id] > 0);
  let after = scaled(before, kept);
  if (p < 1) { // a word stays while those before it hold less than p
    let mass = 0;
    kept = kept.filter((id) => { const stays = mass < p - 1e-9; mass += after[id]; return stays; });
    after = scaled(after, kept);
  }
  return { before, after, kept };
}

/** How uncertain a draw is, in bits. */
export const entropy = (probabilities) => probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0);

/** A small generator (mulberry32): the same seed gives the same numbers from 0 to 1. */
export function generator(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The id at `random` (0 to 1) when the probabilities lie one after the other. */
export function pick(probabilities, random) {
  let mass = 0, last = 0;
  for (let id = 0; id < probabilities.length; id++) {
    if (!(probabilities[id] > 0)) continue;
    mass += probabilities[id];
    last = id;
    if (random < mass) return id;
  }
  return last; // rounding left the sum a little below 1
}

/** The ids that get a bar, most probable first, `must` among them; and all the others. */
export function shownRows(probabilities, must, most = ROWS) {
  const order = largest(probabilities, probabilities.length);
  if (order.length <= most + 1) return { ids: order, others: [] };
  const ids = order.slice(0, most), late = [...new Set(must)].filter((id) => !ids.includes(id));
  if (late.length) ids.splice(most - late.length, late.length, ...late.sort((a, b) => probabilities[b] - probabilities[a] || a - b));
  return { ids, others: order.filter((id) => !ids.includes(id)) };
}

/** A slider for temperature runs over its logarithm: halving and doubling are as far from 1. */
export const toSlider = (temperature) => Math.round(100 * Math.log10(temperature));
export const fromSlider = (value) => Math.min(3, Math.max(0.1, 10 ** (value / 100)));

const share = (p) => (p > 0 && p < 0.0005 ? "below 0.001" : p.toFixed(3));
const many = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/** What the reader looks at, in words. word: an id, -1 for all others, null for the step itself. */
export function sentence(data, word) {
  const { t, T, V, vocab, now, said, own } = data, token = (id) => ({ side: "tgt", text: visible(vocab[id]) });
  const lead = T > 1 ? `Step ${t + 1} of ${T}` : "One step", context = said.slice(0, t);
  if (word === -1) {
    const { others } = data.rows, kept = others.filter((id) => now.after[id] > 0).length;
    return [`The other ${many(others.length, "word")} hold ${share(sum(now.before, others))} together; ${kept ? `${kept} of them can be drawn` : "none of them can be drawn"}.`];
  }
  if (word !== null && word !== undefined) {
    const drawn = data.draws.count[word], parts = [token(word)];
    if (now.after[word] > 0) parts.push(` is drawn with probability ${share(now.after[word])}`);
    else parts.push(now.before[word] > 0 ? ` is cut: its ${share(now.before[word])} goes to the words that are kept` : " can never be said: its logit is too small or −∞");
    parts.push(`; the model itself says ${share(own[word])}.`);
    if (word === data.gold) parts.push(` It is the right word, and costs ${own[word] > 0 ? (-Math.log(own[word])).toFixed(3) : "infinitely many"} nats.`);
    if (data.draws.total) parts.push(` Drawn ${many(drawn, "time")} of ${data.draws.total}.`);
    return parts;
  }
  const [best] = now.kept, parts = [lead];
  if (context.length) parts.push(", after ", { side: "tgt", text: context.slice(-5).map((id) => visible(vocab[id])).join(" ") });
  parts.push(": ", token(best), ` is most probable (${share(now.after[best])}). ${now.kept.length} of ${many(V, "word")} can be drawn; entropy ${entropy(now.after).toFixed(2)} bits.`);
  if (data.draws.total) parts.push(` Draw ${data.draws.total}: `, token(data.draws.last), ".");
  return parts;
}
const sum = (values, ids) => ids.reduce((total, id) => total + values[id], 0);

/** All words of a step as CSV text. */
export function csv(data) {
  const { vocab, own, now, draws } = data, order = largest(own, own.length);
  return csvLine("word", "logit", "softmax", "after temperature", "after top-k and top-p", "drawn")
    + order.map((id) => csvLine(vocab[id], String(data.logits[id]), own[id].toFixed(6), now.before[id].toFixed(6), now.after[id].toFixed(6), String(draws.count[id]))).join("");
}

/** Where everything stands, in px, for a box `width` wide. */
export function layout(width, longest) {
  const narrow = width < 520, name = Math.ceil(Math.min(Math.max(longest, 4), narrow ? 7 : 11) * 14) + 30;
  const value = narrow ? 92 : 150, wide = Math.min(width, 760);
  return { narrow, name, value, wide, row: 28, head: 24, bar: Math.max(60, wide - name - value) };
}

// ---------------------------------------------------------------- drawing with a pen

/** Stripes in place of a full bar: this much was cut. */
function striped(pen, x, y, w, tall, colour) {
  pen.rect(x, y, w, tall, colour, 0.12);
  for (let at = 0; at < w; at += 6) pen.rect(x + at, y, Math.min(2, w - at), tall, colour);
}

/** Bars, the model's own probabilities as ticks, and how often each word was drawn as rings. */
export function drawBars(pen, data, g, x0, y0, lit, c) {
  const { rows, now, own, draws } = data, x = (p) => x0 + p * (g.bar - 1);
  const lines = [...rows.ids, ...(rows.others.length ? [-1] : [])], bottom = y0 + g.head + lines.length * g.row;
  for (const p of [0, 0.25, 0.5, 0.75, 1]) {
    pen.rect(x(p), y0 + g.head - 4, 1, bottom - y0 - g.head + 4, c.ink, p ? 0.12 : 0.6);
    if (!g.narrow || p !== 0.25 && p !== 0.75) pen.text(x(p), y0 + g.head - 12, String(p), c.muted, 11, p === 1 ? "end" : p ? "middle" : "start");
  }
  lines.forEach((id, line) => {
    const ids = id < 0 ? rows.others : [id], y = y0 + g.head + line * g.row, tall = g.row - 12, top = y + 6;
    if (id === lit) pen.rect(x0 - g.name, y, g.name + g.bar + g.value, g.row, c.attention, 0.14);
    const after = sum(now.after, ids), cut = sum(now.before, ids.filter((one) => !(now.after[one] > 0)));
    const colour = id < 0 ? c.vanilla : c.decoder;
    if (after > 0) pen.rect(x0, top, x(after) - x0, tall, colour);
    if (cut > 0.0005) striped(pen, x(after), top, x(after + cut) - x(after), tall, c.muted);
    pen.rect(x(sum(own, ids)) - 1, y + 3, 2, g.row - 6, c.ink);
    if (draws.total) {
      const freq = sum(draws.count, ids) / draws.total, ring = 8;
      if (freq > 0) { pen.rect(x(freq) - ring / 2, y + g.row / 2 - ring / 2, ring, ring, c.surface); pen.frame(x(freq) - ring / 2, y + g.row / 2 - ring / 2, ring, ring, c.ink, 2); }
    }
  });
  return bottom;
}

/** What a row says beside its bar: marks, probability, draws. */
export function rowText(data, id) {
  const { now, rows, draws, vocab } = data, ids = id < 0 ? rows.others : [id];
  const after = sum(now.after, ids), marks = id < 0 ? "" : (id === data.greedy ? "▸" : "") + (id === data.gold ? "●" : "") + (id === data.chosen ? "◆" : "");
  const number = after > 0 ? (after < 0.0005 ? "<.001" : after.toFixed(3)) : sum(now.before, ids) > 0 ? "cut" : "never";
  return { marks, name: id < 0 ? `${many(ids.length, "other")}` : visible(vocab[id]), number, drawn: draws.total ? `${sum(draws.count, ids)}×` : "" };
}

/** A whole picture to save: returns {width, height, paint(pen)}. */
export function picture(data, c, longest, settings) {
  const PAD = 16, g = { ...layout(720, longest), narrow: false };
  const lines = [...data.rows.ids, ...(data.rows.others.length ? [-1] : [])];
  const top = PAD + (data.title ? 26 : 0) + 44, width = g.wide + 2 * PAD, height = top + g.head + lines.length * g.row + 30 + PAD;
  return { width, height, paint(pen) {
    pen.rect(0, 0, width, height, c.surface);
    if (data.title) pen.text(PAD, PAD + 10, shortened(data.title, (width - 2 * PAD) / 9), c.ink, 16, "start", 0, true);
    const before = data.said.slice(0, data.t).map((id) => visible(data.vocab[id])).join(" ");
    if (data.src.length) pen.text(PAD, top - 36, shortened(data.src.map(visible).join(" "), 70), c.source, 13);
    pen.text(PAD, top - 18, `step ${data.t + 1} of ${data.T}${before ? `, after “${shortened(before, 40)}”` : ""} · ${settings}`, c.muted, 13);
    const x0 = PAD + g.name, bottom = drawBars(pen, data, g, x0, top, null, c);
    lines.forEach((id, line) => {
      const { marks, name, number, drawn } = rowText(data, id), y = top + g.head + (line + 0.5) * g.row;
      pen.text(x0 - 8, y, `${marks} ${shortened(name, 10)}`, id < 0 ? c.muted : c.target, 14, "end");
      pen.text(x0 + g.bar + 62, y, number, c.ink, 14, "end");
      pen.text(x0 + g.bar + g.value - 8, y, drawn, c.muted, 14, "end");
    });
    pen.text(PAD, bottom + 18, legendText(data).join("   "), c.muted, 12);
  } };
}

const legendText = (data) => ["▸ greedy choice", data.gold !== null && "● right word", data.chosen !== null && "◆ said", "| the model itself", data.now.before.some((p, id) => p > 0 && !(data.now.after[id] > 0)) && "striped: cut", data.draws.total && "□ share of draws"].filter(Boolean);

// ---------------------------------------------------------------- the figure

function figure(model, root, page) {
  const [T, V] = model.get("shape"), all = floats(model.get("logits"), T * V), vocab = model.get("vocab");
  const gold = model.get("gold"), chosen = model.get("chosen"), src = model.get("src"), seed = model.get("seed");
  const data = { T, V, vocab, src, title: model.get("title"), said: chosen.length ? chosen : gold, t: 0, draws: null };
  const name = data.title || "Probabilities of the next word";
  let hovered, g = null, frame = 0, settling = 0, random = null; // hovered: undefined is nothing
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const forget = () => { random = generator(seed + 7919 * data.t); data.draws = { count: new Array(V).fill(0), total: 0, last: null }; };
  const longest = Math.max(4, ...vocab.map((token) => Math.min(11, visible(token).length * 0.6)));

  const steps = player("probability-play", "Play the decoder steps", "Pause", PLAY_MS, T, { at: () => data.t, go,
    changed: () => say.setAttribute("aria-live", steps.on ? "off" : "polite") });
  const stepper = T > 1 ? stepControls(T, steps, {
    go(step) { steps.stop(); go(step); },
    move(by) { steps.stop(); go(data.t + by); },
  }, { name: "probability-step", label: "Decoder step" }) : null;
  function go(step) { hovered = undefined; set({ word: null, step: clamp(step, T) }); }

  const temperature = sliderControl("probability-temperature", "temperature", { min: -100, max: toSlider(3), step: 1 },
    (value) => set({ temperature: fromSlider(value) }), () => `temperature ${model.get("temperature").toFixed(2)}`, () => model.get("temperature").toFixed(2));
  const topK = V > 1 ? sliderControl("probability-top-k", "top-k", { min: 1, max: V, step: 1 }, (value) => set({ top_k: value }),
    (k) => (k >= V ? "all words are kept" : `the ${k} most probable are kept`), (k) => (k >= V ? "off" : String(k))) : null;
  const topP = V > 1 ? sliderControl("probability-top-p", "top-p", { min: 0.05, max: 1, step: 0.01 }, (value) => set({ top_p: value }),
    (p) => (p >= 1 ? "off" : `the fewest words that hold ${p.toFixed(2)} are kept`), (p) => (p >= 1 ? "off" : p.toFixed(2))) : null;
  const button = (text, go, testid) => h("button", { type: "button", class: "att-text", "data-testid": testid, onclick: go }, text);
  const draw1 = button("Draw a word", () => drawWords(1), "probability-draw");
  const draw100 = button("Draw 100", () => drawWords(100), "probability-draw-100");
  const clear = button("Clear draws", () => { forget(); light(); }, "probability-clear");
  const reset = button("Back to the model’s own", () => set({ temperature: 1, top_k: V, top_p: 1 }), "probability-reset");
  function drawWords(count) {
    steps.stop();
    hovered = undefined;
    for (let i = 0; i < count; i++) {
      data.draws.last = pick(data.now.after, random());
      data.draws.count[data.draws.last]++;
      data.draws.total++;
    }
    set({ word: null });
    light();
  }

  const context = h("p", { class: "prob-context", "data-testid": "probability-context" });
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "probability-sentence" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const list = h("div", { class: "prob-list", role: "listbox", "aria-label": "Next words, most probable first", "data-testid": "probability-words" });
  const stage = h("div", { class: "att-view prob-stage" }, canvas, list);
  const legend = h("span", { class: "prob-legend" });
  const table = tableControl("probability-table", "Table of all words", () => ({
    caption: `${name}, step ${data.t + 1} of ${T}; ${settings()}`,
    head: ["word", "logit", "softmax", "kept", "drawn from", "draws"],
    rows: largest(data.own, V).map((id) => [tokenNode("tgt", vocab[id]), Number.isFinite(data.logits[id]) ? data.logits[id].toFixed(3) : "−∞", data.own[id].toFixed(4),
      data.now.after[id] > 0 ? "yes" : "no", data.now.after[id].toFixed(4), String(data.draws.count[id])]),
  }));
  const settings = () => `temperature ${model.get("temperature").toFixed(2)}, top-k ${model.get("top_k") >= V ? "off" : model.get("top_k")}, top-p ${model.get("top_p") >= 1 ? "off" : model.get("top_p").toFixed(2)}`;

  root.replaceChildren(...[
    data.title ? h("div", { class: "att-top" }, h("p", { class: "att-title" }, data.title)) : null,
    src.length || data.said.length ? context : null, stepper?.element,
    h("div", { class: "prob-settings", role: "group", "aria-label": "What is done to the probabilities" }, temperature.element, topK?.element, topP?.element, reset),
    stage,
    h("div", { class: "att-actions prob-draws", role: "group", "aria-label": "Draw words" }, draw1, draw100, clear),
    say,
    h("div", { class: "att-foot" }, legend),
    table.element, ...saveControls({ prefix: "probability", name, csv: () => csv(data),
      make: () => ({ ...picture(data, page.colours, longest, settings()), description: spoken(sentence(data, null)) }) })].filter(Boolean));

  let options = new Map(), lines = [];
  function build() { // the rows of this step
    data.rows = shownRows(data.own, [data.gold, data.chosen].filter((id) => id !== null));
    lines = [...data.rows.ids, ...(data.rows.others.length ? [-1] : [])];
    options = new Map(lines.map((id) => [id, {
      marks: h("span", { class: "prob-marks", "aria-hidden": "true" }), roles: h("span", { class: "att-sr" }), number: h("span", { class: "prob-number" }), drawn: h("span", { class: "prob-drawn" }),
    }]));
    list.replaceChildren(...lines.map((id, line) => {
      const own = options.get(id), text = id < 0 ? h("span", { class: "prob-other" }, rowText(data, id).name) : tokenNode("tgt", vocab[id]);
      own.node = h("div", { role: "option", tabindex: line ? -1 : 0, "data-id": id, "aria-selected": "false" },
        h("span", { class: "prob-name" }, own.marks, text), own.roles, own.number, own.drawn);
      return own.node;
    }));
  }
  const lit = () => (hovered !== undefined ? hovered : model.get("word"));

  function compute() {
    data.now = adjust(data.logits, { temperature: model.get("temperature"), k: model.get("top_k"), p: model.get("top_p") });
  }
  function paint() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      drawBars(pencil(canvas, g.wide, g.head + lines.length * g.row), data, g, g.name, 0, lit(), page.colours);
    });
  }
  function light() {
    const word = model.get("word");
    for (const [id, own] of options) {
      const { marks, number, drawn } = rowText(data, id);
      own.marks.textContent = marks;
      own.number.textContent = number;
      own.drawn.textContent = drawn;
      own.node.classList.toggle("prob-cut", number === "cut" || number === "never");
      own.node.setAttribute("aria-selected", String(id === word));
      const roles = [id === data.greedy && "greedy choice", id === data.gold && "right word", id === data.chosen && "said"].filter(Boolean);
      own.roles.textContent = roles.length ? ` (${roles.join(", ")}) ` : " ";
    }
    const home = options.has(word) ? word : lines[0];
    for (const [id, own] of options) own.node.tabIndex = id === home ? 0 : -1;
    legend.replaceChildren(...legendText(data).map((text) => h("span", {}, text)));
    clear.disabled = !data.draws.total;
    reset.disabled = model.get("temperature") === 1 && model.get("top_k") >= V && model.get("top_p") >= 1;
    speak();
    paint();
    clearTimeout(settling);
    settling = setTimeout(table.fill, 120); // the open table may follow a moment later
  }
  function speak() { say.replaceChildren(...spokenNodes(sentence(data, lit()))); }
  function resize() {
    g = layout(page.width, longest);
    const px = { "--name": g.name, "--bar": g.bar, "--value": g.value, "--row": g.row, "--head": g.head };
    for (const [key, value] of Object.entries(px)) stage.style.setProperty(key, `${value}px`);
    if (data.now) paint();
  }
  const settle = () => { compute(); forget(); light(); };
  const draw = {
    step() {
      const t = data.t = clamp(model.get("step"), T);
      data.logits = all.subarray(t * V, (t + 1) * V);
      data.own = softmax(data.logits);
      data.greedy = largest(data.own, 1)[0];
      data.gold = gold.length ? gold[t] : null;
      data.chosen = chosen.length ? chosen[t] : null;
      stepper?.show(t, data.said.length ? vocab[data.said[t]] : "");
      const before = data.said.slice(0, t);
      context.replaceChildren(...[src.length ? h("span", { class: "att-src" }, src.map(visible).join(" ")) : null, src.length ? " → " : null,
        ...before.flatMap((id) => [tokenNode("tgt", vocab[id]), " "]), h("b", { class: "prob-next" }, "?")].filter(Boolean));
      compute();
      forget();
      build();
      resize();
      light();
    },
    temperature() { temperature.show(toSlider(model.get("temperature"))); settle(); },
    top_k() { topK?.show(model.get("top_k")); settle(); },
    top_p() { topP?.show(model.get("top_p")); settle(); },
    word() { light(); },
  };

  const idOf = (event) => { const node = event.target.closest("[data-id]"); return node ? +node.dataset.id : undefined; };
  const look = (id) => {
    hovered = id === model.get("word") ? undefined : id;
    speak();
    paint();
  };
  // "all others" has no id of its own, so it is looked at but not kept
  const keep = (id) => { if (id < 0) { set({ word: null }); hovered = id; light(); } else { hovered = undefined; set({ word: id }); light(); } };
  list.addEventListener("pointerover", (e) => { if (e.pointerType !== "touch") look(idOf(e)); });
  list.addEventListener("pointerleave", () => look(undefined));
  list.addEventListener("click", (e) => { const id = idOf(e); if (id !== undefined) { keep(id); options.get(id).node.focus(); } });
  list.addEventListener("focusin", (e) => { const id = idOf(e); if (id !== undefined && id !== model.get("word")) keep(id); });
  list.addEventListener("keydown", (e) => {
    const at = lines.indexOf(idOf(e));
    if (e.altKey || e.metaKey || e.ctrlKey || at < 0) return;
    if (e.key === "Escape") { hovered = undefined; set({ word: null }); light(); e.preventDefault(); return; }
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: lines.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation(); // the notebook has keys of its own
    options.get(lines[clamp(to, lines.length)]).node.focus();
  });
  const stop = () => { steps.stop(); cancelAnimationFrame(frame); clearTimeout(settling); };
  return { draw, resize, repaint: () => { if (data.now) paint(); }, stop };
}

const render = framed({
  kind: "probability", label: (model) => model.get("title") || "Probabilities of the next word",
  data: ["vocab", "shape", "logits", "gold", "chosen", "src", "title", "seed"], figure,
});

export default { render };
