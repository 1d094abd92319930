// forward.js by itself, on a file written here by hand: numbers worked out on paper, errors,
// masks, dragging, drawing, and beam search against all sentences there are.
// tests/test_export_js.py compares it with PyTorch.
import assert from "node:assert/strict";
import test from "node:test";
import zlib from "node:zlib";

import { load } from "./load.mjs";

const js = await load("forward");
const near = (a, b, within = 1e-12) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const allNear = (a, b, within) => { assert.equal(a.length, b.length); a.forEach((v, i) => near(v, b[i], within)); };

const CONFIG = { attention: "dot", query: "current", embed_size: 1, hidden_size: 1, bidirectional: false, encoder_size: 1, tied: false, dropout: 0 };
const gru = (name) => ({
  [`${name}.gru.weight_ih_l0`]: [[0.5], [-1], [2]], [`${name}.gru.weight_hh_l0`]: [[0.25], [0.75], [-0.5]],
  [`${name}.gru.bias_ih_l0`]: [0, 0.5, 0], [`${name}.gru.bias_hh_l0`]: [0, 0, 0.25],
});
const WEIGHTS = {
  "encoder.embedding.weight": [[0], [0], [0], [1], [-0.5]], ...gru("encoder"),
  "decoder.embedding.weight": [[0], [1], [-1], [0.5], [2]], ...gru("decoder"),
  "decoder.combine.weight": [[1, 2]], "decoder.combine.bias": [0.125],
  "decoder.head.output.weight": [[0], [-1], [0.5], [1], [-2]], "decoder.head.output.bias": [-9, -9, 0, 0.5, 0.25],
};
const TOKENS = ["<pad>", "<sos>", "<eos>", "a", "b"];

/** A float32 file, written without the package. */
function written({ config = CONFIG, weights = WEIGHTS, version = 1, change = (header) => header } = {}) {
  const payload = [], tensors = [];
  for (const [name, rows] of Object.entries(weights)) {
    const shape = Array.isArray(rows[0]) ? [rows.length, rows[0].length] : [rows.length];
    tensors.push({ name, shape, dtype: "float32", offset: 4 * payload.length });
    payload.push(...rows.flat());
  }
  const described = change({ config, task: "toy", note: "", dtype: "float32", src_tokens: TOKENS, tgt_tokens: TOKENS, tensors });
  const header = Buffer.from(typeof described === "string" ? described : JSON.stringify(described), "latin1");
  const rest = Buffer.concat([header, Buffer.from(Float32Array.from(payload).buffer)]), start = Buffer.alloc(24);
  start.write("S2S-ATTN", "latin1");
  [version, header.length, 4 * payload.length, zlib.crc32 ? zlib.crc32(rest) : js.checksum(rest)].forEach((value, i) => start.writeUInt32LE(value, 8 + 4 * i));
  return Buffer.concat([start, rest]);
}
const model = js.parseModel(written()), encoded = js.encode(model, [3, 4, 3]);

test("checksum and half floats: known values", () => {
  assert.equal(js.checksum(Buffer.from("123456789")), 0xcbf43926);
  assert.equal(js.checksum(new Uint8Array()), 0);
  const known = { 0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 2 ** -14, 0x0001: 2 ** -24, 0x03ff: (1023 / 1024) * 2 ** -14, 0x3555: 0.333251953125, 0x7c00: Infinity, 0xfc00: -Infinity };
  for (const [bits, value] of Object.entries(known)) assert.equal(js.halfFloat(+bits), value);
  assert.ok(Object.is(js.halfFloat(0x8000), -0));
  assert.ok(Number.isNaN(js.halfFloat(0x7e00)));
});

