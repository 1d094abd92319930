// BeamView: the tree of a beam search, from the traits of beam_tree.py. Steps are columns; in each the
// candidates stand from the most probable down. Nodes are buttons over one canvas that has the branches.

import { visible, shortened, h, clamp, pencil, player, stepControls, sliderControl, tableControl, saveControls, framed, csvLine } from "./base.js";

const PLAY_MS = 1100;
const TALL = 30, WIDE = 124, GAP = 34; // px of a node and between columns
const [PARENT, STEP, TOKEN, LOG, STATUS] = [0, 1, 2, 3, 4];

// ---------------------------------------------------------------- pure functions (node tests)

/** The nodes of each step from 1, most probable first. */
export function columns(nodes) {
  const out = [];
  nodes.forEach((node, i) => { if (i) (out[node[STEP] - 1] ||= []).push(i); });
  for (const column of out) column.sort((a, b) => nodes[b][LOG] - nodes[a][LOG] || a - b);
  return out;
}

/** The nodes from the first step to node i. */
export function path(nodes, i) {
  const out = [];
  for (let at = i; at > 0; at = nodes[at][PARENT]) out.unshift(at);
  return out;
}

/** A number with a real minus sign. */
export const number = (x) => x.toFixed(2).replace("-", "−");

/** What finished sentences are ranked by; the length counts <eos>. */
export const score = (node, penalty) => node[LOG] / node[STEP] ** penalty;

/** The finished nodes up to a step, best first. */
export const finished = (nodes, step, penalty) => [...nodes.keys()].filter((i) => nodes[i][STATUS] === "finished" && nodes[i][STEP] <= step)
  .sort((a, b) => score(nodes[b], penalty) - score(nodes[a], penalty) || a - b);

/** A node in words. */
export function sentence(nodes, i, penalty, step) {
  if (i < 1) {
    const done = finished(nodes, step, penalty);
    if (!done.length) return `Step ${step}: no sentence is finished yet. Point at a word.`;
    return `Step ${step}: the best of ${done.length} finished is “${text(nodes, done[0])}”, score ${number(score(nodes[done[0]], penalty))}.`;
  }
  const node = nodes[i], all = columns(nodes)[node[STEP] - 1], rank = all.indexOf(i) + 1;
  const fate = { kept: "kept", pruned: "cut", finished: `finished, score ${number(score(node, penalty))}` }[node[STATUS]];
  return `“${text(nodes, i)}”, step ${node[STEP]}: log P ${number(node[LOG])}, rank ${rank} of the ${all.length} shown; ${fate}.`;
}

const text = (nodes, i) => path(nodes, i).map((k) => visible(nodes[k][TOKEN])).join(" ");

/** Where an arrow key leads: parent, best child, or the neighbour in the column; null for other keys. */
export function nextNode(nodes, i, key, step) {
  const all = columns(nodes), column = all[nodes[i][STEP] - 1], at = column.indexOf(i);
  if (key === "ArrowUp") return column[Math.max(at - 1, 0)];
  if (key === "ArrowDown") return column[Math.min(at + 1, column.length - 1)];
  if (key === "ArrowLeft") return nodes[i][PARENT] > 0 ? nodes[i][PARENT] : i;
  if (key !== "ArrowRight") return null;
  const children = (nodes[i][STEP] < step ? all[nodes[i][STEP]] || [] : []).filter((k) => nodes[k][PARENT] === i);
  return children.length ? children[0] : i;
}

// ---------------------------------------------------------------- the figure

const place = (nodes, cols, i) => (i === 0 ? [0, TALL / 2] : [(nodes[i][STEP] - 1) * (WIDE + GAP) + GAP, cols[nodes[i][STEP] - 1].indexOf(i) * (TALL + 4) + TALL / 2]);

function branches(pen, nodes, cols, step, lit, best, c) {
  nodes.forEach((node, i) => {
    if (!i || node[STEP] > step) return;
    const [x, y] = place(nodes, cols, i), [px, py] = place(nodes, cols, node[PARENT]), from = node[PARENT] ? px + WIDE : px;
    const on = lit.has(i), wins = best.has(i), cut = node[STATUS] === "pruned";
    pen.curves([[from, py, x, y]], false, wins ? c.gold : on ? c.ink : c.decoder, wins || on ? 3 : cut ? 1 : 1.8, cut && !on ? 0.45 : 0.9, cut ? [3, 3] : []);
  });
}

