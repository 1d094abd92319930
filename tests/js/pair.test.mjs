// What two linked figures tell each other.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("pair");

/** A model with the calls that a figure uses; `told` is what came back from the other. */
function model(values) {
  const calls = {};
  return {
    get: (name) => values[name],
    set(name, value) { values[name] = value; (calls[name] || []).forEach((call) => call()); },
    save_changes() {},
    on(event, call) { (calls[event.slice(7)] ||= []).push(call); },
    off(event, call) { const name = event.slice(7); calls[name] = calls[name].filter((c) => c !== call); },
  };
}
const values = (shape, more = {}) => ({ shape, view: "matrix", step: 0, snapshot: 0, threshold: 0, show_gold: false, focus: null, ...more });

test("a step or a place beyond the other figure is cut, or nothing", () => {
  assert.equal(js.translated("step", 7, [1, 4, 5]), 3);
  assert.equal(js.translated("step", 7, [1, 0, 5]), undefined);
  assert.equal(js.translated("snapshot", 9, [4, 4, 5]), 3);
  assert.deepEqual(js.translated("focus", [3, 4], [1, 4, 5]), [3, 4]);
  assert.equal(js.translated("focus", [4, -1], [1, 4, 5]), null);
  assert.equal(js.translated("focus", null, [1, 4, 5]), null);
});

test("the left figure leads at first, then both follow each other", () => {
  const left = model(values([1, 6, 6], { step: 5, view: "flow" })), right = model(values([1, 6, 6]));
  const stop = js.linked(left, right);
  assert.deepEqual([right.get("step"), right.get("view")], [5, "flow"]);
  right.set("focus", [2, -1]);
  assert.deepEqual(left.get("focus"), [2, -1]);
  stop();
  right.set("step", 1);
  assert.equal(left.get("step"), 5);
});

test("the shorter figure stays at its end while the longer one goes on", () => {
  const long = model(values([1, 6, 6])), short = model(values([1, 3, 6]));
  js.linked(long, short);
  for (const step of [1, 2, 3, 4]) long.set("step", step);
  assert.deepEqual([long.get("step"), short.get("step")], [4, 2]);
  long.set("focus", [5, 1]);
  assert.deepEqual([long.get("focus"), short.get("focus")], [[5, 1], null]);
});
