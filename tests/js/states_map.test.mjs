// The pure functions of the map of sentence vectors.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("states_map");

test("coordinates become places, y upwards, inside the padding", () => {
  assert.deepEqual(js.placed([-1, -1, 1, 1, 0, 0], 100, 60, 10), [[10, 50], [90, 10], [50, 30]]);
});

test("the nearest point is hit, within reach only", () => {
  const places = [[0, 0], [10, 0], [100, 100]];
  assert.equal(js.hit(places, 7, 1), 1);
  assert.equal(js.hit(places, 50, 50), -1);
  assert.equal(js.hit([], 0, 0), -1);
});

test("arrow keys go to a point in their direction, and stay at the edge", () => {
  const places = [[50, 50], [60, 52], [90, 50], [50, 10], [40, 90]];
  const go = (key, at = 0) => js.towards(places, at, key);
  assert.equal(go("ArrowRight"), 1);
  assert.equal(go("ArrowUp"), 3);
  assert.equal(go("ArrowDown"), 4);
  assert.equal(go("ArrowRight", 2), 2);
  assert.equal(go("x"), null);
});

test("a sentence names its neighbours", () => {
  const data = { labels: ["7", "8", "9"], sentences: ["seven", "eight", "nine"], near: [1, 2] };
  assert.equal(js.sentence(data, 0), "7 (seven): nearest in all dimensions are 8, 9.");
  assert.equal(js.sentence({ ...data, sentences: [] }, 0), "7: nearest in all dimensions are 8, 9.");
});
