// PrototypesView: one vector, attention, Transformer — what is computed at each step, and from
// what. Drawn from the traits of prototypes.py, in a live notebook and on a static page alike.
//
// A drawing is a list of marks (paths, boxes, words), each with the steps at which it is made.
// The page shows them as SVG elements whose class says future, now or past; saving paints the
// same marks through the shared pens.

import {
  visible, largest, wordWidth, shortened, h, clamp, player, stepControls, choiceControl,
  checkControl, tableControl, saveControls, framed, FONT,
} from "./base.js";

const PLAY_MS = 1500;

// ---------------------------------------------------------------- pure functions (node tests)

export const KINDS = [["vector", "One vector", 2014], ["attention", "Attention", 2015], ["transformer", "Transformer", 2017]];

/** x₁, h₁₂: a symbol with its index. */
export const sub = (letter, i) => letter + String(i).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);

/** The steps of one prototype for n source and m target words, in order; i and t count from 1. */
export function script(kind, n, m) {
  const write = Array.from({ length: m }, (_, t) => ({ phase: "write", t: t + 1 }));
  if (kind === "transformer") return [{ phase: "all" }, ...write, { phase: "train" }];
  return [...Array.from({ length: n }, (_, i) => ({ phase: "read", i: i + 1 })), { phase: "hand" }, ...write];
}

/** How many arrows a signal follows on its shortest way from x_1 to y_t. */
export const wayLength = (kind, n, t) => (kind === "vector" ? n + t + 2 : 4);

/** How many arrows from x_1 to the last encoder state, h_n. */
export const wayToLast = (kind, n) => (kind === "transformer" ? 1 : n);

/** Steps that must wait for one another: while reading, writing, and writing in training. */
export const waits = (kind, n, m) => ({ read: kind === "transformer" ? 1 : n, write: m, train: kind === "transformer" ? 1 : m });

/** The step of another prototype that shows the same moment. */
export function sameMoment(from, step, to, n, m) {
  const { phase, t, i } = script(from, n, m)[step];
  const steps = script(to, n, m);
  if (phase === "write") return steps.findIndex((other) => other.t === t);
  if (phase === "train") return steps.length - 1;
  return steps.findIndex((other) => other.phase === "all" || other.phase === phase && (other.i === i || phase === "hand") || phase === "all" && other.phase === "hand");
}

/** The word that the decoder reads before it says word t. */
const before = (tgt, t) => (t > 1 ? tgt[t - 2] : "<sos>");

const count = (k, noun) => `${k} ${noun}${k === 1 ? "" : "s"}`;

/**
 * A step in words: strings and {side, text} for tokens.
 * data: {src, tgt, at(t, s) from 0, measured}.
 */
export function sentence(kind, { src, tgt, at, measured }, step) {
  const n = src.length, m = tgt.length, { phase, i, t } = script(kind, n, m)[step];
  const x = (k) => ({ side: "src", text: visible(src[k - 1]) }), y = (text) => ({ side: "tgt", text: visible(text) });
  if (phase === "all") {
    return [`All ${count(n, "word")} at once: each gets its position added, and each encoder state `,
      `is mixed from all of them. No state waits for another.`];
  }
  if (phase === "train") {
    return [`In training the right answer is known. So all ${count(m, "word")} are computed at once, `,
      `each from the words before it and from all encoder states.`];
  }
  if (phase === "read") {
    return ["The encoder reads ", x(i), ` and makes ${sub("h", i)} from `, i > 1 ? `it and ${sub("h", i - 1)}.` : "it."];
  }
  if (phase === "hand") {
    return kind === "vector"
      ? [`Only the last state, ${sub("h", n)}, is handed on, as the context c.`, n > 1 ? ` ${n > 2 ? `The other ${n - 1} are` : "The other one is"} thrown away.` : ""]
      : [n > 1 ? `All ${n} states are kept, ${sub("h", 1)} to ${sub("h", n)}. None is thrown away.` : "The one state is kept."];
  }
  const says = [`, and the decoder says `, y(tgt[t - 1]), "."];
  if (kind === "vector") {
    return [`${sub("s", t)} is made from ${t > 1 ? sub("s", t - 1) : "c"} and the last word, `, y(before(tgt, t)), ...says,
      t > 1 ? " Of the source it knows what is left of c." : " All it knows of the source is c."];
  }
  if (kind === "attention") {
    const [a, b] = largest(src.map((_, s) => at(t - 1, s)), 2), num = (s) => `${at(t - 1, s).toFixed(2)}`;
    return [`The decoder looks back, most at `, x(a + 1), ` (${num(a)})`, ...(b !== undefined && at(t - 1, b) >= 0.005 ? [", then at ", x(b + 1), ` (${num(b)})`] : []),
      `. The mixture is ${sub("c", t)}. ${sub("s", t)} is made from it, ${t > 1 ? `${sub("s", t - 1)} ` : ""}and `, y(before(tgt, t)), ...says,
      measured ? "" : " (Weights drawn by hand.)"];
  }
  return [`${sub("s", t)} is made from all encoder states, mixed as ${sub("c", t)}, and from ${t > 1 ? `all ${t} words so far` : "the start sign"}, `,
    ...(t > 1 ? [y("<sos>"), " to ", y(before(tgt, t))] : [y("<sos>")]), ...says, t > 1 ? " It needs no earlier s." : ""];
}

