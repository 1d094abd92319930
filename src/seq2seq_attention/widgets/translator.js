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
import { prepare, answer, examples } from "./oracle.js";

const PLAY_MS = 900;
const SLICE_MS = 10; // the page answers in between
const AT_ONCE = 2e7; // multiplications that are done within the event that asks for them
const END = "<eos>", HASH = "#translate?";
export const MOST_WORDS = 60, MOST_CHARACTERS = 2000, MAX_STEPS = 100;
const MOST_BYTES = 64e6;
const KNOWN = {
  numbers: "Numbers, English to German", dates: "Dates, as people write them, to ISO 8601",
  "grammar-de": "Sentences, English to German", "grammar-fr": "Sentences, English to French",
};
const KINDS = { attention: "With attention", vanilla: "One vector, no attention", own: "Your model" };
const DECODERS = { greedy: "Greedy", beam: "Beam search", sampling: "Sampling" };
const SETTINGS = { // name in a link: [setting, lowest, highest, whole]
  temperature: [0.1, 3, false], topk: [0, 50, true], topp: [0.05, 1, false], seed: [0, 1e6, true], width: [1, 8, true], penalty: [0, 2, false],
};
const START = { temperature: 1, topk: 0, topp: 1, seed: 0, width: 4, penalty: 0 };

// ---------------------------------------------------------------- pure functions (node tests)

/** Do these tokens stand for single characters? They are then written without blanks. */
export const ofCharacters = (tokens) => {
  const own = tokens.filter((token) => !/^<\w+>$/.test(token));
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
  const one = foreign.length === 1;
  if (task in KNOWN || !known.has("<unk>")) {
    return { ...empty, error: `This model doesn't know ${list}. It knows ${srcTokens.length - 4} ${ofCharacters(srcTokens) ? "signs" : "words"}; press an example to see some.` };
  }
  return { ...read, notes: [...read.notes, `${list} ${one ? "is" : "are"} new to this model and read${one ? "s" : ""} as <unk>.`] };
}

function readOwn(text, srcTokens) {
  const signs = ofCharacters(srcTokens), small = srcTokens.every((token) => token === token.toLowerCase());
  const plain = (small ? text.toLowerCase() : text).normalize("NFC").trim();
  const tokens = signs ? [...plain.replace(/\s+/gu, " ")] : plain.split(/\s+/u).flatMap((word) => (
    srcTokens.includes(word) ? [word] : word.match(/[\p{L}\p{N}'’-]+|[^\s\p{L}\p{N}]/gu) || [word]));
  return { tokens, shown: tokens.join(signs ? "" : " "), notes: [], error: null };
}

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
  const tasks = Object.keys(kinds), task = query.get("task") ?? tasks[0], quoted = (text) => `“${shortened(text, 16)}”`;
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

/** Where the matrix stands, in px, for a box `width` wide. */
export function gridOf(width, src, rows, signs) {
  const longest = (tokens) => Math.max(1, ...tokens.map((token) => Math.min(wordWidth(token), 10)));
  const name = Math.ceil(longest(rows) * 14) + 12, upright = signs || longest(src) <= 1.5;
  const cell = Math.max(signs ? 14 : 20, Math.min(34, Math.floor((width - name - (upright ? 4 : 46)) / src.length)));
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
