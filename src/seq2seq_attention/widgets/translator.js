// TranslatorView: the reader's own text, translated in the page by models that travel with it, and
// everything that the decoder does on the way: where it looks, what it could say, what it would say
// if it looked elsewhere. forward.js computes, oracle.js reads the text and knows right answers.

import {
  visible, ordinal, largest, wordWidth, shortened, h, clamp, pencil, player, stepControls, sliderControl,
  checkControl, tableControl, saveControls, framed, spoken, spokenNodes, csvLine, viewOf,
} from "./base.js";
import {
  parseModel, sourceIds, encoding, greedySteps, sampleSteps, beamSteps, maskedSoftmax, dragWeight, shapeProbs, seededRandom,
} from "./forward.js";
import { prepare, answer, examples, longer, quoted } from "./oracle.js";
import "./oracle_grammar.js";

const PLAY_MS = 900;
const SLICE_MS = 10; // the page answers in between
const AT_ONCE = 2e7; // multiplications that are done within the event that asks for them
const MEASURE = "Try 60 new numbers";
const SPECIAL = /^<(pad|sos|eos|unk)>$/, END = "<eos>", HASH = "#translate?";
export const MOST_WORDS = 60, MOST_CHARACTERS = 2000, MAX_STEPS = 100;
const MOST_BYTES = 64e6;
const MOST_CHIPS = 8;
const KNOWN = { __proto__: null, // a file's task may be called "constructor"
  numbers: "Numbers, English to German", dates: "Dates, as people write them, to ISO 8601",
  "grammar-de": "Sentences, English to German", "grammar-fr": "Sentences, English to French",
};
const WORDS = /[\p{L}\p{N}\p{M}\p{Cf}]+(?:['’-][\p{L}\p{N}\p{M}\p{Cf}]+)*|./gu; // data/paste.py
const KINDS = { attention: "With attention", vanilla: "One vector, no attention", own: "Your model" };
const DECODERS = { greedy: "Greedy", beam: "Beam search", sampling: "Sampling" };
const SETTINGS = { // name in a link: [setting, lowest, highest, whole]
  temperature: [0.1, 3, false], topk: [0, 50, true], topp: [0.05, 1, false], seed: [0, 1e6, true], width: [1, 8, true], penalty: [0, 2, false],
};
const START = { temperature: 1, topk: 0, topp: 1, seed: 0, width: 4, penalty: 0 };

// ---------------------------------------------------------------- pure functions (node tests)

/** Do these tokens stand for single characters? They are then written without blanks. */
export const ofCharacters = (tokens) => {
  const own = tokens.filter((token) => !SPECIAL.test(token));
  return own.length > 0 && own.every((token) => [...token].length === 1);
};

/** The reader's text as tokens for a model: {tokens, shown, notes, error}. */
export function readText(task, text, { srcTokens }) {
  const empty = { tokens: [], shown: "", notes: [], error: null };
  if (!text.trim()) return empty;
  if (text.length > MOST_CHARACTERS) {
    return { ...empty, error: `That is ${text.length} characters. Up to ${MOST_CHARACTERS} are read, and up to ${MOST_WORDS} words or signs are translated.` };
  }
  const read = task in KNOWN ? prepare(task, text) : readOwn(text, srcTokens);
  if (read.error) return read;
  if (read.tokens.length > MOST_WORDS) {
    return { ...empty, error: `That is ${read.tokens.length} ${ofCharacters(srcTokens) ? "signs" : "words"}; up to ${MOST_WORDS} are translated here. Take some away.` };
  }
  const known = new Set(srcTokens), foreign = [...new Set(read.tokens.filter((token) => !known.has(token)))];
  if (!foreign.length) return read;
  const list = foreign.slice(0, 3).map((token) => `“${shortened(token, 16)}”`).join(", ") + (foreign.length > 3 ? ` and ${foreign.length - 3} more` : "");
  if (task in KNOWN || !known.has("<unk>")) {
    return { ...empty, error: `This model doesn't know ${list}. It knows ${srcTokens.filter((token) => !SPECIAL.test(token)).length} ${ofCharacters(srcTokens) ? "signs" : "words"}; press an example to see some.` };
  }
  return { ...read, notes: [...read.notes, `${list} ${foreign.length === 1 ? "is" : "are"} new to this model and read as <unk>.`] };
}

function readOwn(text, srcTokens) {
  const signs = ofCharacters(srcTokens), small = srcTokens.every((token) => token === token.toLowerCase());
  const plain = (small ? text.toLowerCase() : text).normalize("NFC").trim();
  const tokens = signs ? [...plain.replace(/\s+/gu, " ")] : plain.split(/\s+/u).flatMap((word) => (
    srcTokens.includes(word) ? [word] : word.match(WORDS)));
  return { tokens, shown: tokens.join(signs ? "" : " "), notes: [], error: null };
}

const written = (tokens, signs = ofCharacters(tokens)) => tokens.join(signs ? "" : " ");

/** The examples that travel in a model's file, as a reader would type them. */
export const ownExamples = ({ examples = [], srcTokens }) => {
  const signs = ofCharacters(srcTokens);
  return examples.length ? examples.map(([src]) => written(src, signs))
    : [written(srcTokens.filter((token) => !SPECIAL.test(token)).slice(0, 3), signs)];
};

/** The right answer to these tokens: the oracle's for the book's tasks, else that of an example in the file, or null. */
export const rightAnswer = (task, tokens, { examples = [] }) => (
  task in KNOWN ? answer(task, tokens) : examples.find(([src]) => src.length === tokens.length && src.every((token, s) => token === tokens[s]))?.[1] ?? null);

/** Which tokens of two lists have a partner in a longest common subsequence: {said: [bool], right: [bool]}. */
export function compare(said, right) {
  const n = said.length, m = right.length, best = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) best[i][j] = said[i] === right[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  }
  const out = { said: said.map(() => false), right: right.map(() => false) };
  for (let i = 0, j = 0; i < n && j < m;) {
    if (said[i] === right[j]) { out.said[i++] = true; out.right[j++] = true; } else if (best[i + 1][j] >= best[i][j + 1]) i++; else j++;
  }
  return out;
}

/** What the comparison with the right answer says, in words. */
export function verdict(said, right, complete) {
  const cut = complete ? "" : ` Stopped after ${MAX_STEPS} without an end.`;
  if (!right) return `No oracle knows the right answer here.${cut}`;
  const marks = compare(said, right), wrong = marks.said.filter((ok) => !ok).length, missing = marks.right.filter((ok) => !ok).length;
  if (!wrong && !missing) return `✓ right${cut}`;
  const parts = [wrong ? `${wrong} wrong` : "", missing ? `${missing} missing` : ""].filter(Boolean);
  return `✗ ${parts.join(", ")} of ${right.length}.${cut}`;
}

/** Multiplications that reading S tokens and saying as many steps as allowed takes, about. */
export function cost({ config, tgtTokens }, S, decoder, width = 1) {
  const { embed_size: E, hidden_size: H, encoder_size: N, bidirectional } = config, D = bidirectional ? 2 * N : N;
  const steps = Math.min(MAX_STEPS, 2 * S + 10), step = 3 * H * (E + D + H) + H * (H + E + D) + S * (H + D) + tgtTokens.length * H;
  return S * (bidirectional ? 2 : 1) * 3 * N * (E + N) + steps * step * (decoder === "beam" ? width : 1);
}

/** State as the end of a link. */
export function linkOf(state) {
  const query = new URLSearchParams({ task: state.task, text: state.text, model: state.model, decoder: state.decoder });
  if (state.step !== undefined) query.set("step", state.step + 1);
  for (const name of Object.keys(SETTINGS)) if (state[name] !== undefined && state[name] !== START[name]) query.set(name, state[name]);
  return HASH + query;
}

/** The state in a link's end: null if there is none; {error} if it is not as it should be. */
export function stateOf(hash, kinds) {
  if (!hash.startsWith(HASH)) return null;
  const query = new URLSearchParams(hash.slice(HASH.length)), state = {};
  const tasks = Object.keys(kinds), task = query.get("task") ?? tasks[0];
  const refuse = (what, value, expected) => ({ error: `This link asks for the ${what} ${quoted(value)}, but here is only ${expected}.` });
  if (!tasks.includes(task)) return refuse("task", task, tasks.join(", "));
  state.task = task;
  for (const [name, allowed] of [["model", kinds[task]], ["decoder", Object.keys(DECODERS)]]) {
    if (!query.has(name)) continue;
    if (!allowed.includes(query.get(name))) return refuse(name, query.get(name), allowed.join(", "));
    state[name] = query.get(name);
  }
  if (query.has("text")) {
    state.text = query.get("text");
    if (state.text.length > MOST_CHARACTERS) return { error: `This link's text has ${state.text.length} characters; up to ${MOST_CHARACTERS} are read.` };
  }
  const inside = (name, low, high, integer) => {
    const value = Number(query.get(name));
    return query.get(name).trim() !== "" && value >= low && value <= high && (!integer || Number.isInteger(value));
  };
  for (const [name, [low, high, integer]] of Object.entries({ ...SETTINGS, step: [1, MAX_STEPS + 1, true] })) {
    if (!query.has(name)) continue;
    if (!inside(name, low, high, integer)) return { error: `This link has the ${name} ${quoted(query.get(name))}, which is not ${integer ? "a whole number" : "a number"} from ${low} to ${high}.` };
    state[name] = Number(query.get(name)) - (name === "step" ? 1 : 0);
  }
  return { state };
}

/** Numbers of so many digits, as digits; the same seed gives the same ones. */
export function drawnNumbers(digits, count, seed) {
  const random = seededRandom(1000 * seed + digits);
  const digit = (low) => low + Math.floor(random() * (10 - low));
  return Array.from({ length: count }, () => Array.from({ length: digits }, (_, i) => digit(i ? 0 : 1)).join(""));
}

/** A whole translation, with pauses: {hyp, list, columns, encoded}. edits: Map step → weights. */
export function* translating(model, ids, { decoder = "greedy", edits = new Map(), valid = null, ...s } = {}) {
  const encoded = yield* encoding(model, ids), options = { maxLen: MAX_STEPS, valid: model.config.attention === "none" ? null : valid };
  if (decoder === "beam") {
    const columns = [], work = beamSteps(model, encoded, { ...options, width: s.width, lengthPenalty: s.penalty });
    for (;;) {
      const { value, done } = work.next();
      if (done) return { hyp: value[0], list: value, columns, encoded };
      if (value) columns.push(value);
      yield;
    }
  }
  options.weightsAt = (t) => edits.get(t) ?? null;
  const work = decoder === "greedy" ? greedySteps(model, encoded, options)
    : sampleSteps(model, encoded, { ...options, temperature: s.temperature, topK: s.topk || null, topP: s.topp, seed: s.seed });
  return { hyp: yield* work, list: null, columns: null, encoded };
}

/** The words said, one a step; the end is one if it was reached. */
export const said = (hyp) => (hyp.complete ? [...hyp.tokens, END] : hyp.tokens);

/** Step t in words: strings and {side, text}. */
export function sentence(hyp, src, t, right, changed) {
  const words = said(hyp), step = hyp.steps[t], tgt = (text) => ({ side: "tgt", text: visible(text) });
  if (!step) return ["Nothing was said."];
  const parts = [`Step ${t + 1} of ${words.length}`];
  if (t) parts.push(", after ", tgt(words.slice(Math.max(0, t - 4), t).join(" ")));
  parts.push(": the decoder ");
  if (step.weights) {
    const [best, second] = largest(Array.from(step.weights), 2);
    const source = (s) => [{ side: "src", text: visible(src[s]) }, ...(ordinal(src, s) ? [` (the ${ordinal(src, s)})`] : []), ` (${step.weights[s].toFixed(3)})`];
    parts.push(changed ? "was made to look most at " : "looks most at ", ...source(best));
    if (second !== undefined && step.weights[second] >= 0.01) parts.push(", then at ", ...source(second));
    parts.push(", and ");
  } else parts.push("has one vector for the whole source, and ");
  const id = t < hyp.ids.length ? hyp.ids[t] : 2;
  parts.push("says ", tgt(words[t]), ` with probability ${Math.exp(step.logProbs[id]).toFixed(3)}.`);
  const due = dueWord(words, right, t);
  if (due !== null && due !== words[t]) parts.push(" Right would be ", tgt(due), ".");
  return parts;
}

/** The right word at step t, known only while everything before it is right. */
export function dueWord(words, right, t) {
  if (!right || t > right.length) return null;
  for (let i = 0; i < t; i++) if (words[i] !== right[i]) return null;
  return right[t] ?? END;
}

/** The most probable next words: [{id, p, shaped}]; `must` is among them. */
export function nextWords(logProbs, must, shaped, most = 6) {
  const ids = largest(Array.from(logProbs), most);
  if (!ids.includes(must)) ids.splice(most - 1, 1, must);
  return ids.map((id) => ({ id, p: Math.exp(logProbs[id]), shaped: shaped ? shaped[id] : null }));
}

/** Nodes of a beam's columns: [{t, row, token, logProb, parent: row before or -1, done}]. */
export function treeOf(columns, tgtTokens) {
  return columns.flatMap((column, t) => column.map((node, row) => ({
    t, row, token: tgtTokens[node.last], logProb: node.logProb, done: node.last === 2, key: node.ids.join(" "),
    parent: t ? columns[t - 1].findIndex((before) => before.ids.join(" ") === node.ids.slice(0, -1).join(" ")) : -1,
  })));
}

/** Where the matrix stands, in px, for a box `width` wide; `signs`: the source is single characters. */
export function gridOf(width, src, rows, signs) {
  const longest = (tokens) => Math.max(1, ...tokens.map((token) => Math.min(wordWidth(token), 10)));
  const name = Math.ceil(longest(rows) * 14) + 12, upright = signs || longest(src) <= 1.5;
  const cell = Math.max(signs ? 12 : 16, Math.min(34, Math.floor((width - name - (upright ? 4 : 46)) / src.length)));
  const head = upright ? 24 : Math.ceil(longest(src) * 14 * 0.72) + 18;
  return { name, head, cell, tall: Math.min(cell, 28), upright, wide: name + cell * src.length + (upright ? 4 : 46), high: head + Math.min(cell, 28) * rows.length + 4 };
}

/** Rows 0 to t of the alignment, through a pen. */
export function paintGrid(pen, g, src, rows, weights, t, colours, at = null) {
  src.forEach((word, s) => pen.text(g.name + (s + 0.5) * g.cell + (g.upright ? 0 : -2), g.head - 8, shortened(word, 10), colours.source, 13, g.upright ? "middle" : "start", g.upright ? 0 : -45));
  rows.forEach((word, r) => {
    if (r > t) return;
    const y = g.head + r * g.tall;
    pen.text(g.name - 8, y + g.tall / 2, shortened(word, 10), colours.target, 13, "end", 0, r === t);
    weights[r].forEach((w, s) => {
      const x = g.name + s * g.cell;
      pen.rect(x + 1, y + 1, g.cell - 2, g.tall - 2, colours.muted, 0.09);
      if (w < 0.005) return;
      const side = Math.sqrt(w), [a, b] = [(g.cell - 2) * side, (g.tall - 2) * side]; // area is weight
      pen.rect(x + (g.cell - a) / 2, y + (g.tall - b) / 2, a, b, colours.ramp[Math.round(w * 100)]);
    });
    if (r === t) pen.frame(g.name, y, g.cell * src.length, g.tall, colours.ink, 1.5);
    if (at && at[0] === r) pen.frame(g.name + at[1] * g.cell, y, g.cell, g.tall, colours.attention, 2.5);
  });
}

/** Work done in slices; the next piece of work ends the one before. */
export function slices(now = () => performance.now(), later = (go) => setTimeout(go, 0)) {
  let current = 0;
  const run = (work, { done, failed, atOnce }) => {
    const mine = ++current;
    const turn = () => {
      if (mine !== current) return false;
      const end = now() + SLICE_MS;
      try {
        for (;;) {
          const { value, done: over } = work.next();
          if (over) { done(value); return true; }
          if (!atOnce && now() > end) break;
        }
      } catch (error) {
        failed(error);
        return true;
      }
      later(turn);
      return false;
    };
    return turn();
  };
  return { run, stop() { current++; } };
}

// ---------------------------------------------------------------- the figure

/** A select of own's look; options: [[value, text], …]. */
function selectControl(name, label, choose) {
  const select = h("select", { "data-testid": name, onchange: () => choose(select.value) });
  return {
    element: h("label", { class: "tr-select" }, h("span", {}, label), select),
    select,
    offer(options, value) {
      const now = options.map(([v, text]) => `${v}\n${text}`).join("\n");
      if (select.dataset.offered !== now) {
        select.replaceChildren(...options.map(([v, text]) => h("option", { value: v }, text)));
        select.dataset.offered = now;
      }
      select.value = value;
    },
  };
}

/** A card with one model's translation. */
function card(name, main) {
  const title = h("p", { class: "tr-head tr-name" }), output = h("p", { class: "tr-output", "data-testid": `translator-${name}`, dir: "auto", "aria-busy": "false" });
  const judged = h("p", { class: "tr-verdict", "data-testid": `translator-${name}-verdict` });
  const element = h("section", { class: `tr-card${main ? " tr-main" : ""}` }, title, output, judged);
  return {
    element, output,
    name(kind) { title.textContent = KINDS[kind]; element.dataset.kind = kind; },
    clear(busy = false) {
      output.replaceChildren();
      output.setAttribute("aria-busy", String(busy));
      judged.textContent = busy ? "Translating …" : "";
    },
    /** Words with their marks; the text is just the words, whatever the marks. */
    show(hyp, right, signs) {
      const marks = right ? compare(hyp.tokens, right) : null;
      output.setAttribute("aria-busy", "false");
      output.replaceChildren(...hyp.tokens.flatMap((token, t) => [
        ...(t && !signs ? [" "] : []), h("span", { "data-t": t, class: marks && !marks.said[t] ? "tr-wrong" : undefined }, token)]));
      judged.replaceChildren(h("span", { class: "tr-judged" }, verdict(hyp.tokens, right, hyp.complete)));
      if (!marks || marks.said.every(Boolean) && marks.right.every(Boolean)) return;
      judged.append(" Right: ", ...right.flatMap((token, t) => [...(t && !signs ? [" "] : []), h(marks.right[t] ? "span" : "strong", {}, token)]));
    },
    at(t) { for (const node of output.children) node.classList.toggle("tr-now", +node.dataset.t === t); },
  };
}

/** Where the decoder looks: a bar a source word that can be dragged, the word below deletes. */
function lookStrip({ drag, remove }) {
  const strip = h("div", { class: "tr-strip", role: "group", "aria-label": "Attention weights of this step" });
  const element = h("div", { class: "att-scroll" }, strip);
  let columns = [], here = 0;
  const build = (src) => {
    here = 0;
    columns = src.map((word, s) => {
      const fill = h("i", {}), value = h("small", { "aria-hidden": "true" });
      const bar = h("div", { class: "tr-bar", role: "slider", "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": 1, tabindex: s ? -1 : 0,
        "aria-label": `Weight of ${visible(word)}${ordinal(src, s) ? `, the ${ordinal(src, s)}` : ""}`, "data-s": s, "data-testid": "translator-weight" }, fill);
      const button = h("button", { type: "button", tabindex: -1, class: "tr-word att-src", "data-s": s, "data-testid": "translator-source-word" }, h("bdi", { dir: "auto" }, shortened(word, 10)));
      strip.append(h("div", { class: "tr-col" }, value, bar, button));
      return { bar, fill, value, button, word, now: 0 };
    });
  };
  const moveTo = (s) => {
    columns[here].bar.tabIndex = -1;
    here = clamp(s, columns.length);
    columns[here].bar.tabIndex = 0;
    columns[here].bar.focus();
  };
  const of = (event, name) => { const node = event.target.closest(name); return node ? +node.dataset.s : -1; };
  let dragged = -1;
  const place = (event) => { const box = columns[dragged].bar.getBoundingClientRect(); drag(dragged, Math.max(0, Math.min(1, (box.bottom - event.clientY) / box.height))); };
  strip.addEventListener("pointerdown", (event) => {
    dragged = event.button ? -1 : of(event, ".tr-bar"); // not for the context menu
    if (dragged < 0 || strip.inert) return;
    event.preventDefault();
    strip.setPointerCapture(event.pointerId);
    moveTo(dragged);
    place(event);
  });
  strip.addEventListener("pointermove", (event) => {
    if (!event.buttons || dragged >= columns.length) dragged = -1; // let go where this strip couldn't hear it
    if (dragged >= 0) place(event);
  });
  for (const end of ["pointerup", "pointercancel"]) strip.addEventListener(end, () => { dragged = -1; });
  strip.addEventListener("click", (event) => { const s = of(event, ".tr-word"); if (s >= 0) remove(s); });
  strip.addEventListener("keydown", (event) => {
    const s = of(event, ".tr-bar");
    if (s < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = { ArrowUp: 0.05, ArrowDown: -0.05, PageUp: 0.25, PageDown: -0.25, Home: -1, End: 1 }[event.key];
    const to = { ArrowLeft: s - 1, ArrowRight: s + 1 }[event.key];
    if (by !== undefined) drag(s, Math.max(0, Math.min(1, columns[s].now + by)));
    else if (to !== undefined) moveTo(to);
    else if (event.key === "Delete" || event.key === "Backspace") remove(s);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    element,
    /** Scrolls to where it looks most, unless the reader is at work there. */
    follow(s) {
      if (element.contains(document.activeElement) || !columns[s]) return;
      const { offsetLeft: x, offsetWidth: w } = columns[s].bar.parentElement;
      if (x < element.scrollLeft || x + w > element.scrollLeft + element.clientWidth) element.scrollLeft = x - element.clientWidth / 2;
    },
    fits() { element.toggleAttribute("data-more", element.scrollWidth > element.clientWidth + 1); },
    show(src, weights, gone) {
      if (columns.length !== src.length || columns.some(({ word }, s) => word !== src[s])) { strip.replaceChildren(); build(src); }
      columns.forEach((column, s) => {
        const { bar, fill, value, button } = column;
        column.now = weights[s];
        fill.style.setProperty("height", `${100 * weights[s]}%`);
        value.textContent = weights[s] >= 0.005 ? weights[s].toFixed(2).replace(/^0/, "") : "";
        bar.setAttribute("aria-valuenow", weights[s].toFixed(3));
        const deleted = gone(s);
        bar.setAttribute("aria-valuetext", `${weights[s].toFixed(3)}${deleted ? ", deleted" : ""}`);
        button.setAttribute("aria-pressed", String(deleted));
        button.title = deleted ? `Give “${visible(src[s])}” back` : `Delete “${visible(src[s])}”`;
      });
    },
  };
}

/** The beam, step by step, on a canvas: kept beginnings from the most probable down. */
function paintTree(pen, nodes, colours, best, WIDE = 92, TALL = 26) {
  const x = (t) => t * WIDE + 8, y = (row) => row * TALL + 14, at = (t, row) => nodes.find((node) => node.t === t && node.row === row);
  for (const node of nodes) {
    const on = best.has(node.key);
    if (node.t) {
      const from = at(node.t - 1, node.parent);
      if (from) pen.curves([[x(from.t) + WIDE - 26, y(from.row), x(node.t) - 4, y(node.row)]], false, on ? colours.gold : colours.decoder, on ? 3 : 1.2, on ? 1 : 0.6);
    }
  }
  for (const node of nodes) {
    const on = best.has(node.key);
    pen.text(x(node.t), y(node.row), (node.done ? "● " : "") + shortened(node.done ? "end" : node.token, 5), on ? colours.gold : colours.target, 13, "start", 0, on);
  }
}

const minus = (value) => value.toFixed(2).replace("-", "−");

function figure(model, root, page) {
  const title = model.get("title"), name = title || "Translator", files = model.get("models");
  const parsed = new Map();
  let own = null, settings = { ...START }, edits = new Map(), gone = new Set(), everywhere = false;
  let src = [], right = null, signs = false, spelt = false, result = null, plain = null, key = "", quiet = false, typed = false, cursor = null, seed = 0, frame = 0;
  const work = slices(), beside = slices(), measuring = slices();
  const set = (values) => { quiet = true; for (const [k, v] of Object.entries(values)) model.set(k, v); model.save_changes(); quiet = false; };

  // ---- models
  const kindsOf = (task) => [...Object.keys(files[task] ?? {}), ...(own?.task === task ? ["own"] : [])];
  const tasks = () => [...new Set([...Object.keys(files), ...(own ? [own.task] : [])])];
  const allKinds = () => Object.fromEntries(tasks().map((task) => [task, kindsOf(task)]));
  const task = () => (tasks().includes(model.get("task")) ? model.get("task") : tasks()[0]);
  const kind = () => { const kinds = kindsOf(task()), wanted = model.get("model"); return kinds.includes(wanted) ? wanted : kinds[0]; };
  const otherKind = () => kindsOf(task()).find((other) => other !== kind() && (kind() !== "own" || other === "attention")) ?? kindsOf(task()).find((other) => other !== kind());
  // a book's page keeps the models that it doesn't begin with in files, and names them here
  const fetched = new Map(), bytesOf = (which, of) => fetched.get(`${of}/${which}`) ?? files[of][which];
  const missing = (of) => kindsOf(of).filter((which) => which !== "own" && typeof bytesOf(which, of) === "string");
  const fetchAll = (of) => Promise.all(missing(of).map(async (which) => { fetched.set(`${of}/${which}`, await model.widget_manager.bytes_of(bytesOf(which, of))); }));
  const network = (which, of = task()) => {
    if (which === "own") return own.model;
    const place = `${of}/${which}`;
    if (!parsed.has(place)) {
      const view = viewOf(bytesOf(which, of));
      parsed.set(place, parseModel(new Uint8Array(view.buffer, view.byteOffset, view.byteLength)));
    }
    return parsed.get(place);
  };
  const sample = (which) => {
    if (which in KNOWN) return examples(which)[0] ?? "";
    if (missing(which).length) return null; // once its model has come
    return ownExamples(network(kindsOf(which)[0], which))[0];
  };
  const text = () => model.get("text") ?? sample(task()) ?? "";
  const step = () => clamp(model.get("step"), result ? said(result.hyp).length : 1);
  const read = (which) => readText(task(), text(), network(which));

  // ---- the reader's input
  const taskControl = selectControl("translator-task", "Task", (value) => {
    const keep = typed && !missing(value).length && !readText(value, text(), network(kindsOf(value)[0], value)).error;
    if (!keep) typed = false;
    forget();
    set({ task: value, ...(keep ? {} : { text: sample(value) }) });
    translate();
  });
  const modelControl = selectControl("translator-model", "Model", (value) => { forget(); set({ model: value }); translate(); });
  const decoderControl = selectControl("translator-decoder", "Decoder", (value) => { forget(); set({ decoder: value }); translate(); });
  const input = h("textarea", { "data-testid": "translator-input", rows: 2, spellcheck: "false", autocapitalize: "off", autocomplete: "off", dir: "auto", "aria-label": "Text to translate",
    oninput: () => type(input.value),
    onkeydown: (event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); key = ""; type(input.value); } } });
  const type = (value) => { typed = true; if (value !== text()) forget(); set({ text: value }); translate(); };
  const chips = h("div", { class: "tr-chips", role: "group", "aria-label": "Examples" });
  const longerButton = h("button", { type: "button", class: "att-text", "data-testid": "translator-longer", onclick: () => { forget(); set({ text: longer(task(), text()) }); translate(); } }, "Longer, please");
  const message = h("p", { class: "tr-message", role: "status", "data-testid": "translator-message" });
  const shown = h("p", { class: "tr-read", "data-testid": "translator-source" });
  const say = (words, wrong = false) => { message.textContent = words; message.classList.toggle("tr-error", wrong); message.hidden = !words; };

  // ---- settings of the decoders
  const change = (name) => (value) => { settings[name] = value; translate(); };
  const control = (setting, label, range, said_, shown_) => sliderControl(`translator-${setting}`, label, range, change(setting), said_, shown_);
  const sliders = {
    temperature: control("temperature", "temperature", { min: 0.1, max: 3, step: 0.1 }, (v) => `logits divided by ${v}`, (v) => v.toFixed(1)),
    topk: control("topk", "top-k", { min: 0, max: 20, step: 1 }, (v) => (v ? `the ${v} most probable words` : "all words"), (v) => (v ? String(v) : "all")),
    topp: control("topp", "top-p", { min: 0.05, max: 1, step: 0.05 }, (v) => `words that hold ${v} of the probability`),
    width: control("width", "width", { min: 1, max: 8, step: 1 }, (v) => `${v} beginnings are kept`, (v) => String(v)),
    penalty: control("penalty", "length penalty", { min: 0, max: 2, step: 0.1 }, (v) => `log P over length to the power ${v}`, (v) => v.toFixed(1)),
  };
  const again = h("button", { type: "button", class: "att-text", "data-testid": "translator-again", onclick: () => { settings.seed = (settings.seed + 1) % 1e6; translate(); } }, "Draw again");
  const drawn = h("span", { class: "att-status" });
  const ofSampling = h("div", { class: "tr-settings" }, sliders.temperature.element, sliders.topk.element, sliders.topp.element, again, drawn);
  const ofBeam = h("div", { class: "tr-settings" }, sliders.width.element, sliders.penalty.element);

  // ---- what is found
  const main = card("output", true), other = card("other", false);
  const live = h("p", { class: "att-sr", role: "status" });
  const stepBox = h("div", { class: "tr-steps" });
  const sentenceNode = h("p", { class: "att-sentence", "aria-live": "polite", "data-testid": "translator-sentence" });
  const strip = lookStrip({ drag, remove });
  const scope = checkControl("translator-everywhere", "delete in every step", (on) => { everywhere = on; hint(); });
  const reset = h("button", { type: "button", class: "att-text", "data-testid": "translator-reset", onclick: () => { forget(); translate(true); } }, "Undo all changes");
  const hintNode = h("span", { class: "att-status", "data-testid": "translator-hint" });
  const changedNode = h("p", { class: "tr-changed", "data-testid": "translator-changed" });
  const canvas = h("canvas", { "aria-hidden": "true" });
  const grid = h("div", { class: "tr-grid", role: "application", tabindex: 0, "data-place": "grid", "data-testid": "translator-matrix", "aria-label": "Alignment: arrow keys go through the weights" }, canvas);
  const gridScroll = h("div", { class: "att-scroll" }, grid);
  const words = h("div", { class: "tr-words", role: "list", "aria-label": "Most probable next words", "data-testid": "translator-next" });
  const noAttention = h("p", { class: "tr-none" }, "This model has no attention. All it keeps of the source is one vector, made before the first word is said; so there is nothing to look at and nothing to drag.");
  const lookBox = h("div", { class: "tr-look" }, h("p", { class: "tr-head" }, "Where it looks"), strip.element, h("div", { class: "att-foot" }, scope.element, reset, hintNode), changedNode);
  const gridBox = h("div", { class: "tr-alignment" }, h("p", { class: "tr-head" }, "Alignment so far"), gridScroll);
  const wordBox = h("div", { class: "tr-next" }, h("p", { class: "tr-head" }, "Next word"), words);
  const tree = h("canvas", { role: "img" }), treeScroll = h("div", { class: "att-scroll", tabindex: 0, role: "group", "aria-label": "Tree of the beam" }, tree);
  const best = h("ol", { class: "tr-best", "aria-label": "Finished sentences, best first", "data-testid": "translator-best" });
  const beamBox = h("div", { class: "tr-beam" }, h("p", { class: "tr-head" }, "What the beam kept"), treeScroll, h("p", { class: "tr-head" }, "Best first"), best);
  const found = h("div", { class: "tr-found" }, stepBox, sentenceNode, beamBox, h("div", { class: "tr-panes" }, h("div", { class: "tr-left" }, lookBox, gridBox, noAttention), wordBox));

  // ---- how far does each get
  const measureButton = h("button", { type: "button", class: "att-text", "data-testid": "translator-measure", onclick: measure }, MEASURE);
  const measured = h("div", { class: "tr-measured", "data-testid": "translator-lengths", "aria-live": "polite" });
  const measureBox = h("section", { class: "tr-lengths" }, h("div", { class: "tr-row" }, h("p", { class: "tr-head" }, "How far does each get?"), measureButton), measured);

  // ---- for the reader to take away, and to bring
  const link = h("a", { href: HASH, class: "tr-link", "data-testid": "translator-link", onclick: copyLink }, "Copy a link to this");
  const linkStatus = h("span", { class: "att-status", role: "status" });
  const file = h("input", { type: "file", accept: ".s2s,application/octet-stream", "data-testid": "translator-file", "aria-label": "Load your own model: a file that export_model wrote",
    onclick: () => say("Choose a file that save_model has written, such as model.s2s. It stays in this page: nothing is sent anywhere."),
    onchange: () => { const [chosen] = file.files; file.value = ""; if (chosen) load(chosen); } });
  const fileBox = h("label", { class: "tr-file" }, h("span", {}, "Your own model: choose or drop a file"), file);
  const table = tableControl("translator-table", "Table of the steps", () => ({ caption: `${name}: what was said`, head: ["step", "word", "probability", "looks most at", "weight"],
    rows: result ? said(result.hyp).map((word, t) => { const { logProbs, weights } = result.hyp.steps[t], [s] = weights ? largest(Array.from(weights), 1) : []; return [t + 1, visible(word), Math.exp(logProbs[result.hyp.ids[t] ?? 2]).toFixed(4), weights ? visible(src[s]) : "–", weights ? weights[s].toFixed(4) : "–"]; }) : [] }));
  const csv = () => csvLine("step", "word", "log_prob", ...src.map((word, s) => `${s + 1} ${word}`))
    + (result ? said(result.hyp).map((word, t) => csvLine(t + 1, word, result.hyp.steps[t].logProbs[result.hyp.ids[t] ?? 2].toFixed(6), ...(result.hyp.steps[t].weights ? Array.from(result.hyp.steps[t].weights, (w) => w.toFixed(6)) : []))).join("") : "");
  const make = () => {
    const lines = [written(src, spelt), `${KINDS[kind()]}: ${result ? result.hyp.tokens.join(signs ? "" : " ") : ""}`], rows = result ? said(result.hyp) : [];
    const weights = result?.hyp.weights, g = weights ? gridOf(640, src, rows, spelt) : { wide: 0, high: 0 };
    const width = Math.max(g.wide + 32, Math.max(...lines.map(wordWidth)) * 14 + 32, 320);
    return { width, height: g.high + 96, description: result ? spoken(sentence(result.hyp, src, step(), right, edits.size > 0)) : "", paint(pen) {
      const c = page.colours, moved = { rect: (x, y, ...more) => pen.rect(x + 16, y + 88, ...more), frame: (x, y, ...more) => pen.frame(x + 16, y + 88, ...more), text: (x, y, ...more) => pen.text(x + 16, y + 88, ...more) };
      pen.rect(0, 0, width, g.high + 96, c.surface);
      pen.text(16, 20, name, c.ink, 16, "start", 0, true);
      pen.text(16, 46, lines[0], c.source, 14);
      pen.text(16, 70, lines[1], c.target, 14);
      if (weights) paintGrid(moved, g, src, rows, weights, step(), c);
    } };
  };

  root.replaceChildren(
    ...(title ? [h("div", { class: "att-top" }, h("p", { class: "att-title" }, title))] : []),
    h("div", { class: "tr-choose" }, taskControl.element, modelControl.element, decoderControl.element),
    h("div", { class: "tr-input" }, input, longerButton), chips, message, shown, ofSampling, ofBeam,
    h("div", { class: "tr-cards" }, main.element, other.element), live, found, measureBox, table.element,
    h("div", { class: "tr-row tr-take" }, fileBox, h("span", {}, link, " ", linkStatus)),
    ...saveControls({ prefix: "translator", name, make, csv }));
  ofSampling.hidden = ofBeam.hidden = true;

  // ---- interventions
  function forget() { edits = new Map(); gone = new Set(); plain = null; }
  const deletedAt = (s) => gone.has(s) || Boolean(edits.get(step())?.deleted?.has(s));
  const valid = () => (gone.size ? src.map((_, s) => !gone.has(s)) : null);
  const canDrag = () => model.get("decoder") !== "beam";
  function edit(weights, deleted) {
    const t = step();
    plain ??= result;
    for (const later of [...edits.keys()]) if (later > t) edits.delete(later);
    edits.set(t, Object.assign(weights, { deleted }));
    translate(true);
  }
  function drag(s, value) {
    if (!result?.hyp.weights) return;
    if (!canDrag()) { say("With beam search the words can only be deleted in every step. For dragging choose greedy or sampling."); return; }
    const before = edits.get(step())?.deleted ?? new Set(), kept = src.map((_, i) => !gone.has(i) && (i === s || !before.has(i)));
    if (gone.has(s)) { say(`“${visible(src[s])}” is deleted in every step. Press it to give it back.`); return; }
    edit(dragWeight(result.hyp.steps[step()].weights, s, value, kept), new Set([...before].filter((i) => i !== s)));
  }
  function remove(s) {
    if (!result?.hyp.weights) return;
    const left = src.length - gone.size - (edits.get(step())?.deleted?.size ?? 0);
    if (!deletedAt(s) && left <= 1) { say("One word has to stay: there must be something to look at."); return; }
    if (everywhere || gone.has(s) || !canDrag()) {
      plain ??= result;
      edits = new Map();
      if (!gone.delete(s)) gone.add(s);
      if (!gone.size) plain = null; // all are back
      translate(true);
      return;
    }
    const deleted = new Set(edits.get(step())?.deleted);
    if (!deleted.delete(s)) deleted.add(s);
    edit(maskedSoftmax(result.hyp.steps[step()].scores, src.map((_, i) => !gone.has(i) && !deleted.has(i))), deleted);
  }
  const hint = () => { hintNode.textContent = everywhere || !canDrag() ? "Press a word: it can't be seen in any step." : "Drag a bar, or press a word to delete it in this step. The rest of the sentence is said anew."; };

  // ---- translate
  function fail(error) { stopAll(); result = plain = wantedStep = null; say(error, true); main.clear(); other.clear(); live.textContent = ""; found.hidden = true; publish(); }
  const stopAll = () => { work.stop(); beside.stop(); };
  const publish = () => { set({ output: result ? result.hyp.tokens : [] }); address(); };
  const address = () => {
    const state = { task: task(), text: text(), model: kind(), decoder: model.get("decoder"), ...settings, ...(result ? { step: step() } : {}) };
    link.setAttribute("href", linkOf(state));
    linkStatus.textContent = "";
  };

  /** Translates what stands there now. keep: stay at this step, since the reader changes something in it. */
  function translate(keep = false) {
    if (quiet) return;
    const now = JSON.stringify([task(), kind(), model.get("decoder"), text(), settings, [...gone], [...edits].map(([t, w]) => [t, ...w, ...(w.deleted ?? [])]), own?.name]);
    if (now === key) return;
    key = now;
    walk?.stop();
    cursor = null;
    controls();
    if (missing(task()).length) { fetchThen(task()); return; }
    let net, reading;
    try { net = network(kind()); reading = read(kind()); } catch (error) { fail(`This model can't be read: ${error.message}`); return; }
    shown.textContent = "";
    if (!text().trim()) { fail(`Type something to translate${task() in KNOWN ? ", or press an example" : ""}.`); message.classList.remove("tr-error"); return; }
    if (reading.error || !reading.tokens.length) { fail(reading.error ?? "There is nothing in it to translate. Type words, or press an example."); return; }
    say("");
    ({ tokens: src } = reading);
    [spelt, signs] = [ofCharacters(net.srcTokens), ofCharacters(net.tgtTokens)];
    right = rightAnswer(task(), src, net);
    if (reading.notes.length || (reading.shown && reading.shown !== text())) shown.replaceChildren("Read as ", h("bdi", { class: "att-src", dir: "auto" }, reading.shown), ...(reading.notes.length ? [` (${reading.notes.join("; ")})`] : []));
    other.element.hidden = !otherKind();
    const options = { decoder: model.get("decoder"), ...settings }, wide = settings.width;
    main.name(kind());
    const quick = cost(net, src.length, options.decoder, wide) <= AT_ONCE;
    if (!quick) { main.clear(true); result = null; found.hidden = true; publish(); } // nothing of an earlier text stays
    const failed = (error) => fail(`This model could not translate it: ${error.message}`);
    try {
      work.run(translating(net, sourceIds(net, src), { ...options, edits, valid: valid() }), { atOnce: quick, failed, done: (value) => ready(value, keep) });
    } catch (error) { failed(error); return; }
    const which = otherKind();
    if (!which || message.classList.contains("tr-error")) { beside.stop(); return; }
    other.name(which);
    try {
      const next = network(which), reads = read(which), small = cost(next, src.length, options.decoder, wide) <= AT_ONCE;
      if (reads.error) throw new Error(reads.error);
      if (!small) other.clear(true);
      beside.run(translating(next, sourceIds(next, reads.tokens), options), { atOnce: small && quick, failed: () => other.clear(), done: ({ hyp }) => other.show(hyp, right, signs) });
    } catch { beside.stop(); other.clear(); }
  }

  /** Translates once the task's models have come from their files. */
  function fetchThen(of) {
    stopAll();
    result = plain = null;
    for (const one of [main, other]) one.clear(true);
    found.hidden = true;
    publish();
    say("The model is on its way …");
    fetchAll(of).then(() => { if (task() === of) { key = ""; translate(); } }, () => { if (task() === of) { key = ""; fail("The model could not be loaded. Choose the task again, or another one."); } });
  }

  function ready(value, keep) {
    result = value;
    const count = said(result.hyp).length;
    main.show(result.hyp, right, signs);
    const wanted = wantedStep ?? (keep ? model.get("step") : count - 1);
    wantedStep = null;
    set({ step: clamp(wanted, count) });
    found.hidden = false;
    live.textContent = `${KINDS[kind()]}: ${result.hyp.tokens.join(signs ? "" : " ")}. ${verdict(result.hyp.tokens, right, result.hyp.complete)}`;
    buildSteps(count);
    const look = Boolean(result.hyp.weights);
    lookBox.hidden = gridBox.hidden = !look;
    noAttention.hidden = look;
    beamBox.hidden = !result.list;
    if (result.list) showBeam();
    changedNode.hidden = !plain;
    if (plain) changedNode.replaceChildren("Without your changes: ", h("bdi", { class: "att-tgt", dir: "auto" }, plain.hyp.tokens.join(signs ? "" : " ")));
    reset.disabled = !plain;
    hint();
    show();
    publish();
  }

  let walk = null, steps = null, built = -1, wantedStep = null;
  function buildSteps(count) {
    if (built === count) return;
    const again_ = stepBox.contains(document.activeElement) ? document.activeElement.dataset.testid : null;
    built = count;
    walk?.stop();
    const go = (t) => { cursor = null; set({ step: clamp(t, count) }); show(); };
    const mine = walk = player("translator-play", "Play the steps of the decoder", "Pause", PLAY_MS, count, { at: step, go, changed: () => sentenceNode.setAttribute("aria-live", mine?.on ? "off" : "polite") });
    steps = stepControls(count, walk, { go(t) { walk.stop(); go(t); }, move(by) { walk.stop(); go(step() + by); } }, { name: "translator-step", label: "Decoder step" });
    stepBox.replaceChildren(steps.element);
    if (again_) stepBox.querySelector(`[data-testid="${again_}"]`)?.focus();
  }

  // ---- show a step
  function show() {
    if (!result) return;
    const t = step(), { hyp } = result, at = said(hyp), one = hyp.steps[t];
    if (!one) return;
    steps.show(t, at[t]);
    main.at(t);
    sentenceNode.replaceChildren(...spokenNodes(cursor ? cellSentence() : sentence(hyp, src, t, right, edits.has(t))));
    if (one.weights) { strip.show(src, one.weights, deletedAt); strip.follow(largest(Array.from(one.weights), 1)[0]); }
    const id = hyp.ids[t] ?? 2, due = dueWord(at, right, t);
    const shaped = model.get("decoder") === "sampling" ? shapeProbs(one.logProbs, { temperature: settings.temperature, topK: settings.topk || null, topP: settings.topp }) : null;
    words.replaceChildren(...nextWords(one.logProbs, id, shaped).map(({ id: other_, p, shaped: q }) => {
      const token = network(kind()).tgtTokens[other_], bar = h("i", {}), value = q ?? p;
      bar.style.setProperty("width", `${100 * value}%`);
      const notes = [other_ === id ? "said" : "", token === due ? "right" : "", q === 0 ? "cut" : ""].filter(Boolean).join(", ");
      return h("div", { role: "listitem", class: `tr-candidate${other_ === id ? " tr-said" : ""}` }, h("bdi", { class: "att-tgt", dir: "auto" }, shortened(token, 9)), h("span", { class: "tr-track" }, bar), h("span", { class: "tr-value" }, value.toFixed(3)), h("small", {}, notes));
    }));
    grid.setAttribute("aria-label", `Alignment, ${t + 1} of ${at.length} rows: arrow keys go through the weights`);
    table.fill();
    address();
    repaint();
  }
  const cellSentence = () => { const [t, s] = cursor; return [{ side: "tgt", text: visible(said(result.hyp)[t]) }, " looks at ", { side: "src", text: visible(src[s]) }, ...(ordinal(src, s) ? [` (the ${ordinal(src, s)})`] : []), ` with weight ${result.hyp.steps[t].weights[s].toFixed(3)}.`]; };
  const geometry = () => gridOf(Math.max(220, gridScroll.clientWidth || 400), src, said(result.hyp), spelt);
  function paint() {
    frame = 0;
    if (!result) return;
    if (result.hyp.weights) {
      const g = geometry(), rows = said(result.hyp);
      grid.style.setProperty("width", `${g.wide}px`);
      grid.style.setProperty("height", `${g.high}px`);
      paintGrid(pencil(canvas, g.wide, g.high), g, src, rows, result.hyp.steps.map((one) => one.weights), step(), page.colours, cursor);
      strip.fits();
      gridScroll.toggleAttribute("data-more", gridScroll.scrollWidth > gridScroll.clientWidth + 1);
    }
    if (result.list) {
      const nodes = treeOf(result.columns, network(kind()).tgtTokens), ids = result.hyp.ids, path_ = result.hyp.complete ? [...ids, 2] : ids;
      const tall = Math.max(...nodes.map((node) => node.row)) + 1;
      paintTree(pencil(tree, result.columns.length * 92 + 16, tall * 26 + 8), nodes, page.colours, new Set(path_.map((_, i) => path_.slice(0, i + 1).join(" "))));
    }
  }
  const repaint = () => { frame ||= requestAnimationFrame(paint); };
  function showBeam() {
    const { list } = result, sign = signs ? "" : " ";
    best.replaceChildren(...list.map(({ tokens, logProb, score, complete }) => h("li", {}, h("bdi", { class: "att-tgt", dir: "auto" }, tokens.join(sign) || "(nothing)"), ` log P ${minus(logProb)}, score ${minus(score)}${complete ? "" : ", no end"}${right && tokens.join(sign) === right.join(sign) ? " ✓ right" : ""}`)));
    tree.setAttribute("aria-label", `Tree of the beam: ${result.columns.length} steps, up to ${settings.width} beginnings kept in each. The list below has what was finished.`);
  }

  // ---- the matrix answers to pointer and keys
  const cellAt = (event) => {
    if (!result?.hyp.weights) return null;
    const box = canvas.getBoundingClientRect(), g = geometry(), s = Math.floor((event.clientX - box.left - g.name) / g.cell), t = Math.floor((event.clientY - box.top - g.head) / g.tall);
    return [Math.max(0, Math.min(t, step())), Math.max(0, Math.min(s, src.length - 1))];
  };
  const point = (to) => { if (`${to}` !== `${cursor}`) { cursor = to; show(); } };
  grid.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") point(cellAt(event)); });
  grid.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") point(null); });
  grid.addEventListener("click", (event) => point(cellAt(event)));
  grid.addEventListener("keydown", (event) => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") { point(null); return; }
    if (!by || !result?.hyp.weights) return;
    event.preventDefault();
    const from = cursor ?? [step(), largest(Array.from(result.hyp.steps[step()].weights), 1)[0]];
    point([Math.max(0, Math.min(from[0] + by[0], step())), clamp(from[1] + by[1], src.length)]);
  });
  main.output.addEventListener("click", (event) => { const node = event.target.closest("[data-t]"); if (node && result) { walk.stop(); cursor = null; set({ step: +node.dataset.t }); show(); } });

  // ---- longer and longer
  function measure() {
    const done = () => { delete measureButton.dataset.on; measureButton.textContent = MEASURE; };
    if (measureButton.dataset.on) { measuring.stop(); done(); return; }
    const which = kindsOf("numbers"), counts = which.map(() => Array(12).fill(null));
    measureButton.dataset.on = "1";
    measureButton.textContent = "Stop";
    seed += 1;
    const fill = () => {
      const mark = (n) => { if (n === null) return h("td", {}); const bar = h("i", {}); bar.style.setProperty("height", `${20 * n}%`); return h("td", { title: `${n} of 5 right` }, h("span", { class: "tr-share", "aria-hidden": "true" }, bar), h("span", {}, String(n))); };
      measured.replaceChildren(h("table", { class: "tr-table" }, h("caption", {}, "Of five numbers of each length, how many are translated without a mistake (greedy)"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "digits"), ...counts[0].map((_, d) => h("th", { scope: "col" }, String(d + 1))))),
        h("tbody", {}, ...which.map((k, row) => h("tr", { "data-kind": k }, h("th", { scope: "row" }, KINDS[k]), ...counts[row].map(mark))))));
    };
    function* all() {
      const nets = which.map((k) => network(k, "numbers")); // the reader may go on to another task meanwhile
      for (let d = 1; d <= 12; d++) {
        for (const row of which.keys()) {
          let hits = 0;
          for (const digits of drawnNumbers(d, 5, seed)) {
            const { tokens } = prepare("numbers", digits), net = nets[row];
            const { hyp } = yield* translating(net, sourceIds(net, tokens));
            hits += hyp.tokens.join(" ") === answer("numbers", tokens).join(" ");
          }
          counts[row][d - 1] = hits;
        }
        fill();
      }
    }
    fill();
    measuring.run(all(), { done, failed: (error) => { done(); say(`The numbers could not be tried: ${error.message}`, true); } });
  }

  // ---- links
  function copyLink(event) {
    event.preventDefault();
    const hash = link.getAttribute("href");
    let whole_ = hash;
    try { whole_ = new URL(hash, location.href).href; history.replaceState(null, "", hash); } catch { /* a frame without an address */ }
    const tell = (words) => { linkStatus.textContent = words; };
    if (!navigator.clipboard) { tell("The address bar has the link."); return; }
    navigator.clipboard.writeText(whole_).then(() => tell("The link is on the clipboard."), () => tell("The clipboard is closed to this page; the address bar has the link."));
  }
  function fromLink() {
    if (document.querySelector(".att-translator") !== root) return; // the first figure of a page takes it
    const told = stateOf(location.hash, allKinds());
    if (!told) return;
    if (told.error) { translate(); say(`${told.error} The figure shows something else instead.`, true); return; }
    const { task: to, text: words_, model: which, decoder, step: t, ...more } = told.state;
    forget();
    typed = words_ !== undefined;
    settings = { ...START, ...more };
    wantedStep = t ?? null;
    set({ task: to, text: words_ ?? sample(to), model: which ?? kindsOf(to)[0], ...(decoder ? { decoder } : {}) });
    key = "";
    translate();
    root.scrollIntoView({ block: "nearest" });
  }
  addEventListener("hashchange", fromLink);

  // ---- a model of the reader's
  let asked = 0;
  async function load(chosen) {
    const mine = ++asked, refuse = (why) => mine === asked && say(`${shortened(chosen.name, 24)} can't be used: ${why}. The models that were here are still here.`, true);
    if (chosen.size > MOST_BYTES) { refuse(`it has ${Math.round(chosen.size / 1e6)} MB, and ${MOST_BYTES / 1e6} are the most`); return; }
    let loaded;
    try {
      const bytes = await chosen.arrayBuffer();
      if (mine !== asked) return; // the reader has chosen another file meanwhile
      loaded = parseModel(bytes);
      checkModel(loaded);
    } catch (error) { refuse(String(error.message).replace(/\.$/, "")); return; }
    own = { task: String(loaded.task || "own"), model: loaded, name: chosen.name };
    forget();
    key = "";
    const keep = task() === own.task && !readText(own.task, text(), loaded).error;
    set({ task: own.task, model: "own", ...(keep ? {} : { text: sample(own.task) }) });
    translate();
    if (!message.classList.contains("tr-error")) say(`${shortened(chosen.name, 24)} is loaded: ${loaded.config.attention === "none" ? "no attention" : `${loaded.config.attention} attention`}, task ${shortened(own.task, 20)}, ${loaded.srcTokens.length} source and ${loaded.tgtTokens.length} target tokens.`);
  }
  let depth = 0;
  const dragOver = (event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); root.classList.add("tr-drop"); } };
  root.ondragenter = (event) => { depth += 1; dragOver(event); };
  root.ondragover = dragOver;
  root.ondragleave = () => { depth -= 1; if (depth <= 0) { depth = 0; root.classList.remove("tr-drop"); } };
  root.ondrop = (event) => {
    depth = 0;
    root.classList.remove("tr-drop");
    const [dropped, ...more] = event.dataTransfer?.files ?? [];
    if (!dropped) return;
    event.preventDefault();
    if (more.length) say(`${more.length + 1} files were dropped; drop the one model that you want to try.`, true);
    else load(dropped);
  };

  // ---- all that shows a choice
  function controls() {
    taskControl.offer(tasks().map((one) => [one, KNOWN[one] ?? shortened(one, 40)]), task());
    taskControl.element.hidden = tasks().length < 2;
    modelControl.offer(kindsOf(task()).map((one) => [one, KINDS[one]]), kind());
    decoderControl.offer(Object.entries(DECODERS), model.get("decoder"));
    if (input.value !== text()) input.value = text();
    ofSampling.hidden = model.get("decoder") !== "sampling";
    ofBeam.hidden = model.get("decoder") !== "beam";
    for (const [one, slider] of Object.entries(sliders)) slider.show(settings[one]);
    drawn.textContent = `seed ${settings.seed}`;
    scope.show(everywhere);
    const list = task() in KNOWN ? examples(task()) : missing(task()).length ? [] : ownExamples(network(kind())).slice(0, MOST_CHIPS);
    if (chips.dataset.of !== list.join("\n")) {
      chips.dataset.of = list.join("\n");
      chips.replaceChildren(...list.map((one) => h("button", { type: "button", class: "att-text", "data-testid": "translator-example", onclick: () => { forget(); typed = false; set({ text: one }); translate(); } }, shortened(one, 22))));
    }
    [...chips.children].forEach((chip, i) => { chip.disabled = list[i] === text(); });
    longerButton.hidden = !(task() in KNOWN);
    longerButton.disabled = longerButton.hidden || longer(task(), text()) === text();
    measureBox.hidden = task() !== "numbers";
  }

  const changed = () => { translate(); };
  const begin = () => {
    translate();
    if (location.hash.startsWith(HASH)) fromLink();
  };
  let begun = false;
  const first = () => { if (begun) { changed(); return; } begun = true; wantedStep = model.get("step") >= 0 ? model.get("step") : null; begin(); };
  return {
    draw: { text: first, task: changed, model: changed, decoder: changed, step: () => { if (!quiet) show(); } },
    repaint,
    resize() { repaint(); },
    stop() { stopAll(); measuring.stop(); walk?.stop(); cancelAnimationFrame(frame); removeEventListener("hashchange", fromLink); },
  };
}

/** Throws unless a model from a file can translate something. */
export function checkModel({ config, srcTokens, tgtTokens, ...rest }) {
  const listed = (tokens) => Array.isArray(tokens) && tokens.every((token) => typeof token === "string");
  const pair = (one) => Array.isArray(one) && one.length === 2 && one.every(listed) && one[0].length > 0;
  if (!Array.isArray(rest.examples ?? []) || !(rest.examples ?? []).every(pair)) throw new Error("its examples are not pairs of lists of words");
  for (const [side, tokens] of [["source", srcTokens], ["target", tgtTokens]]) {
    if (!listed(tokens) || tokens.length < 5) throw new Error(`its ${side} tokens are not a list of words`);
    if (tokens[1] !== "<sos>" || tokens[2] !== END) throw new Error(`its ${side} tokens don't begin with <pad>, <sos> and <eos>`);
  }
  const model = { config, srcTokens, tgtTokens, ...rest }, work = translating(model, [srcTokens.length - 1]);
  for (let i = 0; i < 6; i++) if (work.next().done) break; // a few steps: a kind of attention that isn't known fails here
}

const render = framed({ kind: "translator", label: (model) => model.get("title") || "Translator", data: ["models", "title"], figure });

export default { render };