/** The parts of `sentence` as plain text, tokens in quotation marks. */
export const plain = (parts) => parts.map((p) => (p.text === undefined ? p : `“${p.text}”`)).join("");

/** What the reader should count, in words: [[what, how many, why], …]. */
export function facts(kind, n, m, step) {
  const t = script(kind, n, m)[step].t || (script(kind, n, m)[step].phase === "train" ? m : 1), wait = waits(kind, n, m);
  const inOrder = (k) => (k > 1 ? `${k} steps, one after another` : "1 step");
  return [
    [`Way from x₁ to ${sub("y", t)}`, count(wayLength(kind, n, t), "arrow"), kind === "vector" ? "n + t + 2: grows with both lengths" : "whatever the lengths"],
    ["Reading", kind === "transformer" ? "1 step, all words at once" : inOrder(wait.read), kind === "transformer" ? "whatever the length" : "each state needs the one before"],
    ["Writing", inOrder(wait.write), "each word needs the one before"],
    ["Writing in training", wait.train < m ? "1 step, all words at once" : inOrder(wait.train),
      kind === "transformer" ? "the right words are known" : "each state needs the one before"],
  ];
}

/** Places in px for a drawing `width` wide: columns, rows, sizes. */
export function layout(width, src, tgt) {
  const n = src.length, m = tgt.length, narrow = width < 560;
  const gutter = narrow ? 0 : 84, W = Math.min(width, 760), font = narrow ? 11 : 14;
  const slots = Math.max(m + 1, n);
  const longest = Math.max(...[...src, ...tgt, "<sos>"].map((word) => Math.min(wordWidth(word), 9) * font));
  const turn = longest > (W - gutter) / slots + 2; // words lean to the right where columns are narrow
  const lean = turn ? Math.max(0, longest * 0.65 - 8) : 0, pitch = (W - gutter - lean) / slots;
  const room = turn ? longest * 0.77 + 14 : 24; // height of a row of words
  const box = Math.min(narrow ? 32 : 42, pitch - (pitch < 40 ? 4 : 10)), tall = narrow ? 26 : 30;
  const yS = room + (narrow ? 58 : 66), yC = yS + (narrow ? 76 : 84), yH = yC + (narrow ? 104 : 118), yX = yH + (narrow ? 56 : 62);
  const first = gutter + (W - gutter - lean - pitch * n) / 2;
  return {
    W, H: yX + room - 8, n, m, narrow, gutter, pitch, font, letter: narrow ? 12 : 14, turn, box, tall, yT: room - 10, yS, yC, yH, yX,
    hx: (i) => first + (i - 0.5) * pitch, // i from 1
    sx: (t) => gutter + (t + 0.5) * pitch, // t from 0, the start sign
    cx: gutter + (W - gutter - lean) / 2,
  };
}

