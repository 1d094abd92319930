// The pure functions of the alignment figure: run with `node --test tests/js/`.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("alignment");

const rows = [[0.9, 0.07, 0.03], [0.03, 0.07, 0.9], [0.01, 0.989, 0.0004]];
const data = (more = {}) => ({
  src: ["a", "b", "a"], tgt: ["x", "<eos>", "y"], step: 2,
  at: (t, s) => rows[t][s], isGold: (t, s) => t === 2 && s === 1, ...more,
});
const say = (lit, more) => js.spoken(js.sentence(data(more), lit));

test("packed bytes become thousandths, at any byte offset", () => {
  const at = (bytes, ...shape) => [...js.unpack(new DataView(new Uint8Array([9, 9, ...bytes]).buffer, 2), ...shape)];
  assert.deepEqual(at([0, 191, 255, 0xe8, 3], 1, 1, 2), [191, 1000]);
  assert.deepEqual(at([0, 194, 7, 192], 1, 2, 3), [0, 0, 0, 0, 7, 0]);
  assert.deepEqual(at([0, 1, 2, 3, 4], 2, 1, 2), [1, 3, 2, 4]); // sent cell by cell
  assert.deepEqual(at([1, 10, 3, 4, 192], 2, 1, 2), [5, 2, 3, 2]); // as changes
  assert.deepEqual(at([0], 1, 0, 2), []);
});

test("a wrong number of bytes is refused", () => {
  for (const bytes of [[], [7, 1, 1], [0, 1], [0, 1, 1, 1], [0, 195], [0, 1, 255, 1]]) {
    assert.throws(() => js.unpack(new Uint8Array(bytes), 1, 1, 2), /bytes of weights cannot hold 2 values/);
  }
});

test("blank and empty tokens are made visible", () => {
  assert.deepEqual(["", " ", "\n ", "a b"].map(js.visible), ["∅", "␣", "␣␣", "a b"]);
});

test("repeated tokens are numbered, others not", () => {
  const tokens = ["und", "x", "und", ...Array(11).fill("und")];
  assert.deepEqual([0, 1, 2, 3, 4, 11, 12].map((i) => js.ordinal(tokens, i)),
    ["1st", "", "2nd", "3rd", "4th", "11th", "12th"]);
});

test("a cell in words, with its gold link", () => {
  assert.equal(say([2, 1]), "“y” looks 0.989 at “b” — gold link.");
  assert.equal(say([0, 2]), "“x” looks 0.030 at “a” (2nd).");
});

test("a row names its two largest weights, unless the second is nothing", () => {
  assert.equal(say([0, -1]), "“x” looks most at “a” (1st) (0.900), then at “b” (0.070).");
  assert.equal(js.spoken(js.sentence(data({ src: ["a", "b"], at: (t, s) => 1 - s }), [0, -1])),
    "“x” looks most at “a” (1.000).");
});

test("a column counts only the words produced so far", () => {
  assert.equal(say([-1, 1]), "“b” is looked at most by “y” (0.989).");
  assert.equal(say([-1, 1], { step: 0 }), "“b” is looked at most by “x” (0.070).");
});

test("nothing lit means the step itself; a later word is not produced yet", () => {
  assert.equal(say(null, { step: 1 }), "Step 2 of 3: “<eos>” looks most at “a” (2nd) (0.900), then at “b” (0.070).");
  assert.equal(say([2, 0], { step: 1 }), "“y” is not produced yet: the decoder is at step 2 of 3.");
});

test("an empty target is said in words", () => {
  assert.match(say(null, { tgt: [], step: 0 }), /no target words/);
});

test("tokens stay separate parts, so that they are never parsed as HTML", () => {
  const parts = js.sentence(data({ tgt: ["<b>", "q", "r"] }), [0, 0]);
  assert.deepEqual(parts[0], { side: "tgt", text: "<b>" });
});

