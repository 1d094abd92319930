// Temperature, top-k, top-p and draws against an independent reference, and what is said of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("probability");
// made with numpy, by sorting and searchsorted; null stands for −Infinity
const CASES = JSON.parse(readFileSync(new URL("./adjust_cases.json", import.meta.url), "utf8"));
const near = (a, b, within = 1e-9) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const allNear = (a, b) => { assert.equal(a.length, b.length); a.forEach((v, i) => near(v, b[i])); };

for (const { name, logits, temperature, k, p, before, after, kept, bits } of CASES) {
  test(`as the reference: ${name}`, () => {
    const found = js.adjust(logits.map((l) => l ?? -Infinity), { temperature, k, p });
    allNear(found.before, before);
    allNear(found.after, after);
    assert.deepEqual(found.kept, kept);
    near(js.entropy(found.after), bits);
  });
}

test("softmax: no overflow, −Infinity is 0, ties are equal, one word is certain", () => {
  allNear(js.softmax([1000, 1000]), [0.5, 0.5]);
  allNear(js.softmax([-1e30, 0]), [0, 1]);
  allNear(js.softmax([-Infinity, 2]), [0, 1]);
  assert.deepEqual(js.softmax([7], 0.1), [1]);
  allNear(js.softmax([2, 0], 2), js.softmax([1, 0]));
});

test("everything off changes nothing", () => {
  const logits = [0.3, -2, 5, 1];
  allNear(js.adjust(logits).after, js.softmax(logits));
  assert.deepEqual(js.adjust(logits).kept, [2, 3, 0, 1]);
});

test("top-p near 1 keeps words that float sums would lose", () => {
  assert.deepEqual(js.adjust([0.7, 0.1, 0.2].map(Math.log), { p: 0.9 }).kept, [0, 2]);
  assert.equal(js.adjust(Array(30).fill(0), { p: 0.999 }).kept.length, 30);
});

test("entropy in bits", () => {
  assert.equal(js.entropy([1, 0]), 0);
  near(js.entropy(Array(8).fill(1 / 8)), 3);
});

test("the same seed gives the same draws, another seed others, all from 0 to 1", () => {
  const ten = (seed) => { const next = js.generator(seed); return Array.from({ length: 10 }, next); };
  assert.deepEqual(ten(3), ten(3));
  assert.notDeepEqual(ten(3), ten(4));
  assert.ok(ten(0).every((r) => r >= 0 && r < 1));
});

test("draws follow the probabilities and never take what was cut", () => {
  const next = js.generator(1), count = [0, 0, 0, 0], p = [0.5, 0, 0.3, 0.2];
  for (let i = 0; i < 20000; i++) count[js.pick(p, next())]++;
  assert.equal(count[1], 0);
  [0, 2, 3].forEach((id) => near(count[id] / 20000, p[id], 0.015));
  assert.equal(js.pick([0.3, 0.7 - 1e-12, 0], 1 - 1e-16), 1); // a sum a little below 1
  assert.equal(js.pick([0, 1], 0), 1);
});

