// The pure functions of the translator: what is read, what is said of it, links, and work in slices.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("translator"), forward = await load("forward");
const SPECIAL = ["<pad>", "<sos>", "<eos>", "<unk>"];
const numbers = { srcTokens: [...SPECIAL, "one", "two", "hundred", "and", "seven"] };
const CONFIG = { attention: "additive", query: "previous", embed_size: 32, hidden_size: 32, bidirectional: true, encoder_size: 16, tied: false };

test("text is read by the task's oracle, and a model is asked whether it knows the words", () => {
  assert.deepEqual(js.readText("numbers", "One Hundred and two", numbers).tokens, ["one", "hundred", "and", "two"]);
  assert.deepEqual(js.readText("numbers", "207", numbers).tokens, ["two", "hundred", "and", "seven"]);
  for (const text of ["", " ", "\n\t"]) assert.deepEqual(js.readText("numbers", text, numbers), { tokens: [], shown: "", notes: [], error: null });
  assert.match(js.readText("numbers", "three", numbers).error, /doesn't know “three”.*knows 5 words/);
  assert.match(js.readText("numbers", "x".repeat(2001), numbers).error, /2001 characters/);
  assert.ok(js.readText("numbers", "🙂", numbers).error);
});

test("words of other tasks are read as they stand, signs for models of signs", () => {
  const own = { srcTokens: [...SPECIAL, "ein", "haus", "."] }, without = { srcTokens: ["<pad>", "<sos>", "<eos>", "a", "b"] };
  assert.deepEqual(js.readText("own", "Ein Haus.", own).tokens, ["ein", "haus", "."]);
  assert.deepEqual(js.readText("own", "ein 🙂", own).notes, ["“🙂” is new to this model and read as <unk>."]);
  assert.deepEqual(js.readText("own", "ab b", { srcTokens: [...without.srcTokens, " "] }).tokens, ["a", "b", " ", "b"]);
  assert.match(js.readText("own", "abc", without).error, /doesn't know “c”. It knows 2 signs/);
  assert.match(js.readText("own", Array(61).fill("haus").join(" "), own).error, /61 words; up to 60/);
  assert.equal(js.readText("own", Array(60).fill("haus").join(" "), own).tokens.length, 60);
});

test("a model's own examples are what its page offers, and what it knows the answers of", () => {
  const tokens = [...SPECIAL, "half", "past", "two"], examples = [[["half", "past", "two"], ["halb", "drei"]], [["two"], []]];
  assert.deepEqual(js.ownExamples({ srcTokens: tokens, examples }), ["half past two", "two"]);
  assert.deepEqual(js.ownExamples({ srcTokens: tokens }), ["half past two"]); // its first words, for want of better
  assert.deepEqual(js.ownExamples({ srcTokens: [...SPECIAL, "I", "V", " "], examples: [[["I", "V", " ", "I"], ["4"]]] }), ["IV I"]);
  assert.deepEqual(js.rightAnswer("clock", ["half", "past", "two"], { examples }), ["halb", "drei"]);
  assert.deepEqual(js.rightAnswer("clock", ["two"], { examples }), []);
  for (const other of [["half", "past"], ["half", "past", "two", "two"], ["past", "half", "two"]]) assert.equal(js.rightAnswer("clock", other, { examples }), null);
  assert.equal(js.rightAnswer("clock", ["two"], {}), null);
  assert.deepEqual(js.rightAnswer("numbers", ["two"], { examples }), ["zwei"]); // the oracle knows better
});

test("words are compared with the right ones", () => {
  assert.deepEqual(js.compare(["a", "x", "c"], ["a", "b", "c", "d"]), { said: [true, false, true], right: [true, false, true, false] });
  assert.equal(js.verdict(["a", "b"], ["a", "b"], true), "✓ right");
  assert.equal(js.verdict(["a", "x", "c"], ["a", "b", "c", "d"], true), "✗ 1 wrong, 2 missing of 4.");
  assert.equal(js.verdict(["a"], ["a", "b"], true), "✗ 1 missing of 2.");
  assert.equal(js.verdict(["a", "b"], ["a"], true), "✗ 1 wrong of 1.");
  assert.equal(js.verdict(["a"], null, false), "No oracle knows the right answer here. Stopped after 100 without an end.");
  assert.equal(js.dueWord(["a", "x"], ["a", "b"], 1), "b");
  assert.equal(js.dueWord(["a", "x", "c"], ["a", "b", "c"], 2), null); // after a mistake no word is right
  assert.equal(js.dueWord(["a"], ["a"], 1), "<eos>");
});

test("a link carries the state, there and back", () => {
  const kinds = { numbers: ["attention", "vanilla"], dates: ["attention"] };
  const state = { task: "numbers", text: "seven & <b>über</b> 🙂", model: "vanilla", decoder: "sampling", step: 3, temperature: 1.5, topk: 4, topp: 0.9, seed: 12, width: 4, penalty: 0 };
  const { width, penalty, ...changed } = state;
  assert.deepEqual(js.stateOf(js.linkOf(state), kinds), { state: changed });
  const every = { task: "dates", text: "", model: "attention", decoder: "beam", step: 0, temperature: 0.1, topk: 50, topp: 0.05, seed: 1e6, width: 8, penalty: 2 };
  assert.deepEqual(js.stateOf(js.linkOf(every), kinds), { state: every }); // no setting is lost
  assert.equal(js.stateOf("#alignments", kinds), null);
  assert.equal(js.stateOf("", kinds), null);
  assert.deepEqual(js.stateOf("#translate?text=7", kinds), { state: { task: "numbers", text: "7" } });
});

test("a link that is wrong says what is wrong", () => {
  const kinds = { numbers: ["attention"] };
  for (const [query, why] of [
    ["task=cooking", /task “cooking”.*numbers/], ["model=own", /model “own”.*attention/], ["decoder=magic", /decoder “magic”.*greedy, beam, sampling/],
    [`text=${"x".repeat(2001)}`, /2001 characters/], ["temperature=-1", /temperature “-1”.*0.1 to 3/], ["topk=2.5", /whole number/],
    ["step=0", /step “0”/], ["step=", /step/], ["seed=NaN", /seed “NaN”/], ["width=99", /width “99”.*1 to 8/], ["text=%E0%A4%A&task=%ZZ", /task/],
  ]) assert.match(js.stateOf(`#translate?${query}`, kinds).error ?? "none", why, query);
});

test("numbers are drawn with so many digits, the same ones for the same seed", () => {
  for (let digits = 1; digits <= 12; digits++) for (const number of js.drawnNumbers(digits, 20, 3)) assert.match(number, new RegExp(`^[1-9]\\d{${digits - 1}}$`));
  assert.deepEqual(js.drawnNumbers(6, 5, 1), js.drawnNumbers(6, 5, 1));
  assert.notDeepEqual(js.drawnNumbers(6, 5, 1), js.drawnNumbers(6, 5, 2));
});

test("work in slices gives way, and the next piece ends the one before", () => {
  let clock = 0;
  const queue = [], done = [], failed = [];
  const slices = js.slices(() => clock, (go) => queue.push(go));
  function* work(name, n) { for (let i = 0; i < n; i++) { clock += 4; yield; } if (name === "bad") throw new Error("bad"); return name; }
  const to = { done: (value) => done.push(value), failed: (error) => failed.push(error.message) };
  assert.equal(slices.run(work("first", 9), to), false);
  assert.equal(clock, 12); // more than 10 ms: a pause
  slices.run(work("second", 4), to);
  while (queue.length) queue.shift()();
  assert.deepEqual(done, ["second"]);
  assert.equal(slices.run(work("at once", 50), { ...to, atOnce: true }), true);
  assert.equal(done.at(-1), "at once");
  slices.run(work("bad", 1), to);
  assert.deepEqual(failed, ["bad"]);
  slices.run(work("stopped", 9), to);
  slices.stop();
  while (queue.length) queue.shift()();
  assert.equal(done.length, 2);
});

test("a short sentence of the book's models is translated at once, long ones of large models not", () => {
  const tgtTokens = Array(40), large = { ...CONFIG, embed_size: 256, hidden_size: 512, encoder_size: 512 };
  assert.ok(js.cost({ config: CONFIG, tgtTokens }, 23, "beam", 8) < 2e7);
  assert.ok(js.cost({ config: large, tgtTokens }, 23, "greedy") > 2e7);
});

/** A model with random weights, large enough that words, masks and settings matter. */
function toy() {
  const random = forward.seededRandom(4), srcTokens = [...SPECIAL, "a", "b", "c", "d"], H = 6, N = srcTokens.length;
  const matrix = (rows, cols) => ({ rows, cols, values: Float32Array.from({ length: rows * cols }, () => 4 * random() - 2) });
  const gru = (name) => ({ [`${name}.gru.weight_ih_l0`]: matrix(3 * H, H), [`${name}.gru.weight_hh_l0`]: matrix(3 * H, H), [`${name}.gru.bias_ih_l0`]: matrix(3 * H, 1), [`${name}.gru.bias_hh_l0`]: matrix(3 * H, 1) });
  const tensors = { "encoder.embedding.weight": matrix(N, H), "decoder.embedding.weight": matrix(N, H), ...gru("encoder"), ...gru("decoder"),
    "decoder.combine.weight": matrix(H, 2 * H), "decoder.combine.bias": matrix(H, 1), "decoder.head.output.weight": matrix(N, H), "decoder.head.output.bias": matrix(N, 1) };
  return { config: { attention: "dot", query: "current", embed_size: H, hidden_size: H, encoder_size: H, bidirectional: false, tied: false }, srcTokens, tgtTokens: srcTokens, tensors };
}
const through = (work) => { for (;;) { const { value, done } = work.next(); if (done) return value; } };

test("a translation is the search that was asked for, with every one of its settings", () => {
  const model = toy(), ids = [4, 5, 6, 7], maxLen = js.MAX_STEPS, encoded = forward.encode(model, ids), mask = [true, false, true, true];
  const run = (options) => through(js.translating(model, ids, options)), own = Float64Array.of(0, 0, 1, 0), edits = new Map([[0, own]]), weightsAt = (t) => edits.get(t) ?? null;
  for (const valid of [null, mask]) {
    assert.deepEqual(run({ valid }).hyp, forward.greedySearch(model, encoded, { maxLen, valid }));
    assert.deepEqual(run({ valid, edits }).hyp, forward.greedySearch(model, encoded, { maxLen, valid, weightsAt }));
    for (const [width, penalty] of [[1, 0], [3, 0], [3, 2], [8, 0.7]]) {
      const found = run({ decoder: "beam", width, penalty, valid }), { hyp, list, columns } = found;
      assert.deepEqual(list, forward.beamSearch(model, encoded, { width, lengthPenalty: penalty, maxLen, valid }));
      assert.equal(hyp, list[0]);
      assert.ok(columns.every((column, t) => column.length <= width && column.every((node) => node.ids.length === t + 1)));
    }
    for (let seed = 0; seed < 40; seed++) for (const s of [{ temperature: 2, topk: 0, topp: 1 }, { temperature: 1, topk: 2, topp: 1 }, { temperature: 1.5, topk: 0, topp: 0.6 }]) {
      assert.deepEqual(run({ decoder: "sampling", ...s, seed, valid, edits }).hyp, forward.sampleSearch(model, encoded, { maxLen, valid, weightsAt, temperature: s.temperature, topK: s.topk || null, topP: s.topp, seed }));
    }
  }
  const none = { ...model, config: { ...model.config, attention: "none" } };
  assert.equal(through(js.translating(none, ids, { valid: mask })).hyp.weights, null);
});

test("a step in words", () => {
  const steps = [[0.1, 0.9], [0.6, 0.4]].map((weights) => ({ weights, logProbs: [-9, -9, -0.7, -9, -0.1].map(Number) }));
  const hyp = { ids: [4], tokens: ["zwei"], steps, complete: true }, said = (parts) => parts.map((p) => p.text ?? p).join("");
  assert.equal(said(js.sentence(hyp, ["two", "two"], 0, ["drei"], false)),
    "Step 1 of 2: the decoder looks most at two (the 2nd) (0.900), then at two (the 1st) (0.100), and says zwei with probability 0.905. Right would be drei.");
  assert.equal(said(js.sentence({ ...hyp, steps: steps.map(({ logProbs }) => ({ logProbs, weights: null })) }, ["two"], 1, null, false)),
    "Step 2 of 2, after zwei: the decoder has one vector for the whole source, and says <eos> with probability 0.497.");
});

test("next words: the one said is among them, even if it was unlikely", () => {
  const logProbs = [0.05, 0.5, 0.2, 0.1, 0.08, 0.04, 0.02, 0.01].map(Math.log);
  assert.deepEqual(js.nextWords(logProbs, 1, null).map(({ id }) => id), [1, 2, 3, 4, 0, 5]);
  assert.deepEqual(js.nextWords(logProbs, 7, null).map(({ id }) => id), [1, 2, 3, 4, 0, 7]);
});

test("a beam's columns become a tree", () => {
  const columns = [[{ ids: [4], last: 4, logProb: -0.1 }, { ids: [5], last: 5, logProb: -2 }], [{ ids: [5, 2], last: 2, logProb: -2.1 }, { ids: [4, 5], last: 5, logProb: -3 }]];
  assert.deepEqual(js.treeOf(columns, [...SPECIAL, "a", "b"]).map(({ token, parent, done }) => [token, parent, done]),
    [["a", -1, false], ["b", -1, false], ["<eos>", 1, true], ["b", 0, false]]);
});