test("a file: ArrayBuffer, or a view that begins anywhere in one", () => {
  const bytes = written(), odd = new Uint8Array(bytes.length + 3);
  odd.set(bytes, 3);
  const { buffer } = new Uint8Array(bytes);
  for (const data of [bytes, buffer, odd.subarray(3)]) assert.deepEqual(js.parseModel(data), model);
  assert.equal(model.task, "toy");
  assert.deepEqual(model.config, CONFIG);
});

test("wrong files say what is wrong", () => {
  const good = written(), wrong = (change) => { const copy = new Uint8Array(good); change(copy); return copy; };
  const throws = (data, pattern) => assert.throws(() => js.parseModel(data), pattern);
  throws(new Uint8Array(), /cut off: it has 0 bytes/);
  throws(good.subarray(0, -1), /cut off/);
  throws(wrong((b) => { b[0] ^= 1; }), /not a model file/);
  throws(wrong((b) => { b[b.length - 1] ^= 1; }), /damaged: its checksum is [0-9a-f]{8}, expected [0-9a-f]{8}/);
  throws(written({ version: 2 }), /format version 2, made by a newer program; expected 1/);
  throws(written({ config: { ...CONFIG, hidden_size: 2 } }), /has shape .*, expected/);
  throws(written({ config: { ...CONFIG, attention: "general" } }), /key_layer.weight has shape undefined, expected 1,1/);
  const { "decoder.combine.bias": _, ...fewer } = WEIGHTS;
  throws(written({ weights: fewer }), /decoder.combine.bias has shape undefined/);
});

