// What RecurrentView says and where it draws, from numbers alone.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("recurrent");
const TOKENS = ["three", "hundred", "and"], S = 3, H = 2;
const STATES = [500, -100, 490, 800, -200, 800]; // unit 0: 0.5, 0.49, −0.2; unit 1: −0.1, 0.8, 0.8
const BACKWARD = [100, 200, 300, 400, 500, 600];
const read = (more = {}) => js.reader({ tokens: TOKENS, S, H, states: STATES, backward: null, reset: null, update: null, ...more });
const packed = (numbers) => new DataView(Int16Array.from(numbers).buffer);

test("bytes become thousandths, and a wrong number of them is refused", () => {
  assert.deepEqual([...js.thousandths(packed(STATES), 6)], STATES);
  assert.equal(js.thousandths(new DataView(new ArrayBuffer(0)), 6), null);
  assert.throws(() => js.thousandths(packed(STATES), 5), /12 bytes cannot hold 5/);
});

test("each state is compared with the one before it, the first with zero", () => {
  const data = read();
  assert.deepEqual([0, 1, 2].map((i) => data.before(i, 1)), [0, -0.1, 0.8]);
  assert.deepEqual(data.change.map((c) => c.toFixed(3)), ["0.510", "0.900", "0.690"]);
});

test("a backward reader starts at the last word", () => {
  const data = read({ backward: BACKWARD });
  data.reading = "backward";
  data.step = 1;
  assert.equal(data.now, 1);
  assert.deepEqual([0, 1, 2].map(data.read), [false, true, true]);
  assert.deepEqual([data.before(2, 0), data.before(1, 0)], [0, 0.5]);
  assert.equal(js.spoken(js.sentence(data, null)), "Backward, h₂ has read “and hundred”. Unit 0 is 0.300, was 0.500 before “hundred”. The whole state moved by 0.28.");
});

test("units are ordered by the word at which they change most, ties by number", () => {
  const data = read(); // unit 0 turns at the third word, unit 1 at the second
  assert.deepEqual(data.turns, [2, 1]);
  assert.deepEqual(data.rows, [0, 1]);
  data.order = "change";
  assert.deepEqual(data.rows, [1, 0]);
  const still = js.reader({ tokens: TOKENS, S, H, states: [0, 0, 0, 0, 0, 0] });
  still.order = "change";
  assert.deepEqual(still.rows, [0, 1]);
});

test("the sentence tells what was read, the number and what it was", () => {
  const data = read();
  data.final = true;
  const say = (lit) => js.spoken(js.sentence(data, lit));
  assert.equal(say(null), "h₃ = c has read “three hundred and”. Unit 0 is −0.200, was 0.490 before “and”. The whole state moved by 0.69.");
  assert.equal(say({ i: 0, u: 1 }), "h₁ has read “three”. Unit 1 is −0.100, was 0.000 at the start. The whole state moved by 0.51.");
  data.step = 0;
  assert.equal(say({ i: 2, u: 1 }), "“and” has not been read yet: the encoder is at “three”.");
});

test("gates are told as what they do", () => {
  const data = read({ reset: [100, 200, 300, 400, 500, 600], update: [900, 100, 250, 0, 1000, 500] });
  data.shows = "update";
  assert.equal(js.spoken(js.sentence(data, { i: 1, u: 0 })),
    "Reading “hundred”, the update gate z₂ of unit 0 is 0.250: 0.250 of its old value 0.500 stays, 0.750 of the new candidate comes in.");
  data.shows = "reset";
  assert.match(js.spoken(js.sentence(data, null)), /^Reading “and”, the reset gate r₃ of unit 0 is 0.500: that much/);
});

test("numbers have a real minus, never minus zero; long phrases lose their middle", () => {
  assert.deepEqual([-0.5, 0.5, -0.0001, 0].map((v) => js.figures(v)), ["−0.500", "0.500", "0.000", "0.000"]);
  assert.equal(js.indexed("h", 120), "h₁₂₀");
  assert.equal(js.phrase(["a", "", "c"]), "a ∅ c");
  assert.equal(js.phrase([..."abcdefgh"]), "a b … e f g h");
});

test("everything fits its width, or the map scrolls", () => {
  for (const width of [358, 736]) {
    for (const [count, units] of [[1, 1], [6, 128], [60, 128], [60, 4]]) {
      const g = js.layout(width, Array(count).fill("hundred"), units, width < 400);
      assert.ok(g.gutter + g.room + g.gap + g.strip <= width, `${width} ${count}`);
      assert.ok(g.row >= 2 && g.row * units <= 390 && g.col >= 9);
      assert.ok(g.words < g.change && g.change < g.map && g.map + units * g.row < g.trace);
    }
  }
});

test("CSV has a line a unit, quotes what needs it, and ends with the change", () => {
  const data = read();
  data.tokens = ['a,"b"', "hundred", "and"];
  assert.equal(js.csv(data).split("\n")[0], 'unit of h,"a,""b""",hundred,and');
  assert.equal(js.csv(data).split("\n")[1], "0,0.500,0.490,-0.200");
  assert.equal(js.csv(data).split("\n")[3], "change of the state,0.510,0.900,0.690");
});

test("a negative bar lies left of the middle, a positive one right; unread words have none", () => {
  const data = read(), c = { ink: "ink", muted: "muted", source: "source", target: "neg", attention: "pos", encoder: "enc" };
  data.step = 1;
  const g = js.layout(600, TOKENS, H, false), bars = [];
  js.drawMap({ rect: (x, y, w, t, fill) => bars.push({ x, w, fill }), frame() {}, text() {} }, data, g, 0, c);
  const middle = (i) => i * g.col + (g.col - 1) / 2;
  const left = bars.filter((b) => b.fill === "neg"), right = bars.filter((b) => b.fill === "pos");
  assert.deepEqual([left.length, right.length], [1, 3]);
  assert.ok(Math.abs(left[0].x + left[0].w - middle(0)) < 1e-9);
  assert.ok(Math.abs(right[0].x - middle(0)) < 1e-9 && Math.abs(right[0].w - 5 * left[0].w) < 1e-9);
});

test("the saved picture is whole and shows names as text", () => {
  const data = read();
  data.title = "<b>";
  const c = Object.fromEntries(["ink", "muted", "source", "target", "attention", "encoder", "surface"].map((n) => [n, "#000000"]));
  const { width, height, paint } = js.picture(data, c), pen = js.svgPen();
  paint(pen);
  const svg = pen.markup(width, height, data.title, "d");
  assert.match(svg, /&#60;b&#62;/);
  for (const token of TOKENS) assert.ok(svg.includes(`>${token}<`));
  assert.ok(!/NaN|undefined|Infinity/.test(svg));
});
