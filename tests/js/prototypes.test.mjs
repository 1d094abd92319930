// The pure functions of the figure of three prototypes: its script of steps, its counts, its marks.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("prototypes");
const KINDS = js.KINDS.map(([kind]) => kind);
const src = ["forty", "two"], tgt = ["zwei", "und", "vier", "zig"];
const rows = [[0.1, 0.9], [0.5, 0.5], [0.9, 0.1], [1, 0]];
const data = (more = {}) => ({ src, tgt, at: (t, s) => rows[t][s], measured: true, ...more });
const say = (kind, step, more) => js.plain(js.sentence(kind, data(more), step));
const phases = (kind, n, m) => js.script(kind, n, m).map(({ phase, i, t }) => phase + (i || t || "")).join(" ");

test("the recurrent ones read word by word, hand on, then write; the Transformer reads at once", () => {
  assert.equal(phases("vector", 2, 3), "read1 read2 hand write1 write2 write3");
  assert.equal(phases("attention", 1, 1), "read1 hand write1");
  assert.equal(phases("transformer", 5, 2), "all write1 write2 train");
});

/** The shortest way along the drawn marks: boxes joined by edges whose ends are at them. */
function drawnWay(kind, n, t) {
  const words = (k) => Array.from({ length: k }, () => "w");
  const place = js.layout(700, words(n), words(t)), list = js.marks(kind, words(n), words(t), () => 1 / n, place);
  return list.filter((mark) => mark.d && js.onWay(mark, t)).length;
}

test("the way from x_1 to y_t is as long as it is drawn", () => {
  for (const [n, t] of [[1, 1], [2, 4], [5, 3], [12, 12]]) {
    assert.equal(js.wayLength("vector", n, t), n + t + 2);
    for (const kind of KINDS) assert.equal(drawnWay(kind, n, t), js.wayLength(kind, n, t), `${kind} ${n} ${t}`);
  }
});

test("what must wait: reading and training shrink to one step in the Transformer alone", () => {
  assert.deepEqual(js.waits("vector", 5, 7), { read: 5, write: 7, train: 7 });
  assert.deepEqual(js.waits("attention", 5, 7), { read: 5, write: 7, train: 7 });
  assert.deepEqual(js.waits("transformer", 5, 7), { read: 1, write: 7, train: 1 });
  assert.equal(js.wayToLast("attention", 5), 5);
  assert.equal(js.wayToLast("transformer", 5), 1);
});

test("the facts say the counts in words, singular where there is one", () => {
  const facts = (kind, n, m, step) => js.facts(kind, n, m, step).map(([what, how]) => `${what}: ${how}`);
  assert.deepEqual(facts("vector", 5, 7, 8), ["Way from x₁ to y₃: 10 arrows", "Reading: 5 steps, one after another",
    "Writing: 7 steps, one after another", "Writing in training: 7 steps, one after another"]);
  assert.deepEqual(facts("transformer", 5, 7, 8).slice(0, 2), ["Way from x₁ to y₇: 4 arrows", "Reading: 1 step, all words at once"]);
  assert.deepEqual(facts("vector", 1, 1, 0).slice(1), ["Reading: 1 step", "Writing: 1 step", "Writing in training: 1 step"]);
});

test("sentences say what is made, and from what", () => {
  assert.equal(say("vector", 0), "The encoder reads “forty” and makes h₁ from it.");
  assert.equal(say("vector", 1), "The encoder reads “two” and makes h₂ from it and h₁.");
  assert.equal(say("vector", 2), "Only the last state, h₂, is handed on, as the context c. The other one is thrown away.");
  assert.equal(say("vector", 3), "s₁ is made from c and the last word, “<sos>”, and the decoder says “zwei”. All it knows of the source is c.");
  assert.equal(say("attention", 2), "All 2 states are kept, h₁ to h₂. None is thrown away.");
  assert.equal(say("attention", 5), "The decoder looks back, most at “forty” (0.90), then at “two” (0.10). The mixture is c₃. s₃ is made from it, s₂ and “und”, and the decoder says “vier”.");
  assert.match(say("attention", 6), /most at “forty” \(1\.00\)\. The/);
  assert.match(say("attention", 3, { measured: false }), /\(Weights drawn by hand\.\)$/);
  assert.match(say("transformer", 0), /^All 2 words at once/);
  assert.match(say("transformer", 3), /from all 3 words so far, “<sos>” to “und”, and the decoder says “vier”/);
  assert.match(say("transformer", 5), /^In training the right answer is known/);
});