test("keys move inside the grid and its headers, never into the corner", () => {
  const from = (key, at, ctrl) => js.nextCell(key, at, 12, 4, ctrl);
  assert.deepEqual(from("ArrowDown", [0, 0]), [1, 0]);
  assert.deepEqual(from("ArrowUp", [0, 2]), [-1, 2]);
  assert.deepEqual(from("ArrowLeft", [3, 0]), [3, -1]);
  assert.deepEqual(from("ArrowUp", [0, -1]), [0, -1]);
  assert.deepEqual(from("ArrowLeft", [-1, 0]), [-1, 0]);
  assert.deepEqual(from("ArrowRight", [11, 3]), [11, 3]);
  assert.deepEqual([from("Home", [5, 2]), from("End", [5, 2])], [[5, 0], [5, 3]]);
  assert.deepEqual([from("Home", [5, 2], true), from("End", [5, 2], true)], [[0, 0], [11, 3]]);
  assert.deepEqual([from("PageDown", [2, 1]), from("PageDown", [9, 1])], [[7, 1], [11, 1]]);
  assert.deepEqual([from("PageUp", [8, 1]), from("PageUp", [2, 1]), from("PageUp", [-1, 1])], [[3, 1], [0, 1], [-1, 1]]);
  assert.equal(from("a", [0, 0]), null);
});

test("the largest values come first, ties in order", () => {
  assert.deepEqual(js.largest([0.2, 0.5, 0.2, 0.1], 3), [1, 0, 2]);
});

test("a figure fits its box, and scrolls only when cells would be too small", () => {
  const words = (n) => Array(n).fill("hundred");
  for (const [width, S] of [[700, 12], [700, 15], [358, 8], [700, 60]]) {
    const at = js.layout(width, words(S), words(5), false);
    assert.ok(at.row + at.cell * S + at.lean <= width, `${S} columns in ${width} px`);
  }
  assert.equal(js.layout(358, words(60), words(5), true).cell, 24);
  assert.equal(js.layout(700, [..."Tue 4 March"], [..."1997"], false).style, "flat");
});

test("the theme is the page's, then the system's", () => {
  const page = (html = {}, body = {}, className = "", attribute = null) =>
    [{ dataset: html, getAttribute: () => attribute }, { dataset: body, className }];
  assert.equal(js.themeOf(...page({ theme: "dark" }), false), "dark");
  assert.equal(js.themeOf(...page({ theme: "light" }), true), "light");
  assert.equal(js.themeOf(...page({}, { jpThemeLight: "false" }), false), "dark");
  assert.equal(js.themeOf(...page({}, {}, "vscode-dark"), false), "dark");
  assert.equal(js.themeOf(...page({}, {}, "", "dark"), false), "dark");
  assert.equal(js.themeOf(...page(), true), "dark");
});

test("keys move among the words of the flow, and across to the partner", () => {
  const partner = (t, s) => (t >= 0 ? 4 : 2);
  const from = (key, at, sideBySide = false) => js.nextWord(key, at, 3, 6, sideBySide, partner);
  assert.deepEqual([from("ArrowRight", [0, -1]), from("ArrowRight", [2, -1])], [[1, -1], [2, -1]]);
  assert.deepEqual([from("ArrowLeft", [-1, 5]), from("ArrowLeft", [-1, 0])], [[-1, 4], [-1, 0]]);
  assert.deepEqual([from("Home", [2, -1]), from("End", [-1, 0])], [[0, -1], [-1, 5]]);
  assert.deepEqual([from("ArrowUp", [1, -1]), from("ArrowUp", [-1, 3])], [[-1, 4], [-1, 3]]);
  assert.deepEqual([from("ArrowDown", [-1, 0]), from("ArrowDown", [1, -1])], [[2, -1], [1, -1]]);
  assert.deepEqual([from("ArrowDown", [0, -1], true), from("ArrowLeft", [0, -1], true)], [[1, -1], [-1, 4]]);
  assert.equal(from("a", [0, -1]), null);
  assert.deepEqual(js.nextWord("ArrowDown", [-1, 0], 0, 1, false, partner), [-1, 0]); // no target words
});