test("a crafted header is refused in words, as load_model refuses it", () => {
  const throws = (change, pattern) => assert.throws(() => js.parseModel(written({ change })), { name: "Error", message: pattern });
  for (const [text, why] of [["{{", /header is wrong: .*JSON/], ["\xff\xfe", /header is wrong: .*utf-8/], ["[".repeat(1e5), /header is wrong/], ["null", /an object, got null/], ["[]", /an object, got \[\]/]]) throws(() => text, why);
  for (const [name, value, why] of [
    ["attention", "telepath", /attention must be one of none, additive.*got "telepath"/], ["query", "future", /query must be previous or current/],
    ["hidden_size", "1", /hidden_size must be a whole number.*got "1"/], ["hidden_size", -1, /at least 1, got -1/], ["embed_size", 1.5, /embed_size/], ["encoder_size", null, /encoder_size/],
    ["bidirectional", 0, /bidirectional must be true or false, got 0/], ["tied", "no", /tied/], ["dropout", "x", /dropout/], ["layers", 2, /"layers" is no setting/],
  ]) throws((header) => ({ ...header, config: { ...CONFIG, [name]: value } }), why);
  for (const name of ["config", "src_tokens", "tgt_tokens", "tensors"]) for (const value of [undefined, null, 5, "text", [null]]) throws((header) => ({ ...header, [name]: value }), new RegExp(`header is wrong: ${name}`));
  for (const [tokens, why] of [[["<pad>", "<sos>", "<eos>", "a", "a"], /src_tokens have "a" twice/], [["<pad>", "<sos>", "<eos>", "a", "<eos>"], /"<eos>" twice/], [["<pad>", "<sos>", "<eos>", "a", "<unk>"], /begin with <pad>, <sos>, <eos>, <unk>/],
    [["<x>", "<sos>", "<eos>", "a", "b"], /begin with/], [["<pad>", "<sos>", "<eos>", "a", ""], /list of words/], [["<pad>", "<sos>", "<eos>", "a", 5], /list of words/]]) throws((header) => ({ ...header, src_tokens: tokens }), why);
  const first = (more) => (header) => ({ ...header, tensors: header.tensors.map((entry, i) => (i ? entry : { ...entry, ...more })) });
  for (const more of [{ shape: null }, { shape: 5 }, { shape: [] }, { shape: ["5", "1"] }, { shape: [5, 1, 1] }, { shape: [-5, -1] }, { shape: [2.5, 2] }, { shape: [1e9, 1e9] }, { offset: "0" }, { offset: -4 }, { offset: 0.5 }, { offset: 1e9 }, { dtype: "__proto__" }, { dtype: "float64" }, { dtype: "int8", shape: [5] }]) throws(first(more), /encoder.embedding.weight can't be/);
  throws((header) => ({ ...header, tensors: [...header.tensors, header.tensors[0]] }), /there twice/);
  for (const name of ["__proto__", "constructor", "<b>"]) throws((header) => ({ ...header, tensors: [{ ...header.tensors[0], name }, ...header.tensors] }), /expected none of this name/);
  const weights = { ...WEIGHTS, "encoder.embedding.weight": [[0], [0], [0], [NaN], [1]] };
  assert.throws(() => js.parseModel(written({ weights })), /encoder.embedding.weight holds NaN; only finite/);
});

test("tensors that share their bytes are refused before they fill the memory", () => {
  const size = 300, config = { ...CONFIG, embed_size: size }, one = Array(size).fill(0), rows = (n) => Array(n).fill(one);
  const weights = { ...WEIGHTS, "encoder.embedding.weight": rows(5), "decoder.embedding.weight": rows(5), "encoder.gru.weight_ih_l0": rows(3), "decoder.gru.weight_ih_l0": rows(3) };
  assert.equal(js.parseModel(written({ config, weights })).tensors["decoder.embedding.weight"].cols, size);
  const { "decoder.embedding.weight": _, ...fewer } = weights;
  const change = (header) => ({ ...header, tensors: [...header.tensors, { name: "decoder.embedding.weight", shape: [5, size], dtype: "float32", offset: 0 }] });
  assert.throws(() => js.parseModel(written({ config, weights: fewer, change })), /others have taken some/);
});

test("one step on paper", () => {
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  const cell = (x, h) => {
    const r = sigmoid(0.5 * x + 0.25 * h), z = sigmoid(-x + 0.5 + 0.75 * h);
    return (1 - z) * Math.tanh(2 * x + r * (-0.5 * h + 0.25)) + z * h;
  };
  const h1 = cell(1, 0), h2 = cell(-0.5, h1), h3 = cell(1, h2);
  allNear(encoded.states.map(([h]) => h), [h1, h2, h3]);
  const s = cell(1, h3), powers = [h1, h2, h3].map((h) => Math.exp(s * h)), total = powers[0] + powers[1] + powers[2];
  const alpha = powers.map((p) => p / total), c = alpha[0] * h1 + alpha[1] * h2 + alpha[2] * h3;
  const o = Math.tanh(s + 2 * c + 0.125), logits = [-9, -9 - o, 0.5 * o, 0.5 + o, 0.25 - 2 * o];
  const sum = Math.log(logits.reduce((a, l) => a + Math.exp(l), 0));
  const out = js.decodeStep(model, encoded, 1, encoded.final);
  near(out.state[0], s);
  allNear(out.weights, alpha);
  near(out.context[0], c);
  allNear(out.logProbs, logits.map((l) => l - sum));
});

test("masks", () => {
  allNear(js.maskedSoftmax([1, 1, 5], [true, true, false]), [0.5, 0.5, 0]);
  allNear(js.maskedSoftmax([1e4, -1e4]), [1, 0]);
  assert.throws(() => js.maskedSoftmax([1, 2], [false, false]), /no word/);
  assert.throws(() => js.maskedSoftmax([1, 2], [true]), /mask of 1 can't fit 2 words/);
  const out = js.decodeStep(model, encoded, 1, encoded.final, { valid: [true, false, true] });
  assert.equal(out.weights[1], 0);
  near(out.weights[0] + out.weights[2], 1);
});

test("dragging a weight: the others keep their proportions", () => {
  allNear(js.dragWeight([0.5, 0.3, 0.2], 0, 0.75), [0.75, 0.15, 0.1]);
  allNear(js.dragWeight([1, 0, 0], 0, 0.5), [0.5, 0.25, 0.25]);
  allNear(js.dragWeight([1, 0, 0], 0, 0.5, [true, false, true]), [0.5, 0, 0.5]);
  allNear(js.dragWeight([0.5, 0.5], 1, 7), [0, 1]);
  allNear(js.dragWeight([0.5, 0.5], 1, -7), [1, 0]);
  allNear(js.dragWeight([1], 0, 0.2), [1]);
});

test("weights of the reader are used, wrong ones refused", () => {
  const step = (weights, more) => js.decodeStep(model, encoded, 1, encoded.final, { weights, ...more });
  assert.deepEqual([...step([0, 1, 0]).context], [...encoded.states[1]]);
  assert.deepEqual(step(step(null).weights).logProbs, step(null).logProbs);
  for (const bad of [[0.5, 0.5], [0.5, 0.6, 0], [2, -1, 0], [NaN, 1, 0]]) assert.throws(() => step(bad), /weight/);
  assert.throws(() => step([0, 1, 0], { valid: [true, false, true] }), /0 for a deleted word, got 1/);
  const by = js.greedySearch(model, encoded, { maxLen: 3, weightsAt: (t) => (t === 1 ? [0, 0, 1] : null) });
  assert.deepEqual([...by.weights[1]], [0, 0, 1]);
  assert.notDeepEqual([...by.weights[0]], [0, 0, 1]);
});

/** Every sentence of at most maxLen tokens with its <eos>: [ids, log-probability]. */
function everySentence(maxLen) {
  const found = [], go = (ids, prev, state, logProb) => {
    const out = js.decodeStep(model, encoded, prev, state);
    found.push([ids, logProb + out.logProbs[2]]);
    if (ids.length < maxLen) for (const id of [0, 1, 3, 4]) go([...ids, id], id, out.state, logProb + out.logProbs[id]);
  };
  go([], 1, encoded.final, 0);
  return found;
}

test("a wide beam finds what trying everything finds", () => {
  const all = everySentence(3);
  assert.equal(all.length, 1 + 4 + 16 + 64);
  assert.ok(all.reduce((sum, [, l]) => sum + Math.exp(l), 0) < 1); // longer ones have the rest
  for (const lengthPenalty of [0, 0.7, 1.5]) {
    const scored = all.map(([ids, l]) => [ids, l / (ids.length + 1) ** lengthPenalty]).sort((a, b) => b[1] - a[1]);
    const found = js.beamSearch(model, encoded, { width: 90, maxLen: 3, lengthPenalty });
    assert.deepEqual(found.slice(0, 20).map((hyp) => hyp.ids), scored.slice(0, 20).map(([ids]) => ids));
    allNear(found.slice(0, 20).map((hyp) => hyp.score), scored.slice(0, 20).map(([, score]) => score));
    assert.ok(found.every((hyp) => hyp.complete && hyp.weights.length === hyp.ids.length + 1));
  }
});

test("a beam of one is greedy", () => {
  for (const maxLen of [1, 4, 12]) {
    const greedy = js.greedySearch(model, encoded, { maxLen });
    const { score, ...one } = js.beamSearch(model, encoded, { width: 1, maxLen })[0];
    assert.deepEqual(one, greedy);
  }
});

test("no search looks at a deleted word", () => {
  const valid = [true, false, true], greedy = js.greedySearch(model, encoded, { maxLen: 5, valid }), { score, ...one } = js.beamSearch(model, encoded, { width: 1, maxLen: 5, valid })[0];
  assert.deepEqual(one, greedy);
  for (const found of [...js.beamSearch(model, encoded, { width: 4, maxLen: 5, valid }), greedy, js.sampleSearch(model, encoded, { seed: 1, maxLen: 5, valid })]) assert.ok(found.weights.every((weights) => weights[1] === 0));
});

test("sampling: a seed repeats, a cold or narrow draw is greedy", () => {
  const draw = (options) => js.sampleSearch(model, encoded, { maxLen: 6, ...options });
  assert.deepEqual(draw({ seed: 5 }), draw({ seed: 5 }));
  assert.ok(new Set(Array.from({ length: 30 }, (_, seed) => draw({ seed }).ids.join())).size > 5);
  const greedy = js.greedySearch(model, encoded, { maxLen: 6 });
  for (const options of [{ topK: 1 }, { temperature: 1e-9 }, { topP: 1e-9 }]) assert.deepEqual(draw({ seed: 3, ...options }), greedy);
});

test("top-p keeps a token only while those before it hold less than p", () => {
  const logProbs = [0.5, 0.25, 0.25].map(Math.log);
  assert.deepEqual([...js.shapeProbs(logProbs, { topP: 0.5 })], [1, 0, 0]);
  allNear(js.shapeProbs(logProbs, { topP: 0.51 }), [2 / 3, 1 / 3, 0]);
});

test("settings out of range", () => {
  const refuse = (run, pattern) => assert.throws(run, pattern);
  for (const temperature of [0, -1, Infinity, NaN]) refuse(() => js.shapeProbs([0, 0], { temperature }), /temperature must be above 0/);
  for (const topK of [0, 1.5]) refuse(() => js.shapeProbs([0, 0], { topK }), /topK must be an integer/);
  for (const topP of [0, 1.1, NaN]) refuse(() => js.shapeProbs([0, 0], { topP }), /topP must be above 0/);
  refuse(() => js.beamSearch(model, encoded, { width: 0 }), /width/);
  refuse(() => js.beamSearch(model, encoded, { lengthPenalty: -1 }), /lengthPenalty/);
  refuse(() => js.greedySearch(model, encoded, { maxLen: 0 }), /maxLen/);
  refuse(() => js.encode(model, []), /at least one word/);
  refuse(() => js.encode(model, [5]), /id 5 is outside 0..4/);
  refuse(() => js.logSoftmax(Float64Array.of(0, NaN)), /not numbers/);
  refuse(() => js.sourceIds(model, ["c"]), /"c" is not among the 5 tokens/);
  assert.deepEqual(js.sourceIds(model, ["b", "a"]), [4, 3]);
});

test("searches in slices pause, and end as the whole ones do", () => {
  const through = (work) => { const pauses = []; for (;;) { const { value, done } = work.next(); if (done) return [pauses, value]; pauses.push(value); } };
  const [reading, states] = through(js.encoding(model, [3, 4, 3]));
  assert.equal(reading.length, 3); // one a word
  assert.deepEqual(states, encoded);
  const [words, greedy] = through(js.greedySteps(model, encoded, { maxLen: 5 }));
  assert.equal(words.length, greedy.complete ? greedy.steps.length : 6);
  assert.deepEqual(greedy, js.greedySearch(model, encoded, { maxLen: 5 }));
  assert.deepEqual(through(js.sampleSteps(model, encoded, { seed: 3, maxLen: 5 }))[1], js.sampleSearch(model, encoded, { seed: 3, maxLen: 5 }));
  const [pauses, found] = through(js.beamSteps(model, encoded, { width: 3, maxLen: 4 })), kept = pauses.filter(Boolean);
  assert.deepEqual(found, js.beamSearch(model, encoded, { width: 3, maxLen: 4 }));
  kept.forEach((column, t) => {
    assert.ok(column.length >= 1 && column.length <= 3);
    column.forEach((node, i) => {
      assert.equal(node.ids.length, t + 1);
      assert.equal(node.ids.at(-1), node.last);
      if (i) assert.ok(node.logProb <= column[i - 1].logProb);
    });
  });
  const best = found[0].complete ? [...found[0].ids, 2] : found[0].ids;
  assert.ok(kept.some((column) => column.some((node) => `${node.ids}` === `${best}`)));
});