test("one word is no exception", () => {
  const one = { src: ["a"], tgt: ["b"], at: () => 1, measured: true };
  for (const kind of KINDS) {
    js.script(kind, 1, 1).forEach((_, step) => assert.ok(!/undefined|NaN/.test(js.plain(js.sentence(kind, one, step)))));
    assert.ok(!/undefined|NaN/.test(JSON.stringify(js.marks(kind, ["a"], ["b"], () => 1, js.layout(390, ["a"], ["b"])))));
  }
  assert.equal(js.plain(js.sentence("vector", one, 1)), "Only the last state, h₁, is handed on, as the context c.");
});

test("a switch of the prototype keeps the moment", () => {
  const n = 5, m = 7;
  assert.equal(js.sameMoment("vector", 8, "transformer", n, m), 3); // word 3
  assert.equal(js.sameMoment("transformer", 3, "attention", n, m), 8);
  assert.equal(js.sameMoment("vector", 2, "attention", n, m), 2);
  assert.equal(js.sameMoment("vector", 5, "attention", n, m), 5); // handing on
  for (const from of KINDS) for (const to of KINDS) {
    js.script(from, n, m).forEach((_, step) => {
      const found = js.sameMoment(from, step, to, n, m);
      assert.ok(found >= 0 && found < js.script(to, n, m).length, `${from} ${step} ${to}`);
      if (from === to) assert.equal(found, step);
    });
  }
});

test("each mark is future, then now, then past; what is thrown away is lost", () => {
  const list = js.marks("vector", src, tgt, () => 0.5, js.layout(700, src, tgt));
  const h1 = list.find((mark) => mark.label === "h₁");
  assert.deepEqual([0, 1, 2, 6].map((step) => js.status(h1, step)), ["now", "past", "lost", "lost"]);
  const s2 = list.find((mark) => mark.label === "s₂");
  assert.deepEqual([3, 4, 5].map((step) => js.status(s2, step)), ["future", "now", "past"]);
  for (const kind of KINDS) {
    const marks = js.marks(kind, src, tgt, () => 0.5, js.layout(700, src, tgt)), count = js.script(kind, 2, 4).length;
    assert.ok(marks.every((mark) => mark.born.every((step) => step >= 0 && step < count)));
    for (let step = 0; step < count; step++) assert.ok(marks.some((mark) => js.status(mark, step) === "now"), `${kind} ${step}`);
  }
});

test("in the Transformer's training step all words are made, and no line goes to an earlier word", () => {
  const place = js.layout(700, src, tgt), list = js.marks("transformer", src, tgt, () => 0.5, place);
  const boxes = list.filter((mark) => /^s/.test(mark.label || "") && mark.shape === "box");
  assert.ok(boxes.every((mark) => js.status(mark, 5) === "now"));
  const read = list.filter((mark) => mark.role === "target" && mark.d);
  assert.equal(read.length, 1 + 2 + 3 + 4);
  for (const { d } of read) {
    const [x1, , , , , , x2] = d.match(/[\d.]+/g).map(Number);
    assert.ok(x1 < x2, d);
  }
});

test("everything is drawn inside, at any width", () => {
  const twelve = Array.from({ length: 12 }, (_, i) => `word${i}`);
  for (const width of [280, 390, 700, 1200]) {
    for (const [a, b] of [[src, tgt], [["a"], ["b"]], [twelve, twelve], [twelve, ["b"]], [["a"], twelve]]) {
      const place = js.layout(width, a, b);
      assert.ok(place.W <= Math.min(width, 760));
      for (const kind of KINDS) {
        for (const mark of js.marks(kind, a, b, () => 1 / a.length, place)) {
          if (mark.shape === "box") assert.ok(mark.w > 0 && mark.x - mark.w / 2 >= 0 && mark.x + mark.w / 2 <= place.W, `${kind} ${width} ${mark.label}`);
        }
      }
    }
  }
});

test("saving paints what is shown: words said so far and no others", () => {
  const place = js.layout(700, src, tgt), list = js.marks("attention", src, tgt, (t, s) => rows[t][s], place);
  const colours = new Proxy({}, { get: (_, name) => `#${name}` }), out = [];
  const pen = { text: (x, y, text) => out.push(text), path: (d, fill, stroke) => out.push(`${fill} ${stroke}`), rect() {} };
  js.paint(pen, list, place, 4, colours, 2);
  for (const text of ["forty", "two", "zwei", "und", "s₂", "0.50"]) assert.ok(out.includes(text), text);
  assert.ok(!out.includes("vier") && !out.includes("0.90"));
  assert.equal(out.filter((text) => text === "none #ink").length, 4); // the marked way
});

test("the steps as CSV", () => {
  const lines = js.csv("vector", data({ tgt: ['a "b"'] })).trim().split("\r\n");
  assert.equal(lines.length, 1 + 2 + 1 + 1);
  assert.match(lines.at(-1), /^"4","s₁ is made from c .* says “a ""b""”\./);
});
