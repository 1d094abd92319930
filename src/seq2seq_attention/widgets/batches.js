// BatchView: a batch as rows of cells. Ids, mask and padding of the source; or what the decoder
// reads over what it must say, one step at a time. Drawn from the traits of batches.py.
// The cells are a table; one canvas under it holds the arrows of the target.

import {
  visible, wordWidth, h, clamp, pencil, player, stepControls, choiceControl, checkControl, tableControl,
  saveControls, framed, spoken, spokenNodes, csvLine,
} from "./base.js";

const PLAY_MS = 1100;
const SIDE = { src_ids: "src", tgt_in: "in", tgt_out: "tgt" };

// ---------------------------------------------------------------- pure functions (node tests)

/** How many rows a batch may have: all, about half, about a quarter, one. */
export function sizesFor(B) {
  return [...new Set([B, Math.ceil(B / 2), Math.ceil(B / 4), 1])];
}

/** The sentences in batches of `size`, each with its own width: [{rows, S, T}, …]. */
export function grouped({ src, tgt_in }, size, byLength) {
  const order = [...src.keys()];
  if (byLength) order.sort((a, b) => src[a].length - src[b].length || tgt_in[a].length - tgt_in[b].length || a - b);
  const groups = [];
  for (let i = 0; i < order.length; i += size) {
    const rows = order.slice(i, i + size), longest = (side) => Math.max(...rows.map((row) => side[row].length));
    groups.push({ rows, S: longest(src), T: longest(tgt_in) });
  }
  return groups;
}

/** Cells of the shown side and how many of them are padding; tgt_in has as many as tgt_out. */
export function counted(data, groups, view) {
  const [rows, width] = view === "source" ? [data.src, "S"] : [data.tgt_out, "T"];
  let cells = 0, real = 0;
  for (const group of groups) {
    cells += group.rows.length * group[width];
    for (const row of group.rows) real += rows[row].length;
  }
  return { cells, pads: cells - real };
}

/** The lines of the table from top to bottom: [{part, row, width, group}, …]. */
export function linesOf(groups, view) {
  const parts = view === "source" ? ["src_ids"] : ["tgt_in", "tgt_out"];
  return groups.flatMap((group, g) => group.rows.flatMap((row) =>
    parts.map((part) => ({ part, row, group: g, width: view === "source" ? group.S : group.T }))));
}

const idsOf = (data, part) => (part === "src_ids" ? data.src : data[part]);
const isReal = (data, part, row, i) => i >= 0 && i < idsOf(data, part)[row].length;

/** The id in a cell, padding included. */
export const idAt = (data, part, row, i) =>
  (isReal(data, part, row, i) ? idsOf(data, part)[row][i] : data.pads[part === "src_ids" ? 0 : 1]);

/** The word in a cell. */
export const wordAt = (data, part, row, i) => data.words[part === "src_ids" ? "src" : "tgt"][idAt(data, part, row, i)];

/** Whether a row's output has been fed in as its input: the shift was forgotten. */
export const unshifted = (data, row) => String(data.tgt_in[row]) === String(data.tgt_out[row]);

/** Whether the decoder reads at position i + 1 what it had to say at i. */
export const handedOn = (data, row, i) =>
  isReal(data, "tgt_in", row, i + 1) && isReal(data, "tgt_out", row, i) && data.tgt_in[row][i + 1] === data.tgt_out[row][i];

/** The cells that belong to a cell of the target: [{part, row, i, how}], how "asked" or "same". */
export function partners(data, part, row, i) {
  if (part === "src_ids" || !isReal(data, part, row, i)) return [];
  const reads = part === "tgt_in", found = [{ part: reads ? "tgt_out" : "tgt_in", row, i, how: "asked" }];
  if (reads && handedOn(data, row, i - 1)) found.push({ part: "tgt_out", row, i: i - 1, how: "same" });
  if (!reads && handedOn(data, row, i)) found.push({ part: "tgt_in", row, i: i + 1, how: "same" });
  return found;
}

