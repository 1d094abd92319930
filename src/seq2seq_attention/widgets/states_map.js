// MapView: sentence vectors on a flat map, from the traits of states_map.py. A point is drawn as its
// mark; the chosen one and those of its nearest neighbours that are on the map are ringed.

import { h, clamp, pencil, choiceControl, sliderControl, tableControl, saveControls, framed, csvLine } from "./base.js";

const PAD = 22;

// ---------------------------------------------------------------- pure functions (node tests)

/** Places in a box from coordinates in −1 to 1: [[x, y], …], y upwards. */
export function placed(points, width, height, pad = PAD) {
  const out = [];
  for (let i = 0; i < points.length; i += 2) {
    out.push([pad + ((points[i] + 1) / 2) * (width - 2 * pad), height - pad - ((points[i + 1] + 1) / 2) * (height - 2 * pad)]);
  }
  return out;
}

/** The place nearest to (x, y), or −1 if none is within `reach`. */
export function hit(places, x, y, reach = 24) {
  let best = -1, least = reach ** 2;
  places.forEach(([a, b], i) => { const d = (a - x) ** 2 + (b - y) ** 2; if (d < least) { best = i; least = d; } });
  return best;
}

/** The next place from `at` in the direction of an arrow key: near, and not far to the side; or `at`. */
export function towards(places, at, key) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!way) return null;
  let best = at, least = Infinity;
  places.forEach(([x, y], i) => {
    const [dx, dy] = [x - places[at][0], y - places[at][1]], on = dx * way[0] + dy * way[1], off = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
    if (i === at || on <= 0.5 || off > 2 * on) return;
    if (on + 3 * off < least) { best = i; least = on + 3 * off; }
  });
  return best;
}

/** A chosen sentence in words. */
export function sentence({ labels, sentences, near }, i) {
  const told = sentences.length ? ` (${sentences[i]})` : "";
  return `${labels[i]}${told}: nearest in all dimensions are ${near.map((k) => labels[k]).join(", ")}.`;
}

// ---------------------------------------------------------------- the figure

export function drawMap(pen, { places, marks, at, ringed }, c) {
  places.forEach(([x, y], i) => {
    if (i !== at && !ringed.has(i)) pen.text(x, y, marks[i], c.muted, 12, "middle");
  });
  for (const i of ringed) {
    const [x, y] = places[i];
    pen.frame(x - 9, y - 9, 18, 18, c.encoder, 1.5);
    pen.text(x, y, marks[i], c.encoder, 13, "middle", 0, true);
  }
  const [x, y] = places[at];
  pen.rect(x - 11, y - 11, 22, 22, c.encoder);
  pen.text(x, y, marks[at], c.surface, 15, "middle", 0, true);
}

function figure(model, root, page) {
  const data = Object.fromEntries(["names", "points", "spread", "nearest", "drawn", "labels", "marks", "sentences", "title"].map((name) => [name, model.get(name)]));
  const name = data.title || "A map of sentence vectors", count = data.drawn.length;
  const onMap = new Map(data.drawn.map((sentence, i) => [sentence, i]));
  const set = (values) => { for (const [k, v] of Object.entries(values)) model.set(k, v); model.save_changes(); };
  const shown = () => clamp(model.get("shown"), data.names.length), chosen = () => clamp(model.get("chosen"), count);
  let hovered = -1, frame = 0;
  const at = () => (hovered >= 0 ? hovered : chosen());
  const near = (i) => data.nearest[shown()][i];
  const size = () => [page.width, Math.round(Math.min(460, Math.max(300, page.width * 0.62)))];
  const places = () => placed(data.points[shown()], ...size());
  const state = (spots = places()) => ({ places: spots, marks: data.marks, at: at(), ringed: new Set(near(at()).map((k) => onMap.get(k)).filter((i) => i !== undefined)) });
  const words = (i) => sentence({ ...data, near: near(i) }, data.drawn[i]);

  const choice = data.names.length < 2 ? null : choiceControl("map-shown", "Map", data.names.map((each, i) => [i, each]), (value) => set({ shown: value }));
  const slider = sliderControl("map-chosen", "sentence", { min: 0, max: count - 1, step: 1 }, (value) => { hovered = -1; set({ chosen: value }); },
    (value) => data.labels[data.drawn[value]], (value) => data.labels[data.drawn[value]]);
  const canvas = h("canvas", { "aria-hidden": "true" });
  const area = h("div", { class: "map-area", role: "slider", tabindex: 0, "aria-label": "Point on the map", "aria-valuemin": 0, "aria-valuemax": count - 1, "data-testid": "map-area" }, canvas);
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "map-sentence" });
  const share = h("p", { class: "map-note", "data-testid": "map-spread" });
  const table = tableControl("map-table", "Table of neighbours", () => ({
    caption: `${name}, ${data.names[shown()]}: nearest in all dimensions, nearest first`, head: ["sentence", "neighbours"],
    rows: data.drawn.map((sentence, i) => [data.labels[sentence], near(i).map((k) => data.labels[k]).join(", ")]) }));
  const csv = () => csvLine("map", "sentence", "x", "y", "neighbours") + data.names.map((each, m) => data.drawn.map((sentence, i) =>
    csvLine(each, data.labels[sentence], data.points[m][2 * i], data.points[m][2 * i + 1], data.nearest[m][i].map((k) => data.labels[k]).join(" "))).join("")).join("");
  const make = () => {
    const spots = placed(data.points[shown()], 760, 460);
    return { width: 760, height: 500, description: words(at()), paint(pen) {
      pen.rect(0, 0, 760, 500, page.colours.surface);
      pen.text(16, 484, `${name}, ${data.names[shown()]}`, page.colours.ink, 14);
      drawMap(pen, state(spots), page.colours);
    } };
  };
  root.replaceChildren(...[
    h("div", { class: "att-top" }, data.title ? h("p", { class: "att-title" }, data.title) : h("span"), choice?.element),
    area, share, say, h("div", { class: "att-foot" }, slider.element), table.element, ...saveControls({ prefix: "map", name, make, csv })].filter(Boolean));

  const repaint = () => { frame ||= requestAnimationFrame(() => { frame = 0; drawMap(pencil(canvas, ...size()), state(), page.colours); }); };
  const changed = () => {
    say.textContent = words(at());
    area.setAttribute("aria-valuenow", chosen());
    area.setAttribute("aria-valuetext", words(chosen()));
    share.textContent = `The flat map shows ${(100 * data.spread[shown()]).toFixed(0)} % of the spread.`;
    slider.show(chosen());
    table.fill();
    repaint();
  };
  const under = (event) => { const box = canvas.getBoundingClientRect(); return hit(places(), event.clientX - box.left, event.clientY - box.top); };
  area.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") { const i = under(event); if (i !== hovered) { hovered = i; changed(); } } });
  area.addEventListener("pointerleave", () => { hovered = -1; changed(); });
  area.addEventListener("click", (event) => { const i = under(event); hovered = -1; if (i >= 0) set({ chosen: i }); changed(); });
  area.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const ends = { Home: 0, End: count - 1 }[event.key], to = ends ?? towards(places(), chosen(), event.key);
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
    hovered = -1;
    set({ chosen: to });
  });
  const draw = { shown() { choice?.show(shown()); changed(); }, chosen: changed };
  return { draw, repaint, resize: repaint, stop: () => cancelAnimationFrame(frame) };
}

const render = framed({ kind: "map", label: (model) => model.get("title") || "A map of sentence vectors",
  data: ["names", "points", "spread", "nearest", "drawn", "labels", "marks", "sentences", "title"], figure });

export default { render };
