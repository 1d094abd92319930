// The pure functions of the explorer of accuracy against length.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("length");
const bins = [[1, 1, 10], [2, 5, 20]];
const series = [
  { model: "vanilla", hidden: 128, parameters: 9, seeds: [0, 1], right: [[10, 10], [9, 4]] },
  { model: "vanilla", hidden: 16, parameters: 5, seeds: [0], right: [[5, 0]] },
  { model: "attention (dot)", hidden: 8, parameters: 9, seeds: [0], right: [[10, 20]] },
];

test("a curve is the mean over its seeds, with least and most", () => {
  assert.deepEqual(js.summary(series[0], 1, 20), { mean: 0.35, low: 0.2, high: 0.5 });
  assert.deepEqual(js.summary(series[2], 1, 20), { mean: 1, low: 1, high: 1 });
});

test("models and hidden sizes are chosen", () => {
  const pick = (shown, widths) => js.chosen(series, shown, widths).map(({ model, hidden }) => `${model} ${hidden}`);
  assert.deepEqual(pick(["vanilla"], { vanilla: 16 }), ["vanilla 16"]);
  assert.deepEqual(pick(["vanilla", "attention (dot)"], { vanilla: 0 }), ["vanilla 128", "vanilla 16", "attention (dot) 8"]);
  assert.deepEqual(pick([], {}), []);
});

test("a name has its hidden size only where there are several", () => {
  assert.deepEqual(series.map((one) => js.named(one, series)), ["vanilla, H = 128", "vanilla, H = 16", "attention (dot)"]);
});

test("a group of lengths is put into words, the best first", () => {
  const curves = js.chosen(series, ["vanilla", "attention (dot)"], { vanilla: 128 });
  assert.equal(js.sentence(bins, series, curves, 1),
    "Sources of 2–5 words (20 of them), exactly right: attention (dot) 100.0 % (one seed); vanilla, H = 128 35.0 % (two seeds, 20.0–50.0 %).");
  assert.equal(js.sentence(bins, series, [], 0), "Sources of 1 word (10 of them): no model is chosen.");
});

test("labels keep apart, in order and inside", () => {
  assert.deepEqual(js.apart([50, 51, 10], 16, 0, 100), [50, 66, 10]);
  assert.deepEqual(js.apart([99, 98], 16, 0, 100), [100, 84]);
  assert.deepEqual(js.apart([-5], 16, 0, 100), [0]);
});

test("CSV has a line a seed and group", () => {
  const lines = js.csv(bins, series.slice(0, 1)).trim().split("\n");
  assert.deepEqual(lines.slice(1), ["vanilla,128,9,0,1,1,10,10", "vanilla,128,9,0,2,5,20,10", "vanilla,128,9,1,1,1,10,9", "vanilla,128,9,1,2,5,20,4"]);
});