/** Where a key leads from cell i of line l. */
export function nextPlace(key, [l, i], lines, ctrl = false) {
  const last = lines.length - 1;
  const to = {
    ArrowUp: [l - 1, i], ArrowDown: [l + 1, i], ArrowLeft: [l, i - 1], ArrowRight: [l, i + 1],
    Home: ctrl ? [0, 0] : [l, 0], End: ctrl ? [last, Infinity] : [l, Infinity], PageUp: [l - 5, i], PageDown: [l + 5, i],
  }[key];
  if (!to) return null;
  const line = clamp(to[0], lines.length);
  return [line, clamp(Math.min(to[1], 1e6), lines[line].width)];
}

const percent = (part, whole) => `${Math.round((100 * part) / whole)} %`;
const sides = { src_ids: "source", tgt_in: "target", tgt_out: "target" };

/** What is read before position i is said: the last few words of it. */
function before(data, row, i) {
  const from = i > 4 ? i - 2 : 0, words = [];
  for (let k = from; k <= i; k++) words.push(visible(wordAt(data, "tgt_in", row, k)));
  return (from ? "… " : "") + words.join(" ");
}

/** One cell in words, as parts of text; state: {step}. */
export function cellSentence(data, { step }, { part, row, i }) {
  const ids = idsOf(data, part)[row], where = `Sentence ${row + 1}, position ${i + 1}`;
  const word = (p, k) => ({ side: SIDE[p], text: visible(wordAt(data, p, row, k)) });
  if (i >= ids.length) {
    const why = part === "src_ids" ? "the encoder doesn’t read it, and attention gives it no weight" : "it counts in no loss";
    return [`${where}, is padding: the mask is False, so ${why}. This ${sides[part]} has ${ids.length} real token${ids.length > 1 ? "s" : ""}.`];
  }
  if (part === "src_ids") return [`${where}: `, word(part, i), `, id ${ids[i]}. The mask is True: a real token.`];
  const at = `Sentence ${row + 1}, step ${i + 1}: `;
  if (i > step && part === "tgt_in") return [at, word(part, i), ` is not read yet. At step ${step + 1} the decoder has seen no column after ${step + 1}.`];
  if (i > step) return [at, word(part, i), ` is not asked for yet: the decoder is at step ${step + 1}.`];
  if (unshifted(data, row)) return [at, "the decoder reads ", word("tgt_in", i), " and must say ", word("tgt_out", i), ": the answer stands in what it reads. Without the shift it learns to copy."];
  const asked = [" must say ", word("tgt_out", i)];
  if (part === "tgt_in") {
    const said = handedOn(data, row, i - 1) ? [` It is what it had to say at step ${i}.`] : [];
    return [at, "the decoder reads ", word("tgt_in", i), " and", ...asked, ".", ...said];
  }
  const then = handedOn(data, row, i) ? `, which it reads at step ${i + 2}.` : i === ids.length - 1 ? ": the sentence is over." : ".";
  return [at, "having read ", { side: "in", text: before(data, row, i) }, ", the decoder", ...asked, then];
}

