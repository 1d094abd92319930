// The pure functions of the beam's tree.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("beam_tree");
// also → also gut (done) / also schön (cut); gut → gut <eos> (done)
const nodes = [
  [-1, 0, "<sos>", 0, "kept"], [0, 1, "also", -0.5, "kept"], [0, 1, "gut", -0.9, "kept"], [0, 1, "los", -3, "pruned"],
  [1, 2, "schön", -1.8, "kept"], [1, 2, "dann", -2, "pruned"], [2, 2, "<eos>", -0.9, "finished"], [4, 3, "<eos>", -1.8, "finished"],
];

test("steps are columns, the most probable first", () => {
  assert.deepEqual(js.columns(nodes), [[1, 2, 3], [6, 4, 5], [7]]);
});

test("a path goes from the first word to the node", () => {
  assert.deepEqual(js.path(nodes, 7), [1, 4, 7]);
  assert.deepEqual(js.path(nodes, 0), []);
});

test("the length penalty ranks what is finished by then", () => {
  assert.deepEqual(js.finished(nodes, 1, 0), []);
  assert.deepEqual(js.finished(nodes, 2, 0), [6]);
  assert.deepEqual(js.finished(nodes, 3, 0), [6, 7]);
  assert.deepEqual(js.finished(nodes, 3, 2), [7, 6]); // -1.8 / 9 beats -0.9 / 4
  assert.equal(js.score(nodes[7], 1), -0.6);
});

test("nodes and steps are put into words", () => {
  assert.equal(js.sentence(nodes, 5, 0, 3), "“also dann”, step 2: log P −2.00, rank 3 of the 3 shown; cut.");
  assert.equal(js.sentence(nodes, 7, 1, 3), "“also schön <eos>”, step 3: log P −1.80, rank 1 of the 1 shown; finished, score −0.60.");
  assert.equal(js.sentence(nodes, -1, 0, 3), "Step 3: the best of 2 finished is “gut <eos>”, score −0.90.");
  assert.equal(js.sentence(nodes, -1, 0, 1), "Step 1: no sentence is finished yet. Point at a word.");
});

test("arrow keys go to parent, best child and neighbours, and not beyond the step shown", () => {
  const go = (i, key, step = 3) => js.nextNode(nodes, i, key, step);
  assert.deepEqual([go(1, "ArrowRight"), go(1, "ArrowRight", 1), go(4, "ArrowLeft"), go(1, "ArrowLeft")], [4, 1, 1, 1]);
  assert.deepEqual([go(1, "ArrowDown"), go(1, "ArrowUp"), go(3, "ArrowDown"), go(1, "x")], [2, 1, 3, null]);
});
