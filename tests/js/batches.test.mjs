// The pure functions of the batch figure.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("batches");
const data = {
  src: [[["a", 3], ["b", 4]], [["c", 5]]],
  tgt_in: [[["<sos>", 1], ["x", 3], ["y", 4]], [["<sos>", 1], ["z", 5]]],
  tgt_out: [[["x", 3], ["y", 4], ["<eos>", 2]], [["z", 5], ["<eos>", 2]]],
  pad: ["<pad>", 0],
};

test("sentences are cut into batches as wide as their longest", () => {
  const lengths = [6, 1, 2, 5];
  assert.deepEqual(js.grouped(lengths, false, 1), [{ rows: [0, 1, 2, 3], width: 6 }]);
  assert.deepEqual(js.grouped(lengths, false, 2), [{ rows: [0, 1], width: 6 }, { rows: [2, 3], width: 5 }]);
  assert.deepEqual(js.grouped(lengths, true, 2), [{ rows: [1, 2], width: 2 }, { rows: [3, 0], width: 6 }]);
  assert.deepEqual(js.grouped([2, 2, 2], true, 3).map(({ rows }) => rows), [[0], [1], [2]]);
});

test("each sentence is in exactly one batch, however many there are", () => {
  const lengths = [3, 1, 4, 1, 5, 9, 2];
  for (let count = 1; count <= 7; count++) {
    for (const ordered of [false, true]) {
      const rows = js.grouped(lengths, ordered, count).flatMap((group) => group.rows);
      assert.deepEqual(rows.sort(), [0, 1, 2, 3, 4, 5, 6]);
    }
  }
});

test("padding is counted and said", () => {
  const lengths = [6, 1, 2, 5];
  assert.deepEqual(js.cost(lengths, js.grouped(lengths, false, 1)), { real: 14, pad: 10 });
  assert.deepEqual(js.cost(lengths, js.grouped(lengths, true, 2)), { real: 14, pad: 2 });
  assert.equal(js.costs({ real: 14, pad: 10 }, 1), "One batch: 14 tokens and 10 cells of padding (42 % of the work is for nothing).");
  assert.match(js.costs({ real: 14, pad: 2 }, 2), /^2 batches: .* \(13 %/);
  assert.match(js.costs({ real: 14, pad: 10 }, 1, true), /Sorting saves nothing yet/);
  assert.doesNotMatch(js.costs({ real: 14, pad: 2 }, 2, true), /Sorting/);
});

test("a cell is put into words", () => {
  const say = (view, focus, wide = 2) => js.sentence({ ...data, view }, focus, wide);
  assert.match(say("source", null), /^Point at a cell/);
  assert.equal(say("source", [0, 1]), "Sentence 1, position 2 of 2: “b” has the id 4; the mask is True, a real token.");
  assert.match(say("source", [1, 1]), /^Sentence 2, position 2 of 2: padding\. The mask is False here/);
  assert.equal(say("target", [0, 1], 3), "Sentence 1, position 2 of 3: the decoder reads “x” and must say “y”, the word it reads next. It has read “<sos>” before; nothing to the right reaches it.");
  assert.match(say("target", [1, 0], 3), /must say “z”, the word it reads next\. It has read nothing before\.$/);
  assert.match(say("target", [1, 2], 3), /counts in the loss\.$/);
});

test("keys move in a grid whose rows differ in length", () => {
  const widths = [3, 1], go = (key, place) => js.nextPlace(key, place, 2, (r) => widths[r]);
  assert.deepEqual(go("ArrowDown", [0, 2]), [1, 0]);
  assert.deepEqual(go("ArrowRight", [0, 2]), [0, 2]);
  assert.deepEqual(go("End", [0, 0]), [0, 2]);
  assert.deepEqual(go("ArrowUp", [0, 1]), [0, 1]);
  assert.equal(go("a", [0, 0]), null);
});

test("CSV has every cell, padding too", () => {
  const groups = js.grouped([2, 1], false, 1), lines = js.csv({ ...data, view: "source" }, groups).trim().split("\n");
  assert.deepEqual(lines.slice(1), ["1,1,src,1,a,3,true", "1,1,src,2,b,4,true", "1,2,src,1,c,5,true", "1,2,src,2,<pad>,0,false"]);
  const both = js.csv({ ...data, view: "target" }, js.grouped([3, 2], false, 1)).trim().split("\n");
  assert.equal(both.length, 1 + 2 * 2 * 3);
});