/** What the figure shows as a whole, as parts of text. */
export function sentence(data, state) {
  const { view, size, byLength, step } = state, B = data.src.length;
  const groups = grouped(data, size, byLength), { cells, pads } = counted(data, groups, view);
  if (view === "target") {
    const asked = groups.flatMap(({ rows }) => rows).filter((row) => isReal(data, "tgt_out", row, step));
    const parts = [`Step ${step + 1} of ${Math.max(...data.tgt_in.map((row) => row.length))}: the decoder has read column${step ? `s 1 to ${step + 1}` : " 1"} and must say `];
    asked.slice(0, 3).forEach((row, k) => parts.push(k ? ", " : "", { side: "tgt", text: visible(wordAt(data, "tgt_out", row, step)) }, ` in sentence ${row + 1}`));
    if (asked.length > 3) parts.push(`, and so on in ${asked.length - 3} more`);
    const over = B - asked.length;
    parts.push(over ? `; ${over} ${over > 1 ? "are" : "is"} over, and padding there counts in no loss.` : ".");
    return parts.filter(Boolean);
  }
  const many = groups.length > 1, how = `${many ? `${groups.length} batches of up to ${size}` : `One batch of ${B}`}${byLength ? ", sorted by length" : ""}`;
  const parts = [`${how}: ${pads} of ${cells} cells are padding (${percent(pads, cells)}).`];
  const other = counted(data, grouped(data, size, !byLength), view);
  if (B > 1 && !many) parts.push(" The longest sentence sets the width of every row, in whatever order they stand.");
  else if (size > 1 && other.pads !== pads) parts.push(` ${byLength ? "Unsorted" : "Sorted by length first"}, it would be ${other.pads} of ${other.cells} (${percent(other.pads, other.cells)}).`);
  else if (size === 1 && B > 1) parts.push(" One sentence alone needs none, but then nothing is computed side by side.");
  return parts;
}

/** The whole batch as rows: sentence, position, then each tensor's word, id and mask. */
export function rowsOf(data) {
  const out = [];
  for (let row = 0; row < data.src.length; row++) {
    for (let i = 0; i < Math.max(data.S, data.T); i++) {
      const cells = Object.keys(SIDE).flatMap((part) => {
        if (i >= (part === "src_ids" ? data.S : data.T)) return ["", "", ...(part === "tgt_in" ? [] : [""])];
        const mask = part === "tgt_in" ? [] : [isReal(data, part, row, i) ? "True" : "False"];
        return [visible(wordAt(data, part, row, i)), idAt(data, part, row, i), ...mask];
      });
      out.push([row + 1, i + 1, ...cells]);
    }
  }
  return out;
}

const HEAD = ["sentence", "position", "source", "src_ids", "src_valid", "decoder reads", "tgt_in", "must say", "tgt_out", "tgt_valid"];
export const csv = (data) => csvLine(...HEAD) + rowsOf(data).map((row) => csvLine(...row)).join("");

/** The shape of each tensor shown, as above a batch. */
export function heading(groups, g, view, show) {
  const { rows, S, T } = groups[g], shape = `(${rows.length}, ${view === "source" ? S : T})`;
  const names = view === "source" ? [show === "mask" ? "src_valid" : "src_ids"] : show === "mask" ? ["tgt_valid"] : ["tgt_in", "tgt_out"];
  return `${groups.length > 1 ? `batch ${g + 1}: ` : ""}${names.join(" and ")} ${shape}`;
}

/** What stands in a cell. */
export function cellText(data, show, part, row, i) {
  if (show === "ids") return String(idAt(data, part, row, i));
  if (show === "mask") return isReal(data, part, row, i) ? "True" : "False";
  return visible(wordAt(data, part, row, i));
}

// ---------------------------------------------------------------- drawing with a pen

/** Arrows of the target: boxes(part, row, i) gives {x, y, w, h} or null; c the colours. */
export function drawArrows(pen, data, lines, { step, lit }, boxes, c) {
  const arrow = (from, to, colour, line, alpha) => {
    pen.line([from, to], colour, line, alpha);
    const turn = Math.atan2(to[1] - from[1], to[0] - from[0]), size = 2.5 + 1.5 * line;
    const wing = (angle) => [to[0] - size * Math.cos(turn + angle), to[1] - size * Math.sin(turn + angle)];
    pen.shape([to, wing(0.5), wing(-0.5)], colour, alpha);
  };
  const middle = ({ x, w }) => x + w / 2;
  for (const { part, row, width } of lines) {
    if (part !== "tgt_in") continue;
    for (let i = 0; i < Math.min(width, step + 1); i++) {
      const reads = boxes("tgt_in", row, i), says = boxes("tgt_out", row, i), later = boxes("tgt_in", row, i + 1);
      if (!reads || !says || !isReal(data, "tgt_in", row, i)) continue;
      const here = lit && lit.row === row && ((lit.part === "tgt_in" && lit.i === i) || (lit.part === "tgt_out" && lit.i === i));
      const from = lit && lit.row === row && (lit.part === "tgt_out" ? lit.i === i : lit.i === i + 1);
      if (here || (!lit && i === step)) arrow([middle(reads), reads.y + reads.h + 1], [middle(says), says.y - 1], c.ink, 1.8, 1);
      if (later && i < step && handedOn(data, row, i)) {
        arrow([says.x + 0.7 * says.w, says.y - 1], [later.x + 0.3 * later.w, later.y + later.h + 1], from ? c.ink : c.muted, from ? 1.8 : 1, from ? 1 : 0.65);
      }
    }
  }
}