const r = (v) => Math.round(v * 10) / 10;
const line = (x1, y1, x2, y2) => `M${r(x1)} ${r(y1)}L${r(x2)} ${r(y2)}`;
const swing = (x1, y1, x2, y2) => `M${r(x1)} ${r(y1)}C${r(x1)} ${r((y1 + y2) / 2)} ${r(x2)} ${r((y1 + y2) / 2)} ${r(x2)} ${r(y2)}`;
const head = (x, y, dx, dy, k = 1) => `M${r(x)} ${r(y)}L${r(x - 7 * k * dx - 4 * k * dy)} ${r(y - 7 * k * dy - 4 * k * dx)}L${r(x - 7 * k * dx + 4 * k * dy)} ${r(y - 7 * k * dy + 4 * k * dx)}Z`;
const round = (x, y, w, t, c = 6) => `M${r(x - w / 2 + c)} ${r(y - t / 2)}h${r(w - 2 * c)}a${c} ${c} 0 0 1 ${c} ${c}v${r(t - 2 * c)}a${c} ${c} 0 0 1 -${c} ${c}h-${r(w - 2 * c)}a${c} ${c} 0 0 1 -${c} -${c}v-${r(t - 2 * c)}a${c} ${c} 0 0 1 ${c} -${c}Z`;

/**
 * Everything that one prototype ever shows. Each mark: {shape: "edge" | "ribbon" | "box" | "word",
 * role: a colour's name, born: the steps that make it, way: it lies on the way from x_1 to y_t for
 * these t (true: for all)} and what it needs to be drawn.
 */