test("twelve words and the rest; one word more gets its own bar; marked words are never among the rest", () => {
  const p = Array.from({ length: 20 }, (_, i) => 20 - i);
  assert.deepEqual(js.shownRows(p, []).ids, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  assert.equal(js.shownRows(p, []).others.length, 8);
  assert.equal(js.shownRows(p.slice(0, 13), []).others.length, 0);
  const { ids, others } = js.shownRows(p, [19, 3, 19, 15]);
  assert.deepEqual(ids.slice(-2), [15, 19]);
  assert.equal(new Set([...ids, ...others]).size, 20);
});

test("the temperature's slider is even in ratios and meets 0.1, 1 and 3", () => {
  assert.deepEqual([0.1, 1].map((t) => js.fromSlider(js.toSlider(t))), [0.1, 1]);
  near(js.fromSlider(js.toSlider(3)), 3);
  assert.equal(js.toSlider(0.5), -js.toSlider(2));
});

/** Data as the figure has it, for a step of three words. */
function three(more = {}, settings = {}) {
  const logits = [Math.log(0.6), Math.log(0.3), Math.log(0.1)];
  const data = { t: 1, T: 2, V: 3, vocab: ["drei", "zehn", "<eos>"], said: [0, 1], src: ["three"], title: "t", logits, own: js.softmax(logits),
    now: js.adjust(logits, settings), greedy: 0, gold: 1, chosen: null, draws: { count: [0, 0, 0], total: 0, last: null }, ...more };
  data.rows = js.shownRows(data.own, [1]);
  return data;
}
const say = (data, word) => js.spoken(js.sentence(data, word));

test("the sentence: the step, a word, a cut word, draws, all others", () => {
  const data = three();
  assert.equal(say(data, null), "Step 2 of 2, after “drei”: “drei” is most probable (0.600). 3 of 3 words can be drawn; entropy 1.30 bits.");
  assert.equal(say(data, 1), "“zehn” is drawn with probability 0.300; the model itself says 0.300. It is the right word, and costs 1.204 nats.");
  const cut = three({ draws: { count: [4, 0, 0], total: 4, last: 0 } }, { k: 1 });
  assert.equal(say(cut, 2), "“<eos>” is cut: its 0.100 goes to the words that are kept; the model itself says 0.100. Drawn 0 times of 4.");
  assert.match(say(cut, null), /1 of 3 words can be drawn; entropy 0.00 bits. Draw 4: “drei”.$/);
  const rest = three({}, { k: 1 });
  rest.rows = { ids: [0], others: [1, 2] };
  assert.equal(say(rest, -1), "The other 2 words hold 0.400 together; none of them can be drawn.");
});

test("what stands beside a bar", () => {
  const data = three({ draws: { count: [3, 1, 0], total: 4, last: 0 } }, { k: 2 });
  assert.deepEqual(js.rowText(data, 0), { marks: "▸", name: "drei", number: "0.667", drawn: "3×" });
  assert.deepEqual(js.rowText(data, 1), { marks: "●", name: "zehn", number: "0.333", drawn: "1×" });
  assert.equal(js.rowText(data, 2).number, "cut");
});

test("CSV: every word with each stage of its probability", () => {
  const lines = js.csv(three({}, { k: 1 })).split("\n");
  assert.equal(lines[0], "word,logit,softmax,after temperature,after top-k and top-p,drawn");
  assert.match(lines[2], /^zehn,-1\.20\d+,0\.300000,0\.300000,0\.000000,0$/);
  assert.equal(lines.length, 5);
});

test("floats are read, a wrong number refused", () => {
  const bytes = new DataView(Float32Array.from([1.5, -Infinity]).buffer);
  assert.deepEqual([...js.floats(bytes, 2)], [1.5, -Infinity]);
  assert.throws(() => js.floats(bytes, 3), /8 bytes cannot hold 3 logits/);
});

test("what is cut is drawn in stripes, not as a full bar", () => {
  const c = Object.fromEntries(["ink", "muted", "decoder", "attention", "vanilla", "surface"].map((n) => [n, n]));
  const fills = (data) => { const out = []; js.drawBars({ rect: (x, y, w, t, fill) => out.push(fill), frame() {}, text() {} }, data, js.layout(700, 5), 0, 0, null, c); return out; };
  assert.equal(fills(three()).filter((f) => f === "muted").length, 0);
  const cut = fills(three({}, { k: 1 }));
  assert.equal(cut.filter((f) => f === "decoder").length, 1);
  assert.ok(cut.filter((f) => f === "muted").length > 10);
});

test("the saved picture is whole", () => {
  const c = Object.fromEntries(["ink", "muted", "decoder", "attention", "vanilla", "surface", "source", "target"].map((n) => [n, "#000000"]));
  const { width, height, paint } = js.picture(three(), c, 5, "temperature 1.00"), pen = js.svgPen();
  paint(pen);
  const svg = pen.markup(width, height, "t", "d");
  for (const text of ["drei", "&#60;eos&#62;", "after “drei”", "temperature 1.00"]) assert.ok(svg.includes(text), text);
  assert.ok(!/NaN|undefined|Infinity/.test(svg));
});