test("the colours run from low to high, evenly in lightness", () => {
  const colours = js.ramp("#c9b0ed", "#451a8b", 4);
  assert.deepEqual([colours.length, colours[0], colours[4]], [5, "#c9b0ed", "#451a8b"]);
  assert.equal(js.ramp("#000000", "#ffffff", 2)[1], "#636363"); // as color-mix(in oklab) has it
});

test("numbers as CSV, with commas, quotes and line ends in tokens", () => {
  assert.equal(js.csv({ src: ['a,"b"', "c"], tgt: ["x\ny"], at: (t, s) => [1 / 3, 2 / 3][s] }),
    'target \\ source,"a,""b""",c\n"x\ny",0.333,0.667\n');
});

test("a title becomes the name of a file", () => {
  assert.deepEqual(["Two & <three>", "../etc", "", "Übung 1"].map(js.fileName), ["two-three", "etc", "figure", "übung-1"]);
});

const colours = { ink: "#111111", muted: "#666666", source: "#0068a8", target: "#b84a00", attention: "#6b3fa0",
  gold: "#00785a", surface: "#ffffff", onHigh: "#ffffff", ramp: js.ramp("#c9b0ed", "#451a8b") };
function svg(view, more = {}, look = { lit: null, gold: false }) {
  const pen = js.svgPen(), it = data({ T: 3, S: 3, links: [[2, 1]], threshold: 0, title: "A & B", ...more });
  const { width, height, paint } = js.picture(it, view, look, colours, "step 3 of 3");
  paint(pen);
  return pen.markup(width, height, it.title, "in words");
}
const count = (text, part) => text.split(part).length - 1;

test("a picture holds every word, escaped, and names itself", () => {
  for (const view of ["matrix", "flow"]) {
    const text = svg(view);
    assert.match(text, /<title>A &#38; B<\/title><desc>in words<\/desc>/);
    assert.match(text, />&#60;eos&#62;<\/text>/);
    assert.equal(count(text, "<text "), 2 + 6 + (view === "matrix" ? 3 : 1)); // title, caption, words, numbers
    assert.ok(!/NaN|undefined|style=|<eos>/.test(text));
  }
});

test("only weights produced so far and above the threshold are painted", () => {
  const squares = (more) => count(svg("matrix", more), 'fill="#') - count(svg("matrix", { ...more, threshold: 1.1 }), 'fill="#');
  const numbers = (step) => Math.min(step + 1, 3); // the numbers in the squares from 0.6
  assert.equal(squares({ step: 2 }), 8 + numbers(2)); // 0.0004 is nothing
  assert.equal(squares({ step: 0 }), 3 + numbers(0));
  const ribbons = (more) => count(svg("flow", more), "M");
  assert.equal(ribbons({ step: 0 }), 3);
  assert.equal(ribbons({ step: 0, threshold: 0.5 }), 1);
  assert.equal(ribbons({ step: 1 }), 3 + 2); // of the other steps only those from 0.05
});

test("gold marks are shapes: frames, or dashes", () => {
  const gold = { lit: null, gold: true };
  assert.equal(count(svg("matrix", {}, gold), 'stroke="#00785a"'), 1);
  assert.equal(count(svg("flow", {}, gold), "stroke-dasharray"), 1);
});

test("pictures of nothing, of one word and of very many", () => {
  const many = (n) => ({ src: Array(n).fill("hundred"), tgt: Array(n).fill("hundert"), T: n, S: n, links: [], step: n - 1, at: () => 1 / n });
  for (const view of ["matrix", "flow"]) {
    for (const n of [1, 60]) assert.ok(!/NaN|Infinity/.test(svg(view, many(n))), `${n} words`);
    assert.ok(!/NaN|Infinity/.test(svg(view, { tgt: [], T: 0, step: 0, links: [] })));
  }
});

test("characters that XML forbids don't break a saved picture", () => {
  assert.equal(js.escaped("a\u0000\ud800<😀"), "a\ufffd\ufffd&#60;😀");
});