export function marks(kind, src, tgt, at, place) {
  const { n, m, hx, sx, cx, yT, yS, yC, yH, yX, box, tall, pitch, turn } = place;
  const steps = script(kind, n, m), list = [];
  const stepOf = (test) => steps.findIndex(test);
  const read = (i) => stepOf((s) => s.phase === "all" || s.i === i);
  const writes = (t) => [stepOf((s) => s.t === t), ...(kind === "transformer" ? [steps.length - 1] : [])];
  const hand = stepOf((s) => s.phase === "hand");
  const edge = (d, tip, role, born, more = {}) => list.push({ shape: "edge", d, tip, role, born, ...more });
  const up = (x1, y1, x2, y2, role, born, more = {}) => edge(swing(x1, y1, x2, y2 + (more.bold ? 8 : 5)), head(x2, y2, 0, -1, more.bold ? 1.6 : 1), role, born, more);
  const down = (x1, y1, x2, y2, role, born, more) => edge(swing(x1, y1, x2, y2 - 5), head(x2, y2, 0, 1), role, born, more);
  const right = (x1, x2, y, role, born, more) => edge(line(x1, y, x2 - 5, y), head(x2, y, 1, 0), role, born, more);
  const half = tall / 2, gap = 4, ts = Array.from({ length: m }, (_, k) => k + 1), is = Array.from({ length: n }, (_, k) => k + 1);
  const wordBottom = yT + (turn ? 8 : 11);

  for (const i of is) { // the encoder
    if (kind === "transformer") {
      for (const j of is) {
        const draw = i === j ? up : (x1, y1, x2, y2, ...rest) => edge(swing(x1, y1, x2, y2), "", ...rest);
        draw(hx(j), yX - 11, hx(i), yH + half + gap, "encoder", [0], { thin: i !== j, way: i === 1 && j === 1, structure: true });
      }
    } else {
      up(hx(i), yX - 11, hx(i), yH + half + gap, "source", [read(i)], { way: i === 1, structure: true });
      if (i > 1) right(hx(i - 1) + box / 2 + 1, hx(i) - box / 2 - gap, yH, "encoder", [read(i)], { way: kind === "vector", structure: true });
    }
  }
  if (kind === "vector") { // everything through c
    up(hx(n), yH - half - 1, cx, yC + half + gap, "vanilla", [hand], { bold: true, way: true, structure: true });
    up(cx, yC - half - 1, sx(1), yS + half + gap, "vanilla", writes(1), { bold: true, way: true, structure: true });
  }
  for (const t of ts) {
    const born = writes(t);
    if (kind !== "vector") {
      is.forEach((i) => {
        const weight = kind === "attention" ? at(t - 1, i - 1) : 1 / n;
        list.push({ shape: "ribbon", d: swing(hx(i), yH - half - 1, sx(t), yC + half + 1), role: "attention", born, weight, equal: kind !== "attention", way: i === 1 && [t],
          label: kind === "attention" && weight >= 0.045 ? weight.toFixed(2) : "", x: hx(i), y: yH - half - 10 });
      });
      up(sx(t), yC - half - 1, sx(t), yS + half + gap, "attention", born, { way: [t] });
    }
    if (kind === "attention" && t > 1) { // the state before asks
      down(sx(t - 1) + box / 4, yS + half + 1, sx(t) - box / 4, yC - half - gap + 2, "decoder", born, { dash: [4, 3], thin: true });
    }
    const earlier = kind === "transformer" ? ts.slice(0, t).map((k) => k - 1) : [t - 1];
    for (const k of earlier) { // the words that are read
      const last = k === t - 1;
      const draw = last ? down : (x1, y1, x2, y2, ...rest) => edge(swing(x1, y1, x2, y2 - 5), "", ...rest);
      draw(sx(k) + (turn ? 4 : 0), wordBottom + 2, sx(t) - box / 4, yS - half - gap, "target", born, { thin: true });
    }
    if (kind !== "transformer" && t > 1) {
      right(sx(t - 1) + box / 2 + 1, sx(t) - box / 2 - gap, yS, "decoder", born, { way: kind === "vector" && ts.slice(t - 1), structure: true });
    }
    up(sx(t) + box / 4, yS - half - 1, sx(t) + box / 4, wordBottom + 4, "decoder", born, { way: [t] });
  }
  for (const i of is) {
    list.push({ shape: "box", x: hx(i), y: yH, w: box, t: tall, label: sub("h", i), role: "encoder", born: kind === "attention" ? [read(i), hand] : [read(i)], lost: kind === "vector" && i < n ? hand : undefined });
    list.push({ shape: "word", x: hx(i), y: yX + (turn ? -2 : 0), text: src[i - 1], role: "source", born: [read(i)], known: true, below: true });
  }
  if (kind === "vector") list.push({ shape: "box", x: cx, y: yC, w: box + 10, t: tall, label: "c", role: "vanilla", born: [hand] });
  for (const t of ts) {
    if (kind !== "vector") list.push({ shape: "box", x: sx(t), y: yC, w: Math.min(box, pitch - 4), t: tall - 4, label: sub("c", t), role: "attention", born: writes(t) });
    list.push({ shape: "box", x: sx(t), y: yS, w: box, t: tall, label: sub("s", t), role: "decoder", born: writes(t) });
    list.push({ shape: "word", x: sx(t), y: yT, text: tgt[t - 1], role: "target", born: writes(t) });
  }
  list.push({ shape: "word", x: sx(0), y: yT, text: "<sos>", role: "target", born: writes(1), known: true });
  return list;
}

/** future, now, past or lost: what a mark is at a step. */
export function status({ born, lost }, step) {
  if (born.includes(step)) return "now";
  if (lost !== undefined && step >= lost) return "lost";
  return step > Math.min(...born) ? "past" : "future";
}

/** Is a mark on the way from x_1 to y_t? */
export const onWay = ({ way }, t) => way === true || (Array.isArray(way) && way.includes(t));

