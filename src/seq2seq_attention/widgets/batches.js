// BatchView: a padded batch from the traits of batches.py. Rows are sentences, columns positions;
// for the target each sentence has two rows, what the decoder reads above what it must say.

import {
  h, visible, clamp, marker, player, stepControls, choiceControl, checkControl, sliderControl, saveControls, framed, csvLine,
} from "./base.js";

const PLAY_MS = 900;

// ---------------------------------------------------------------- pure functions (node tests)

/** Sentences cut into `count` batches, each as wide as its longest: [{rows, width}]. */
export function grouped(lengths, ordered, count) {
  const order = [...lengths.keys()];
  if (ordered) order.sort((a, b) => lengths[a] - lengths[b] || a - b);
  const out = [];
  for (let g = 0; g < count; g++) {
    const rows = order.slice(Math.round((g * order.length) / count), Math.round(((g + 1) * order.length) / count));
    if (rows.length) out.push({ rows, width: Math.max(...rows.map((i) => lengths[i])) });
  }
  return out;
}

/** How many cells hold a token, and how many hold padding. */
export function cost(lengths, groups) {
  const real = lengths.reduce((a, b) => a + b, 0);
  return { real, pad: groups.reduce((sum, { rows, width }) => sum + rows.length * width, 0) - real };
}

/** What padding costs, in words. */
export function costs({ real, pad }, batches, ordered = false) {
  const share = (100 * pad) / (real + pad);
  return `${batches === 1 ? "One batch" : `${batches} batches`}: ${real} tokens and ${pad} cells of padding (${share.toFixed(0)} % of the work is for nothing).` +
    (ordered && batches === 1 ? " Sorting saves nothing yet: cut them into more batches." : "");
}

/** Cell (i, t) in words; rows are those of its view, wide is the width of its batch. */
export function sentence({ view, src, tgt_in, tgt_out }, focus, wide) {
  if (!focus) return "Point at a cell, or walk through a sentence with the buttons.";
  const [i, t] = focus, quote = ([token]) => `“${visible(token)}”`;
  const row = view === "source" ? src[i] : tgt_in[i], who = `Sentence ${i + 1}, position ${t + 1} of ${wide}`;
  if (t >= row.length) {
    return view === "source"
      ? `${who}: padding. The mask is False here, so no state of it is used.`
      : `${who}: padding. The mask is False here, so nothing said at it counts in the loss.`;
  }
  if (view === "source") return `${who}: ${quote(row[t])} has the id ${row[t][1]}; the mask is True, a real token.`;
  const past = row.slice(0, t).map(quote);
  return `${who}: the decoder reads ${quote(row[t])} and must say ${quote(tgt_out[i][t])}${t + 1 < row.length ? ", the word it reads next" : ""}.` +
    (past.length ? ` It has read ${past.join(" ")} before; nothing to the right reaches it.` : " It has read nothing before.");
}

/** Where a key leads from row r, column t of a grid, with Home and End in the row; null if nowhere. */
export function nextPlace(key, [r, t], rows, width) {
  const to = { ArrowUp: [r - 1, t], ArrowDown: [r + 1, t], ArrowLeft: [r, t - 1], ArrowRight: [r, t + 1], Home: [r, 0], End: [r, width(r) - 1] }[key];
  if (!to) return null;
  const row = clamp(to[0], rows);
  return [row, clamp(to[1], width(row))];
}

/** Every cell as CSV: a line a cell, padding included. */
export function csv({ view, src, tgt_in, tgt_out, pad }, groups) {
  const sides = view === "source" ? { src } : { tgt_in, tgt_out };
  const cells = groups.flatMap(({ rows, width }, g) => rows.flatMap((i) => Object.entries(sides).flatMap(([name, all]) =>
    Array.from({ length: width }, (_, t) => csvLine(g + 1, i + 1, name, t + 1, ...(all[i][t] || pad), t < all[i].length)))));
  return csvLine("batch", "sentence", "row", "position", "token", "id", "valid") + cells.join("");
}

// ---------------------------------------------------------------- the figure