/** A picture to save: returns {width, height, paint(pen)}. */
export function picture(data, state, c, title) {
  const { view, show, size, byLength, step } = state, PAD = 16, CELL = 26, HEAD_W = view === "source" ? 34 : 92, GAP = view === "source" ? 4 : 18;
  const groups = grouped(data, size, byLength), lines = linesOf(groups, view), W = Math.max(...lines.map((line) => line.width));
  const wide = Array.from({ length: W }, (_, i) => Math.max(30, ...lines.filter((line) => i < line.width).map((line) => 14 + 13 * wordWidth(cellText(data, show, line.part, line.row, i)))));
  const left = wide.map((_, i) => PAD + HEAD_W + wide.slice(0, i).reduce((sum, w) => sum + w + 4, 0));
  const tops = [];
  let y = PAD + (title ? 26 : 0) + 24;
  lines.forEach((line, l) => {
    if (l === 0 || line.group !== lines[l - 1].group) y += 22;
    tops.push(y);
    y += CELL + (line.part === "tgt_in" ? GAP : view === "source" ? GAP : 10);
  });
  const note = spoken(sentence(data, state)), width = Math.max(left.at(-1) + wide.at(-1) + PAD, 320), height = y + PAD;
  const place = new Map(lines.map((line, l) => [`${line.part} ${line.row}`, l]));
  const boxes = (part, row, i) => {
    const l = place.get(`${part} ${row}`);
    return l === undefined || i >= lines[l].width ? null : { x: left[i], y: tops[l], w: wide[i], h: CELL };
  };
  return { width, height, paint(pen) {
    pen.rect(0, 0, width, height, c.surface);
    if (title) pen.text(PAD, PAD + 10, title, c.ink, 16, "start", 0, true);
    const colour = { src_ids: c.source, tgt_in: c.decoder, tgt_out: c.target };
    left.forEach((x, i) => pen.text(x + wide[i] / 2, PAD + (title ? 26 : 0) + 10, String(i + 1), c.muted, 12, "middle"));
    lines.forEach((line, l) => {
      if (l === 0 || line.group !== lines[l - 1].group) pen.text(PAD, tops[l] - 12, heading(groups, line.group, view, show), c.muted, 12);
      if (line.part !== "tgt_out") pen.text(PAD, tops[l] + CELL / 2, String(line.row + 1), c.ink, 13);
      if (view === "target") pen.text(PAD + HEAD_W - 8, tops[l] + CELL / 2, line.part, colour[line.part], 12, "end");
      for (let i = 0; i < line.width; i++) {
        const { x, y: top, w, h: tall } = boxes(line.part, line.row, i), real = isReal(data, line.part, line.row, i);
        const later = view === "target" && i > step;
        if (real && !later) pen.rect(x, top, w, tall, colour[line.part], 0.14);
        if (!real) {
          for (let k = 7; k < w + tall; k += 7) { // hatched
            const [x1, y1] = k < w ? [x + k, top] : [x + w, top + k - w], [x2, y2] = k < tall ? [x, top + k] : [x + k - tall, top + tall];
            pen.line([[x1, y1], [x2, y2]], c.ink, 1, 0.16);
          }
        }
        pen.frame(x + 0.5, top + 0.5, w - 1, tall - 1, real && !later ? colour[line.part] : c.muted, real && line.part === "tgt_out" && i === step ? 2 : 0.6);
        pen.text(x + w / 2, top + tall / 2, cellText(data, show, line.part, line.row, i), real && !later ? c.ink : c.muted, 13, "middle");
      }
    });
    if (view === "target") drawArrows(pen, data, lines, { step, lit: null }, boxes, c);
  }, description: note };
}