/** How a mark looks: {fill, stroke: names of colours, width, alpha, dash}. */
export function look(mark, state) {
  const { shape, role } = mark;
  if (shape === "ribbon") {
    const width = mark.equal ? 1.6 : Math.max(0.8, 15 * mark.weight);
    return { stroke: role, width: state === "past" ? Math.max(0.7, width * 0.5) : width, alpha: { future: 0, past: mark.equal ? 0.1 : 0.08 + 0.2 * mark.weight, now: mark.equal ? 0.7 : 0.35 + 0.5 * mark.weight }[state] };
  }
  if (shape === "edge") {
    const width = mark.bold ? 4 : mark.thin ? 1.3 : 2;
    return { stroke: role, width, dash: mark.dash, alpha: { future: mark.structure ? (mark.thin ? 0.07 : 0.16) : 0, now: 1, past: mark.thin ? 0.16 : 0.42 }[state] };
  }
  if (shape === "box") {
    if (state === "now") return { fill: role, stroke: "ink", width: 2.5, text: "surface", alpha: 1, bold: true };
    if (state === "past") return { fill: role, width: 0, text: "surface", alpha: 0.78 };
    return { fill: "surface", stroke: state === "lost" ? role : "muted", width: 1.2, dash: [3, 3], text: state === "lost" ? role : "muted", alpha: state === "lost" ? 0.75 : 0.5 };
  }
  return { fill: role, alpha: state === "future" ? (mark.known ? 0.75 : 0) : 1, bold: state === "now" };
}

const GUTTER = [["yT", "target words", "target"], ["yS", "decoder", "decoder"], ["yC", "context", "muted"], ["yH", "encoder", "encoder"], ["yX", "source words", "source"]];

/** The drawing at one step, through a pen. way: t of the marked way from x_1 to y_t, or null. */
export function paint(pen, list, place, step, colours, way = null) {
  if (place.gutter) for (const [row, text, role] of GUTTER) pen.text(0, place[row], text, colours[role], 12.5);
  for (const mark of list) {
    const state = status(mark, step), { fill, stroke, width, alpha, dash, text, bold } = look(mark, state);
    if (alpha > 0 && mark.shape === "word") {
      pen.text(mark.x, mark.y, shortened(mark.text, 9), colours[fill], place.font, place.turn ? "start" : "middle", place.turn ? (mark.below ? 50 : -50) : 0, bold);
    } else if (alpha > 0 && mark.shape === "box") {
      const d = round(mark.x, mark.y, mark.w, mark.t);
      pen.path(d, colours.surface); // lines end at the box, not in it
      pen.path(d, colours[fill], width ? colours[stroke] : "none", width, alpha, dash);
      pen.text(mark.x, mark.y, mark.label, colours[text], place.letter, "middle", 0, bold);
    } else if (alpha > 0) {
      pen.path(mark.d, "none", colours[stroke], width, alpha, dash);
      if (mark.tip) pen.path(mark.tip, colours[stroke], "none", 0, alpha);
    }
  }
  for (const mark of list.filter(({ d }) => d)) { // on top of all others
    const state = status(mark, step);
    if (way && state !== "future" && onWay(mark, way)) pen.path(mark.d, "none", colours.ink, 3.5, 1, [3.5, 3]);
    if (mark.label && state === "now") {
      pen.rect(mark.x - 14, mark.y - 7, 28, 13, colours.surface, 0.75);
      pen.text(mark.x, mark.y, mark.label, colours.ink, 11, "middle", 0, true);
    }
  }
}

/** The steps as lines of CSV. */
export function csv(kind, data) {
  const rows = script(kind, data.src.length, data.tgt.length).map((_, step) => [step + 1, plain(sentence(kind, data, step))]);
  return [["step", "what is computed"], ...rows].map((row) => row.map((v) => `"${String(v).replace(/"/g, '""')}"`).join(",")).join("\r\n") + "\r\n";
}

// ---------------------------------------------------------------- the drawing on the page

const NS = "http://www.w3.org/2000/svg";
function svg(tag, attributes = {}, text = null) {
  const node = document.createElementNS(NS, tag);
  for (const [k, v] of Object.entries(attributes)) if (v !== undefined && v !== "") node.setAttribute(k, v);
  if (text !== null) node.textContent = text;
  return node;
}
const tint = (node, name, value) => node.style.setProperty(name, value && value !== "none" ? `var(--att-${value})` : "none");

