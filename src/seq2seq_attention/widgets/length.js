// LengthView: exact match against source length, drawn from the stored runs in length.py's traits.

import {
  h, pencil, choiceControl, checkControl, sliderControl, tableControl, saveControls, clamp, framed, csvLine,
} from "./base.js";

// ---------------------------------------------------------------- pure functions (node tests)

/** "21", or "20–23". */
export const group = ([low, high]) => (low === high ? `${low}` : `${low}–${high}`);

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const counted = (n, noun) => `${NUMBERS[n] ?? n} ${noun}${n === 1 ? "" : "s"}`;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** Mean, least and most of one curve in group b, each a share of its n sources. */
export function summary({ right }, b, n) {
  const shares = right.map((row) => row[b] / n);
  return { mean: shares.reduce((a, c) => a + c, 0) / shares.length, low: Math.min(...shares), high: Math.max(...shares) };
}

/** The curves to draw: of the models shown, those of the hidden size chosen (0: all of them). */
export const chosen = (series, shown, widths) =>
  series.filter(({ model, hidden }) => shown.includes(model) && (!widths[model] || widths[model] === hidden));

/** A curve's name; its hidden size is said where there is more than one to choose from. */
export const named = (one, series) =>
  (series.filter(({ model }) => model === one.model).length > 1 ? `${one.model}, H = ${one.hidden}` : one.model);

/** Group b in words. */
export function sentence(bins, series, curves, b) {
  const n = bins[b][2], which = `Sources of ${group(bins[b])} ${bins[b][1] === 1 ? "word" : "words"} (${n} of them)`;
  if (!curves.length) return `${which}: no model is chosen.`;
  const parts = [...curves].map((one) => [one, summary(one, b, n)]).sort((x, y) => y[1].mean - x[1].mean).map(([one, { mean, low, high }]) =>
    `${named(one, series)} ${percent(mean)} (${counted(one.seeds.length, "seed")}${one.seeds.length > 1 ? `, ${percent(low).slice(0, -2)}–${percent(high)}` : ""})`);
  return `${which}, exactly right: ${parts.join("; ")}.`;
}

/** Places y of labels that want to be at `wanted`, kept `gap` apart and inside [top, bottom]. */
export function apart(wanted, gap, top, bottom) {
  const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b]), out = [...wanted];
  let least = top;
  for (const i of order) { out[i] = Math.max(wanted[i], least); least = out[i] + gap; }
  let most = bottom;
  for (const i of order.reverse()) { out[i] = Math.min(out[i], most); most = out[i] - gap; }
  return out;
}

/** Every count as CSV: a line a curve, seed and group. */
export const csv = (bins, curves) => csvLine("model", "hidden_size", "parameters", "seed", "words_from", "words_to", "sources", "exactly_right") +
  curves.flatMap((one) => one.seeds.flatMap((seed, k) => bins.map(([low, high, n], b) =>
    csvLine(one.model, one.hidden, one.parameters, seed, low, high, n, one.right[k][b])))).join("");

// ---------------------------------------------------------------- drawing

const DASHES = { "-": [], "--": [9, 4], "-.": [9, 4, 2, 4], ":": [2, 4] };

/** Draw the curves into a box; g = {x, y, width, height} is the plot's inside. */
export function drawCurves(pen, { bins, series, curves, seeds, position, look }, g, c, labels) {
  const at = (b) => g.x + (g.width * (b + 0.5)) / bins.length, up = (share) => g.y + g.height * (1 - share);
  pen.rect(at(position) - g.width / bins.length / 2, g.y, g.width / bins.length, g.height, c.attention, 0.08);
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    pen.rect(g.x, up(share) - 0.5, g.width, 1, c.ink, share ? 0.12 : 0.5);
    pen.text(g.x - 8, up(share), `${100 * share}`, c.muted, 12, "end");
  }
  const ends = [];
  for (const one of curves) {
    const [colour, line] = look[one.model], dash = DASHES[line];
    const sizes = series.filter(({ model }) => model === one.model).map(({ hidden }) => hidden).sort((x, y) => x - y);
    const rank = sizes.length > 1 ? sizes.indexOf(one.hidden) / (sizes.length - 1) : 1;
    const all = bins.map(([, , n], b) => summary(one, b, n)), thick = 1.4 + 1.6 * rank;
    if (seeds === "each") {
      one.right.forEach((row) => pen.line(row.map((right, b) => [at(b), up(right / bins[b][2])]), c[colour], 1.4, dash, 0.85));
    } else {
      pen.area([...all.map(({ high }, b) => [at(b), up(high)]), ...all.map(({ low }, b) => [at(b), up(low)]).reverse()], c[colour], 0.16);
      pen.line(all.map(({ mean }, b) => [at(b), up(mean)]), c[colour], thick, dash);
      all.forEach(({ mean }, b) => pen.rect(at(b) - 3, up(mean) - 3, 6, 6, c[colour]));
    }
    ends.push([one, up(all.at(-1).mean), c[colour]]);
  }
  if (!labels) return;
  const places = apart(ends.map(([, y]) => y), 16, g.y, g.y + g.height);
  ends.forEach(([one, y, colour], i) => {
    const x = at(bins.length - 1) + 10;
    pen.line([[x - 4, y], [x + 8, places[i]]], c.muted, 1, [], 0.6);
    pen.text(x + 12, places[i], labels === "full" ? named(one, series) : `${one.hidden}`, colour, 13);
  });
}