function figure(model, root) {
  const data = Object.fromEntries(["src", "tgt_in", "tgt_out", "pad"].map((name) => [name, model.get(name)]));
  const title = model.get("title"), name = title || "A batch", B = data.src.length;
  const set = (values) => { for (const [k, v] of Object.entries(values)) model.set(k, v); model.save_changes(); };
  const view = () => model.get("view"), lengths = () => (view() === "source" ? data.src : data.tgt_in).map((row) => row.length);
  const groups = () => grouped(lengths(), model.get("ordered"), clamp(model.get("groups") - 1, B) + 1);
  const now = () => ({ ...data, view: view() });
  let cells = new Map(), order = [], hovered = null; // "i t" → the cells of this place; sentences from top to bottom
  const mark = marker();

  const longest = () => Math.max(...lengths());
  const focus = () => { const f = model.get("focus"); return f && f[1] < groups().find(({ rows }) => rows.includes(f[0])).width ? f : null; };
  const row = () => focus()?.[0] ?? order[0];
  const at = () => focus()?.[1] ?? -1;
  const walk = player("batch-play", "Play the positions of the sentence", "Pause", PLAY_MS, Math.max(longest(), 2),
    { at: () => { const size = lengths()[row()]; return at() >= size - 1 ? Math.max(longest(), 2) - 1 : at(); },
      go: (t) => set({ focus: [row(), clamp(t, lengths()[row()])] }), changed: () => say.setAttribute("aria-live", walk.on ? "off" : "polite") });
  const stop = (go) => (value) => { walk.stop(); go(value); };
  const steps = stepControls(longest(), walk, {
    go: stop((t) => set({ focus: [row(), clamp(t, groups().find(({ rows }) => rows.includes(row())).width)] })),
    move: stop((by) => set({ focus: [row(), clamp(at() + by, groups().find(({ rows }) => rows.includes(row())).width)] })),
  }, { name: "batch-step", label: "Position in the sentence" });
  const views = choiceControl("batch-view", "Side", [["source", "Source"], ["target", "Target"]], (value) => set({ view: value }));
  const shows = choiceControl("batch-show", "Cells show", [["tokens", "Tokens"], ["ids", "Ids"], ["mask", "Mask"]], (value) => set({ show: value }));
  const ordered = checkControl("batch-ordered", "sorted by length", (on) => set({ ordered: on }));
  const cut = B < 2 ? null : sliderControl("batch-groups", "batches", { min: 1, max: Math.min(B, 8), step: 1 }, (value) => set({ groups: value }),
    (value) => `${value} ${value === 1 ? "batch" : "batches"}`, (value) => `${value}`);
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "batch-sentence" });
  const price = h("p", { class: "att-cost", "aria-live": "polite", "data-testid": "batch-cost" });
  const stage = h("div", { class: "att-scroll att-batch-stage" });
  root.replaceChildren(...[
    h("div", { class: "att-top" }, title ? h("p", { class: "att-title" }, title) : h("span"), views.element),
    h("div", { class: "att-foot" }, shows.element, B > 1 ? ordered.element : null, cut?.element ?? null),
    stage, price, steps.element, say, ...saveControls({ prefix: "batch", name, csv: () => csv(now(), groups()) })]);

  const cell = (side, i, t) => {
    const real = t < side.rows[i].length, [token, id] = real ? side.rows[i][t] : data.pad;
    const text = { tokens: visible(token), ids: `${id}`, mask: real ? "True" : "False" }[model.get("show")];
    const node = h("td", { role: "gridcell", class: `att-cell att-${real ? side.name : "pad"}`, tabindex: -1, "data-testid": "batch-cell",
      "data-i": i, "data-place": t }, h("bdi", { dir: "auto" }, text));
    const key = `${i} ${t}`;
    cells.set(key, [...(cells.get(key) || []), node]);
    return node;
  };
  function build() {
    const sides = view() === "source" ? [{ name: "src", rows: data.src, label: "" }]
      : [{ name: "sos", rows: data.tgt_in, label: "reads" }, { name: "tgt", rows: data.tgt_out, label: "says" }];
    cells = new Map();
    order = groups().flatMap(({ rows }) => rows);
    const tables = groups().map(({ rows, width }, g, all) => h("table", { role: "grid", class: "att-cells",
      "aria-label": `${name}${all.length > 1 ? `, batch ${g + 1} of ${all.length}` : ""}` },
    ...rows.map((i) => h("tbody", {}, ...sides.map((side) => h("tr", {}, h("th", { scope: "row" }, side.label ? `${i + 1} ${side.label}` : `${i + 1}`),
      ...Array.from({ length: width }, (_, t) => cell(side, i, t))))))));
    stage.replaceChildren(...tables);
    const first = cells.get(focus()?.join(" ") ?? `${order[0]} 0`)?.[0];
    if (first) first.tabIndex = 0;
    stage.toggleAttribute("data-more", stage.scrollWidth > stage.clientWidth);
    price.textContent = costs(cost(lengths(), groups()), groups().length, model.get("ordered"));
  }
  function light() {
    const lit = hovered || focus(), marks = [];
    if (lit) {
      for (const node of cells.get(lit.join(" ")) || []) marks.push([node, "att-lit"]);
      if (view() === "target") marks.push([(cells.get(`${lit[0]} ${lit[1] + 1}`) || [])[0], "att-next"]); // what it says now, it reads next
      if (view() === "target") for (let t = 0; t < lit[1]; t++) for (const node of (cells.get(`${lit[0]} ${t}`) || []).slice(0, 1)) marks.push([node, "att-seen"]);
    }
    mark(...marks);
    const wide = lit ? groups().find(({ rows }) => rows.includes(lit[0])).width : 0;
    say.textContent = sentence(now(), lit, wide);
    const t = at(), here = t >= 0 ? (view() === "source" ? data.src : data.tgt_in)[row()][t] || data.pad : ["not begun"];
    steps.show(t, here[0]);
  }
  const cellOf = (event) => { const node = event.target.closest("[data-place]"); return node && stage.contains(node) ? [+node.dataset.i, +node.dataset.place] : null; };
  const roving = (node) => { stage.querySelectorAll('[tabindex="0"][data-place]').forEach((other) => { other.tabIndex = -1; }); node.tabIndex = 0; };
  stage.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") { hovered = cellOf(event); light(); } });
  stage.addEventListener("pointerleave", () => { hovered = null; light(); });
  const pin = (place, node) => { walk.stop(); hovered = null; roving(node); set({ focus: place }); light(); };
  stage.addEventListener("focusin", (event) => { const place = cellOf(event); if (place) pin(place, event.target.closest("[data-place]")); });
  stage.addEventListener("click", (event) => { const place = cellOf(event); if (place) event.target.closest("[data-place]").focus(); });
  stage.addEventListener("keydown", (event) => {
    const node = event.target.closest("[data-place]");
    if (!node || event.altKey || event.metaKey || event.ctrlKey) return;
    if (event.key === "Escape") { event.preventDefault(); set({ focus: null }); return; }
    const lines = [...stage.querySelectorAll("tr")], line = lines.indexOf(node.parentElement), places = (r) => [...lines[r].querySelectorAll("[data-place]")];
    const to = nextPlace(event.key, [line, +node.dataset.place], lines.length, (r) => places(r).length);
    if (!to) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
    places(to[0])[to[1]].focus();
  });
  const rebuild = () => { hovered = null; build(); light(); };
  const draw = {
    view() { views.show(view()); rebuild(); },
    show() { shows.show(model.get("show")); rebuild(); },
    ordered() { ordered.show(model.get("ordered")); rebuild(); },
    groups() { cut?.show(model.get("groups")); rebuild(); },
    focus: light,
  };
  return { draw, repaint() {}, resize() { stage.toggleAttribute("data-more", stage.scrollWidth > stage.clientWidth); }, stop: () => walk.stop() };
}

const render = framed({ kind: "batch", label: (model) => model.get("title") || "A batch", data: ["src", "tgt_in", "tgt_out", "pad", "title"], figure });

export default { render };