/** Marks as SVG elements that change with the step; press(step): the reader points at a mark. */
function stage(list, place, press) {
  const root = svg("svg", { viewBox: `0 0 ${r(place.W)} ${r(place.H)}`, width: r(place.W), height: r(place.H), role: "img", "font-family": FONT, "data-testid": "prototypes-drawing" });
  if (place.gutter) {
    for (const [row, text, role] of GUTTER) {
      const label = svg("text", { x: 0, y: place[row], class: "att-row" }, text);
      tint(label, "fill", role);
      root.append(label);
    }
  }
  const drawn = list.map((mark) => {
    const group = svg("g", { class: `att-mark att-${mark.shape}`, "data-mark": mark.label && mark.shape === "box" ? mark.label : undefined });
    const parts = {};
    if (mark.shape === "word") {
      parts.text = svg("text", { x: mark.x, y: mark.y, "font-size": place.font, "text-anchor": place.turn ? "start" : "middle",
        transform: place.turn ? `rotate(${mark.below ? 50 : -50} ${mark.x} ${mark.y})` : undefined }, shortened(mark.text, 9));
    } else if (mark.shape === "box") {
      parts.back = svg("path", { d: round(mark.x, mark.y, mark.w, mark.t), class: "att-back" });
      parts.path = svg("path", { d: round(mark.x, mark.y, mark.w, mark.t) });
      parts.text = svg("text", { x: mark.x, y: mark.y, "font-size": place.letter, "text-anchor": "middle" }, mark.label);
    } else {
      parts.path = svg("path", { d: mark.d, fill: "none", pathLength: mark.dash ? undefined : 1 });
      if (mark.tip) parts.tip = svg("path", { d: mark.tip, class: "att-tip" });
      if (mark.way) parts.way = svg("path", { d: mark.d, class: "att-way" }); // on top, and never faded
      if (mark.label) parts.text = svg("text", { x: mark.x, y: mark.y, class: "att-weight", "text-anchor": "middle" }, mark.label);
    }
    group.append(...Object.values(parts).filter((part) => part !== parts.way && !(mark.shape === "ribbon" && part === parts.text)));
    if (mark.shape === "box" || mark.shape === "word") group.addEventListener("click", () => press(mark.born[0]));
    root.append(group);
    return { mark, group, parts };
  });
  for (const { mark, parts } of drawn) root.append(...[parts.way, mark.shape === "ribbon" && parts.text].filter(Boolean));
  return {
    element: root,
    show(step, way) {
      for (const { mark, group, parts } of drawn) {
        const state = status(mark, step), style = look(mark, state);
        group.dataset.state = state;
        if (mark.shape === "word") {
          tint(parts.text, "fill", style.fill);
          parts.text.style.setProperty("opacity", style.alpha);
          parts.text.style.setProperty("font-weight", style.bold ? 650 : 400);
          continue;
        }
        tint(parts.path, "fill", style.fill);
        tint(parts.path, "stroke", style.stroke);
        parts.path.style.setProperty("stroke-width", style.width);
        (mark.shape === "box" ? parts.path : group).style.setProperty("opacity", style.alpha);
        if (mark.shape === "box" || mark.dash) parts.path.style.setProperty("stroke-dasharray", style.dash ? style.dash.join(" ") : "none");
        if (parts.tip) tint(parts.tip, "fill", style.stroke);
        if (parts.way) parts.way.style.setProperty("display", way && state !== "future" && onWay(mark, way) ? "inline" : "none");
        if (mark.shape === "box") { tint(parts.text, "fill", style.text); parts.text.style.setProperty("font-weight", style.bold ? 650 : 400); }
        else if (parts.text) parts.text.style.setProperty("display", state === "now" ? "inline" : "none");
      }
    },
    say: (text) => root.setAttribute("aria-label", text),
  };
}

function legend() {
  const item = (role, letter, text) => h("span", {}, h("b", { class: `att-key-${role}` }, letter), ` ${text}`);
  return h("p", { class: "att-keys" }, item("encoder", "h", "encoder state"), item("muted", "c", "context"), item("decoder", "s", "decoder state"));
}