const LABELS = { full: 190, short: 46 }; // px at the right for the curves' names, or their hidden sizes

function figure(model, root, page) {
  const bins = model.get("bins"), series = model.get("series"), names = [...new Set(series.map(({ model: name }) => name))];
  const title = model.get("title"), name = title || "Exact match against source length";
  const set = (values) => { for (const [k, v] of Object.entries(values)) model.set(k, v); model.save_changes(); };
  const look = model.get("look");
  const state = () => ({ bins, series, look, seeds: model.get("seeds"), position: clamp(model.get("position"), bins.length),
    curves: chosen(series, model.get("shown"), model.get("widths")) });
  let frame = 0, hovered = null;

  const boxes = Object.fromEntries(names.map((each) => [each, checkControl(`length-model-${names.indexOf(each)}`, each, () =>
    set({ shown: names.filter((other) => (other === each ? !model.get("shown").includes(other) : model.get("shown").includes(other))) }))]));
  for (const each of names) boxes[each].element.append(sample(...look[each]));
  const sizes = {};
  for (const each of names) {
    const known = series.filter(({ model: other }) => other === each).map(({ hidden }) => hidden).sort((x, y) => x - y);
    if (known.length < 2) continue;
    const select = h("select", { "data-testid": `length-width-${names.indexOf(each)}`, onchange: () => set({ widths: { ...model.get("widths"), [each]: +select.value } }) },
      ...known.map((size) => h("option", { value: size }, `H = ${size}`)), h("option", { value: 0 }, "all sizes"));
    select.setAttribute("aria-label", `Hidden size of ${each}`);
    sizes[each] = select;
    boxes[each].row = h("div", { class: "att-row" }, boxes[each].element, select);
  }
  const seeds = choiceControl("length-seeds", "Seeds", [["range", "Mean and range"], ["each", "Each seed"]], (value) => set({ seeds: value }));
  const slider = sliderControl("length-position", "length", { min: 0, max: bins.length - 1, step: 1 }, (value) => set({ position: value }),
    (value) => `${group(bins[value])} words`, (value) => `${group(bins[value])} words`);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const ticks = bins.map((bin, b) => h("button", { type: "button", class: "att-tick", "data-place": b, "data-testid": "length-group",
    "aria-label": `${group(bin)} words`, onclick: () => set({ position: b }) }, group(bin)));
  const axis = h("div", { class: "att-axis" }, ...ticks);
  const plot = h("div", { class: "att-plot" }, h("p", { class: "att-ylabel" }, "exactly right, %"), canvas, axis, h("p", { class: "att-xlabel" }, "words in the source"));
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "length-sentence" });
  const table = tableControl("length-table", "Table of accuracies", () => {
    const { curves } = state();
    return { caption: `${name}: mean over the seeds (least–most), %`, head: ["words", "sources", ...curves.map((one) => named(one, series))],
      rows: bins.map((bin, b) => [group(bin), `${bin[2]}`, ...curves.map((one) => {
        const { mean, low, high } = summary(one, b, bin[2]);
        return `${(100 * mean).toFixed(1)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
      })]) };
  });
  const place = (width, labels) => ({ x: 40, y: 10, width: Math.max(80, width - 40 - (LABELS[labels] || 8)), height: 240 });
  // the names at the lines' ends; on a narrow page the hidden sizes alone, and only where they differ
  const kind = () => (page.width >= 560 ? "full" : names.some((each) => state().curves.filter((one) => one.model === each).length > 1) ? "short" : "");
  const make = () => {
    const now = state(), g = { ...place(760, "full"), y: 56 };
    return { width: 760, height: 350, description: sentence(bins, series, now.curves, now.position), paint(pen) {
      pen.rect(0, 0, 760, 350, page.colours.surface);
      pen.text(16, 22, name, page.colours.ink, 16, "start", 0, true);
      pen.text(16, 42, "exactly right, %", page.colours.muted, 12);
      drawCurves(pen, now, g, page.colours, "full");
      bins.forEach((bin, b) => pen.text(g.x + (g.width * (b + 0.5)) / bins.length, g.y + g.height + 16, group(bin), page.colours.ink, 12, "middle"));
      pen.text(g.x + g.width / 2, g.y + g.height + 38, "words in the source", page.colours.muted, 12, "middle");
    } };
  };
  root.replaceChildren(...[
    h("div", { class: "att-top" }, title ? h("p", { class: "att-title" }, title) : h("span"), seeds.element),
    h("div", { class: "att-models", role: "group", "aria-label": "Models" }, ...names.map((each) => boxes[each].row || boxes[each].element)),
    plot, say, h("div", { class: "att-foot" }, slider.element), table.element,
    ...saveControls({ prefix: "length", name, make, csv: () => csv(bins, state().curves) })]);

  const paint = () => {
    const now = state(), labels = kind(), g = place(page.width, labels);
    if (hovered !== null) now.position = hovered;
    axis.style.setProperty("margin-left", `${g.x}px`);
    axis.style.setProperty("width", `${g.width}px`);
    drawCurves(pencil(canvas, page.width, 260), now, g, page.colours, labels);
  };
  const repaint = () => { frame ||= requestAnimationFrame(() => { frame = 0; paint(); }); };
  const speak = () => {
    const { curves, position } = state(), b = hovered ?? position;
    say.textContent = sentence(bins, series, curves, b);
    ticks.forEach((tick, i) => tick.setAttribute("aria-pressed", i === b));
  };
  const changed = () => { speak(); table.fill(); repaint(); };
  const point = (b) => { if (b === hovered) return; hovered = b; changed(); };
  plot.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const box = canvas.getBoundingClientRect(), g = place(page.width, kind());
    const b = Math.floor(((event.clientX - box.left - g.x) / g.width) * bins.length);
    point(b >= 0 && b < bins.length ? b : null);
  });
  plot.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect(), g = place(page.width, kind());
    hovered = null;
    set({ position: clamp(Math.floor(((event.clientX - box.left - g.x) / g.width) * bins.length), bins.length) });
  });
  axis.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], from = event.target.closest("[data-place]");
    if (!step || !from) return;
    event.preventDefault();
    event.stopPropagation();
    const to = clamp(+from.dataset.place + step, bins.length);
    ticks[to].focus();
    set({ position: to });
  });
  const draw = {
    shown() { for (const each of names) boxes[each].show(model.get("shown").includes(each)); changed(); },
    widths() { for (const [each, select] of Object.entries(sizes)) select.value = model.get("widths")[each] ?? 0; changed(); },
    seeds() { seeds.show(model.get("seeds")); changed(); },
    position() { slider.show(state().position); changed(); },
  };
  return { draw, repaint, resize: repaint, stop: () => cancelAnimationFrame(frame) };
}

/** A piece of a curve's line, to know it by. */
function sample(colour, line) {
  const NS = "http://www.w3.org/2000/svg", svg = document.createElementNS(NS, "svg"), stroke = document.createElementNS(NS, "line");
  for (const [k, v] of Object.entries({ viewBox: "0 0 30 6", width: 30, height: 6, "aria-hidden": "true", class: `att-line att-${colour}` })) svg.setAttribute(k, v);
  for (const [k, v] of Object.entries({ x1: 0, x2: 30, y1: 3, y2: 3, "stroke-width": 2.5, "stroke-dasharray": DASHES[line].join(" ") })) stroke.setAttribute(k, v);
  svg.append(stroke);
  return svg;
}

const render = framed({
  kind: "length", label: (model) => model.get("title") || "Exact match against source length",
  data: ["bins", "series", "look", "title"], figure,
});

export default { render };