function figure(model, root, page) {
  const nodes = model.get("nodes"), src = model.get("src"), gold = model.get("gold"), title = model.get("title"), name = title || "Beam search";
  const cols = columns(nodes), last = cols.length, set = (values) => { for (const [k, v] of Object.entries(values)) model.set(k, v); model.save_changes(); };
  const step = () => clamp(model.get("step") - 1, last) + 1, penalty = () => model.get("penalty");
  let hovered = -1, frame = 0;
  const chosen = () => { const i = model.get("chosen"); return i > 0 && i < nodes.length && nodes[i][STEP] <= step() ? i : -1; };
  const at = () => (hovered > 0 ? hovered : chosen());

  const walk = player("beam-play", "Play the steps of the search", "Pause", PLAY_MS, last, { at: () => step() - 1, go: (t) => set({ step: clamp(t, last) + 1 }),
    changed: () => say.setAttribute("aria-live", walk.on ? "off" : "polite") });
  const steps = stepControls(last, walk, { go(t) { walk.stop(); set({ step: t + 1 }); }, move(by) { walk.stop(); set({ step: clamp(step() - 1 + by, last) + 1 }); } },
    { name: "beam-step", label: "Step of the search" });
  const any = nodes.some((node) => node[STATUS] === "finished");
  const slider = any ? sliderControl("beam-penalty", "length penalty λ", { min: 0, max: 2, step: 0.05 }, (value) => set({ penalty: value }), (value) => `finished sentences are ranked by log P over length to the power ${value.toFixed(2)}`) : null;
  const canvas = h("canvas", { "aria-hidden": "true" });
  const buttons = nodes.map((node, i) => (i ? h("button", { type: "button", class: `beam-node beam-${node[STATUS]}`, "data-place": i, "data-testid": "beam-node", tabindex: -1 },
    h("bdi", { dir: "auto" }, shortened(node[TOKEN], 6)), h("small", {}, node[STATUS] === "pruned" ? "cut" : node[STATUS] === "finished" ? "done" : number(node[LOG]))) : null));
  const tall = Math.max(...cols.map((column) => column.length)) * (TALL + 4), wide = last * (WIDE + GAP) + GAP;
  const inner = h("div", { class: "beam-inner", role: "group", "aria-label": "Candidates" }, canvas, ...buttons.filter(Boolean));
  const stage = h("div", { class: "att-scroll" }, inner);
  inner.style.setProperty("width", `${wide}px`);
  inner.style.setProperty("height", `${tall}px`);
  buttons.forEach((button, i) => {
    if (!button) return;
    const [x, y] = place(nodes, cols, i);
    button.style.setProperty("left", `${x}px`);
    button.style.setProperty("top", `${y - TALL / 2}px`);
  });
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "beam-sentence" });
  const board = h("ol", { class: "beam-board", "aria-label": "Finished sentences, best first", "data-testid": "beam-board" });
  const table = tableControl("beam-table", "Table of candidates", () => ({ caption: `${name}: every candidate shown, to step ${step()}`, head: ["step", "sentence so far", "log P", "what became of it"],
    rows: cols.slice(0, step()).flatMap((column, t) => column.map((i) => [t + 1, text(nodes, i), nodes[i][LOG].toFixed(3), { kept: "kept", finished: "finished", pruned: "cut" }[nodes[i][STATUS]]])) }));
  const csv = () => csvLine("node", "parent", "step", "token", "log_prob", "status") + nodes.map((node, i) => csvLine(i, ...node.slice(0, 2), node[TOKEN], node[LOG], node[STATUS])).join("");
  const sets = () => ({ lit: new Set(at() > 0 ? path(nodes, at()) : []), best: new Set(path(nodes, finished(nodes, step(), penalty())[0] ?? 0)) });
  const make = () => ({ width: wide + 32, height: tall + 64, description: sentence(nodes, at(), penalty(), step()), paint(pen) {
    const c = page.colours, { lit, best } = sets(), moved = { ...pen, curves: (list, ...more) => pen.curves(list.map(([a, b, x, y]) => [a + 16, b + 48, x + 16, y + 48]), ...more) };
    pen.rect(0, 0, wide + 32, tall + 64, c.surface);
    pen.text(16, 22, name, c.ink, 16, "start", 0, true);
    branches(moved, nodes, cols, step(), lit, best, c);
    nodes.forEach((node, i) => {
      if (!i || node[STEP] > step()) return;
      const [x, y] = place(nodes, cols, i), cut = node[STATUS] === "pruned";
      pen.rect(x + 16, y + 48 - 13, WIDE, 26, c.surface);
      pen.frame(x + 16, y + 48 - 13, WIDE, 26, best.has(i) ? c.gold : cut ? c.muted : c.decoder, best.has(i) ? 2.5 : 1);
      pen.text(x + 24, y + 48, shortened(node[TOKEN], 6), cut ? c.muted : c.target, 13);
      pen.text(x + WIDE + 10, y + 48, cut ? "cut" : node[STATUS] === "finished" ? "done" : number(node[LOG]), c.muted, 11, "end");
    });
  } });
  root.replaceChildren(...[
    h("div", { class: "att-top" }, title ? h("p", { class: "att-title" }, title) : h("span")),
    src.length ? h("p", { class: "beam-src" }, h("bdi", { class: "att-src", dir: "auto" }, src.map(visible).join(" "))) : null,
    steps.element, stage, say, slider && h("div", { class: "att-foot" }, slider.element), any ? board : null, table.element, ...saveControls({ prefix: "beam", name, make, csv })].filter(Boolean));

  const repaint = () => { frame ||= requestAnimationFrame(() => { frame = 0; const { lit, best } = sets(); branches(pencil(canvas, wide, tall), nodes, cols, step(), lit, best, page.colours); }); };
  const isGold = (i) => gold && path(nodes, i).map((k) => nodes[k][TOKEN]).slice(0, -1).join("\u0000") === gold.join("\u0000");
  const changed = () => {
    const { lit, best } = sets(), now = step(), ranked = finished(nodes, now, penalty());
    buttons.forEach((button, i) => {
      if (!button) return;
      button.hidden = nodes[i][STEP] > now;
      button.classList.toggle("beam-best", best.has(i));
      button.classList.toggle("beam-lit", lit.has(i));
      button.setAttribute("aria-pressed", i === chosen());
    });
    const home = chosen() > 0 ? chosen() : cols[0][0];
    buttons.forEach((button, i) => { if (button) button.tabIndex = i === home ? 0 : -1; });
    say.textContent = sentence(nodes, at(), penalty(), now);
    board.replaceChildren(...ranked.slice(0, 5).map((i) => h("li", {}, h("bdi", { class: "att-tgt", dir: "auto" }, text(nodes, i)), ` ${number(score(nodes[i], penalty()))}${isGold(i) ? " ● right" : ""}`)));
    steps.show(now - 1, `${now}`);
    table.fill();
    repaint();
  };
  const nodeOf = (event) => { const node = event.target.closest("[data-place]"); return node ? +node.dataset.place : -1; };
  inner.addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") { hovered = nodeOf(event); changed(); } });
  inner.addEventListener("pointerleave", () => { hovered = -1; changed(); });
  inner.addEventListener("click", (event) => { const i = nodeOf(event); if (i > 0) { hovered = -1; walk.stop(); set({ chosen: i }); changed(); } });
  inner.addEventListener("focusin", (event) => { const i = nodeOf(event); if (i > 0 && i !== chosen()) { walk.stop(); set({ chosen: i }); } });
  inner.addEventListener("keydown", (event) => {
    const i = nodeOf(event);
    if (i < 1 || event.altKey || event.metaKey || event.ctrlKey) return;
    if (event.key === "Escape") { event.preventDefault(); set({ chosen: -1 }); return; }
    const to = nextNode(nodes, i, event.key, step());
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation(); // the notebook has keys of its own
    hovered = -1;
    buttons[to].focus();
  });
  const draw = { step: changed, penalty() { slider?.show(penalty()); changed(); }, chosen: changed };
  return { draw, repaint, resize() { stage.toggleAttribute("data-more", stage.scrollWidth > stage.clientWidth); repaint(); }, stop() { walk.stop(); cancelAnimationFrame(frame); } };
}

const render = framed({ kind: "beam", label: (model) => model.get("title") || "Beam search", data: ["nodes", "src", "gold", "title"], figure });

export default { render };