/** Everything drawn from one state of the data traits. */
function figure(model, root, page) {
  const src = model.get("src"), tgt = model.get("tgt"), flat = model.get("weights"), n = src.length, m = tgt.length;
  const data = { src, tgt, measured: model.get("measured"), at: (t, s) => flat[t * n + s] };
  const name = model.get("title") || "Three prototypes";
  const set = (values) => {
    for (const [k, v] of Object.entries(values)) model.set(k, v);
    model.save_changes();
  };
  const kind = () => model.get("kind"), steps = () => script(kind(), n, m), at = () => clamp(model.get("step"), steps().length);
  const wayTo = () => {
    if (!model.get("show_way")) return null;
    const now = steps()[at()];
    return now.t || (now.phase === "train" ? m : 1);
  };
  const go = (step) => set({ step: clamp(step, steps().length) });
  let place = null, list = null, shown = null, play = null, stepper = null;

  const say = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "prototypes-sentence" });
  const counts = h("dl", { class: "att-facts", "data-testid": "prototypes-facts" });
  const box = h("div", { class: "att-stage" }), controls = h("div", {});
  const text = ([, title, year]) => h("span", {}, title, h("small", {}, String(year)));
  const choice = choiceControl("prototypes-kind", "Prototype", KINDS.map((entry) => [entry[0], text(entry)]), (to) => {
    play.stop();
    const step = sameMoment(kind(), at(), to, n, m);
    set({ kind: to, step });
  });
  const way = checkControl("prototypes-way", "dot the way from x₁", (on) => set({ show_way: on }));
  const table = tableControl("prototypes-table", "All steps in words", () => ({
    caption: `${name}: ${KINDS.find(([k]) => k === kind())[1]}`,
    head: ["step", "what is computed"],
    rows: steps().map((_, step) => [String(step + 1), plain(sentence(kind(), data, step))]),
  }));
  const make = () => ({
    width: place.W, height: place.H, description: plain(sentence(kind(), data, at())),
    paint: (pen) => { pen.rect(0, 0, place.W, place.H, page.colours.surface); paint(pen, list, place, at(), page.colours, wayTo()); },
  });
  root.replaceChildren(...[
    model.get("title") ? h("p", { class: "att-title" }, model.get("title")) : null,
    choice.element, controls, box, say, counts, legend(),
    h("div", { class: "att-foot" }, way.element), table.element,
    ...saveControls({ prefix: "prototypes", name, make, csv: () => csv(kind(), data) })].filter(Boolean));

  const build = () => { // the drawing of one kind at one width
    place = layout(page.width, src, tgt);
    list = marks(kind(), src, tgt, data.at, place);
    shown = stage(list, place, (step) => { play.stop(); go(step); });
    box.replaceChildren(shown.element);
  };
  const light = () => {
    const step = at(), parts = sentence(kind(), data, step), total = steps().length;
    stepper.show(step, plain(parts));
    say.replaceChildren(...parts.filter(Boolean).map((p) => (p.text === undefined ? p
      : h("span", { class: `att-${p.side}` }, "“", h("bdi", { dir: "auto" }, p.text), "”"))));
    counts.replaceChildren(...facts(kind(), n, m, step).map(([what, how, why]) => h("div", {}, h("dt", {}, what), h("dd", {}, h("b", {}, how), h("span", {}, why)))));
    shown.show(step, wayTo());
    shown.say(`${name}, ${KINDS.find(([k]) => k === kind())[1]}, step ${step + 1} of ${total}: ${plain(parts)}`);
  };
  const draw = {
    kind() {
      play?.stop();
      choice.show(kind());
      root.dataset.attPrototype = kind();
      play = player("prototypes-play", "Play the steps", "Pause", PLAY_MS, steps().length, { at, go, changed: () => say.setAttribute("aria-live", play.on ? "off" : "polite") });
      stepper = stepControls(steps().length, play, { go(step) { play.stop(); go(step); }, move(by) { play.stop(); go(at() + by); } }, { name: "prototypes-step", label: "Step" });
      controls.replaceChildren(stepper.element);
      build();
      light();
      table.fill();
    },
    step: () => light(),
    show_way() { way.show(model.get("show_way")); light(); },
  };
  return { draw, resize() { if (stepper) { build(); light(); } }, repaint() {}, stop: () => play?.stop() };
}

const render = framed({
  kind: "prototypes", label: (model) => model.get("title") || "Three prototypes of sequence-to-sequence models",
  data: ["src", "tgt", "weights", "measured", "title"], figure,
});

export default { render };