// ---------------------------------------------------------------- the figure

/** Everything drawn from one state of the data traits. */
function figure(model, root, page) {
  const data = { src: model.get("src"), tgt_in: model.get("tgt_in"), tgt_out: model.get("tgt_out"), words: model.get("words"), pads: model.get("pads") };
  const longest = (rows) => Math.max(...rows.map((row) => row.length));
  const B = data.src.length, title = model.get("title"), name = title || "A batch";
  [data.S, data.T] = [longest(data.src), longest(data.tgt_in)];
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const state = () => ({ view: model.get("view"), show: model.get("show"), size: model.get("batch_size"), byLength: model.get("by_length"), step: clamp(model.get("step"), data.T) });

  let lines = [], nodes = new Map(), hovered = null, marked = [], home = null, frame = 0;
  const key = (part, row, i) => `${part} ${row} ${i}`;
  const boxOf = (part, row, i) => nodes.get(key(part, row, i)) || null;
  const pinned = () => { // None, or a cell that is shown
    const focus = model.get("focus");
    return focus && boxOf(...focus) ? { part: focus[0], row: focus[1], i: focus[2] } : null;
  };
  const lit = () => hovered || pinned();

  // controls
  const choice = choiceControl("batch-view", "Side", [["source", "Source"], ["target", "Target"]], (view) => set({ view, focus: null }));
  const shows = choiceControl("batch-show", "In the cells", [["tokens", "tokens"], ["ids", "ids"], ["mask", "mask"]], (show) => set({ show }));
  const sizes = sizesFor(B);
  const size = B > 1 ? choiceControl("batch-size", "Sentences in a batch", sizes.map((n) => [n, n === B ? `all ${B}` : String(n)]), (batch_size) => set({ batch_size: +batch_size })) : null;
  const sort = B > 1 ? checkControl("batch-sort", "sorted by source length", (by_length) => set({ by_length })) : null;
  const playing = player("batch-play", "Play the decoder steps", "Pause", PLAY_MS, data.T, {
    at: () => state().step, go: (step) => set({ step, focus: null }),
    changed: () => say.setAttribute("aria-live", playing.on ? "off" : "polite"),
  });
  const go = (step) => { playing.stop(); set({ focus: null, step: clamp(step, data.T) }); };
  const stepper = stepControls(data.T, playing, { go, move: (by) => go(state().step + by) }, { name: "batch-step", label: "Decoder step" });

  const head = h("tr", { class: "bat-head" }), table = h("table", { role: "grid", class: "bat-grid", "aria-label": name });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const stage = h("div", { class: "bat-stage" }, canvas, table);
  const scroller = h("div", { class: "att-scroll" }, stage);
  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "batch-sentence" });
  const share = { real: h("i", { class: "bat-share-real" }), pad: h("i", { class: "bat-share-pad" }), text: h("output", { "aria-live": "off", "data-testid": "batch-count" }) };
  const full = tableControl("batch-table", "Table of the whole batch, as one", () => ({ caption: `${name}: ${B} sentences, padded to ${data.S} source and ${data.T} target positions`, head: HEAD, rows: rowsOf(data) }));
  root.replaceChildren(
    h("div", { class: "att-top" }, title ? h("p", { class: "att-title" }, title) : h("span"), choice.element),
    h("div", { class: "bat-settings" }, h("span", { class: "bat-setting" }, "show", shows.element),
      size && h("span", { class: "bat-setting" }, "batches of", size.element), sort?.element),
    stepper.element, scroller,
    h("div", { class: "bat-share" }, h("span", { class: "bat-bar", "aria-hidden": "true" }, share.real, share.pad), share.text),
    say, full.element,
    ...saveControls({ prefix: "batch", name, make: () => picture(data, state(), page.colours, title), csv: () => csv(data) }));
  for (const child of root.querySelectorAll(".bat-settings:empty")) child.remove();

  function build() {
    const { view, show, size: many, byLength } = state();
    const groups = grouped(data, many, byLength), width = Math.max(...groups.map((g) => (view === "source" ? g.S : g.T)));
    lines = linesOf(groups, view);
    nodes = new Map();
    home = null;
    hovered = null;
    marked = [];
    head.replaceChildren(h("td", { class: "bat-corner" }, "position"), ...Array.from({ length: width }, (_, i) => h("th", { scope: "col", "data-i": i }, String(i + 1))));
    const bodies = groups.map((group, g) => h("tbody", {},
      h("tr", { class: "bat-name" }, h("th", { scope: "rowgroup", colspan: width + 1 }, h("span", {}, heading(groups, g, view, show)))),
      ...lines.map((line, l) => ({ ...line, l })).filter((line) => line.group === g).map(({ part, row, width: wide, l }) => h("tr", { class: `bat-line bat-${SIDE[part]}` },
        h("th", { scope: "row" }, h("span", { class: "bat-number" }, part === "tgt_out" ? h("span", { class: "att-sr" }, String(row + 1)) : String(row + 1)),
          view === "target" ? h("span", { class: "bat-part" }, part) : null),
        ...Array.from({ length: wide }, (_, i) => {
          const real = isReal(data, part, row, i), text = cellText(data, show, part, row, i);
          const box = h("span", { class: "bat-box" }, show === "tokens" ? h("bdi", { dir: "auto" }, text) : text);
          const cell = h("td", { role: "gridcell", tabindex: -1, "data-testid": "batch-cell", "data-part": part, "data-row": row, "data-i": i, "data-l": l, class: real ? undefined : "bat-pad", "data-value": show === "mask" ? text : undefined }, box);
          nodes.set(key(part, row, i), cell);
          return cell;
        })))));
    table.replaceChildren(h("thead", {}, head), ...bodies);
    root.dataset.batView = view;
    stepper.element.hidden = view === "source";
    const { cells, pads } = counted(data, groups, view);
    share.real.style.setProperty("flex-grow", cells - pads);
    share.pad.style.setProperty("flex-grow", pads);
    share.text.textContent = `${cells - pads} real, ${pads} <pad> (${percent(pads, cells)} of ${cells} cells${view === "target" ? " in tgt_out" : ""})`;
    if (view === "source") playing.stop();
    choice.show(view);
    shows.show(show);
    if (size && sizes.includes(many)) size.show(many);
    sort?.show(byLength);
    walk();
    resize();
  }

  function walk() { // how far the decoder has come, then what is lit
    const { view, step } = state();
    stepper.show(step, `position ${step + 1}`);
    for (const { part, row, width } of lines) {
      for (let i = 0; i < width; i++) {
        const cell = boxOf(part, row, i);
        cell.classList.toggle("bat-later", view === "target" && i > step);
        cell.classList.toggle("bat-now", part === "tgt_out" && i === step && isReal(data, part, row, i));
      }
    }
    for (const item of head.querySelectorAll("th")) item.classList.toggle("bat-now", view === "target" && +item.dataset.i === step);
    light();
  }

  function light() {
    const now = lit();
    for (const [node, mark] of marked) node.classList.remove(mark);
    marked = [];
    if (now) {
      marked.push([boxOf(now.part, now.row, now.i), "bat-lit"]);
      if (state().view === "target" && now.i <= state().step) for (const other of partners(data, now.part, now.row, now.i)) {
        const node = boxOf(other.part, other.row, other.i);
        if (node && other.i <= state().step) marked.push([node, `bat-${other.how}`]);
      }
    }
    for (const [node, mark] of marked) node.classList.add(mark);
    const parts = now ? cellSentence(data, state(), now) : sentence(data, state());
    say.replaceChildren(...spokenNodes(parts));
    const at = pinned(), next = (at && boxOf(at.part, at.row, at.i)) || home || (lines[0] && boxOf(lines[0].part, lines[0].row, 0));
    if (next && next !== home) { // the one cell that Tab reaches
      if (home) home.tabIndex = -1;
      next.tabIndex = 0;
      home = next;
    }
    repaint();
  }

  function paint() {
    frame = 0;
    const { view, step } = state();
    canvas.hidden = view === "source";
    if (view === "source" || !stage.offsetWidth) return;
    const from = stage.getBoundingClientRect();
    const boxes = (part, row, i) => {
      const box = boxOf(part, row, i)?.firstElementChild.getBoundingClientRect();
      return box ? { x: box.left - from.left, y: box.top - from.top, w: box.width, h: box.height } : null;
    };
    drawArrows(pencil(canvas, stage.offsetWidth, stage.offsetHeight), data, lines, { step, lit: lit() }, boxes, page.colours);
  }
  const repaint = () => { frame ||= requestAnimationFrame(paint); };
  function resize() {
    scroller.toggleAttribute("data-more", scroller.scrollWidth > scroller.clientWidth + 1);
    repaint();
  }
  const reveal = (i) => { // scroll the box, never the page, so that a column is in sight
    const cell = head.querySelector(`[data-i="${i}"]`), corner = head.firstElementChild.offsetWidth;
    if (!cell || scroller.scrollWidth <= scroller.clientWidth) return;
    if (cell.offsetLeft < scroller.scrollLeft + corner) scroller.scrollLeft = cell.offsetLeft - corner;
    else if (cell.offsetLeft + cell.offsetWidth > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = cell.offsetLeft + cell.offsetWidth - scroller.clientWidth + 8;
  };

  const cellOf = (event) => {
    const cell = event.target.closest("[data-part]");
    return cell && table.contains(cell) ? { part: cell.dataset.part, row: +cell.dataset.row, i: +cell.dataset.i, l: +cell.dataset.l, cell } : null;
  };
  const hover = (to) => {
    if (to?.cell === hovered?.cell) return;
    hovered = to;
    light();
  };
  table.addEventListener("pointerover", (e) => { if (e.pointerType !== "touch") hover(cellOf(e)); });
  table.addEventListener("pointerleave", () => hover(null));
  table.addEventListener("focusin", (e) => { const to = cellOf(e); if (to) { hovered = null; set({ focus: [to.part, to.row, to.i] }); light(); } });
  table.addEventListener("click", (e) => cellOf(e)?.cell.focus());
  table.addEventListener("keydown", (e) => {
    const to = cellOf(e);
    if (!to || e.altKey || e.metaKey) return;
    if (e.key === "Escape") { hovered = null; set({ focus: null }); light(); e.preventDefault(); return; }
    const next = nextPlace(e.key, [to.l, to.i], lines, e.ctrlKey);
    if (!next) return;
    e.preventDefault();
    e.stopPropagation(); // the notebook has keys of its own
    const { part, row } = lines[next[0]];
    boxOf(part, row, next[1]).focus();
    reveal(next[1]);
  });

  const stop = () => { playing.stop(); cancelAnimationFrame(frame); };
  let drawn = false;
  const once = () => { drawn = true; build(); };
  const rebuilt = () => { if (drawn) build(); }; // at first one drawing is enough
  return { draw: { view: once, show: rebuilt, batch_size: rebuilt, by_length: rebuilt, step() { walk(); reveal(state().step); }, focus: light }, resize, repaint, stop };
}

const render = framed({
  kind: "batch", label: (model) => model.get("title") || "A batch",
  data: ["src", "tgt_in", "tgt_out", "words", "pads", "title"], figure,
});

export default { render };
