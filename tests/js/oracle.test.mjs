// oracle.js: what readers may type, and what they are told. tests/test_oracle_js.py compares the
// answers with the package's. That no name clashes with base.js and forward.js, translator.test.mjs
// says: it loads all of them as one module.
import assert from "node:assert/strict";
import test from "node:test";

import { load } from "./load.mjs";

const js = await load("oracle_grammar"); // and oracle.js, which it imports

const TASKS = ["numbers", "dates", "grammar-de", "grammar-fr", "reverse"];
const words = (task, text) => {
  const { tokens, error } = js.prepare(task, text);
  assert.equal(error, null, text);
  return tokens.join(" ");
};
const refuses = (task, text, reason) => {
  const { tokens, error } = js.prepare(task, text);
  assert.match(error ?? "no error", reason, text);
  assert.deepEqual(tokens, []);
};

test("digits are spelled out, however they are grouped", () => {
  const said = "three hundred and twenty seven thousand";
  for (const text of ["327000", "327,000", "327 000", "327\u202f000", "327\u00a0000", "327'000", "327’000", "0327000", "３２７０００", " 327000\n"]) {
    assert.equal(words("numbers", text), said, text);
  }
  assert.deepEqual(js.prepare("numbers", "327").notes, ["“327” spelled out"]);
  assert.equal(words("numbers", "0"), "zero");
  assert.equal(words("numbers", "3 million"), "three million");
  assert.equal(words("numbers", "327,000 and 5"), "three hundred and twenty seven thousand and five");
});

test("words may be written in many ways", () => {
  for (const text of ["Three Hundred and Twenty-Seven", "three hundred twenty seven", "three hundred and twentyseven.", "THREE HUNDRED AND TWENTY AND SEVEN", "three\u00a0hundred,\u2003and twenty\u2011seven"]) {
    assert.equal(words("numbers", text), "three hundred and twenty seven", text);
  }
  assert.equal(words("numbers", "a hundred"), "one hundred");
  assert.equal(words("numbers", "thousand and one"), "one thousand and one");
  assert.equal(words("numbers", "nineteen hundred and five"), "one thousand nine hundred and five");
  assert.deepEqual(js.prepare("numbers", "two thousand five").notes, ["“and” put in"]);
  assert.deepEqual(js.prepare("numbers", "two and thousand and five").notes, ["“and” left out"]);
  assert.deepEqual(js.prepare("numbers", "two thousand and five"), { tokens: ["two", "thousand", "and", "five"], shown: "two thousand and five", notes: [], error: null });
});

test("what is no number of the data says why", () => {
  for (const [text, reason] of [
    ["fourty two", /know “fourty”. Did you mean “forty”/], ["two two hundred", /“two” can't follow “two”. What can: hundred, thousand/],
    ["two hundred hundred", /“hundred” can't follow “hundred”/], ["five thousand million", /“million” can't follow “thousand”/],
    ["twenty eleven", /“eleven” can't follow “twenty”. What can: one … nine/], ["zero five", /“zero” must stand alone/], ["five zero", /“zero”/],
    ["1,234 million", /“million” can't follow “four”/], ["five ,,, 1000000000000", /know “1000000000000”/], ["0 million", /“zero” must/], ["-5", /negative/], ["minus five", /negative/], ["3.5", /decimal/], ["3,5", /decimal/], ["three point five", /decimal/], ["1e5", /know “1e5”/],
    ["1000000000000", /from 0 to 999,999,999,999/], ["9".repeat(500), /bigger/], ["and", /no number word/], ["🙂", /know “🙂”/], ["<b>two</b>", /“<b>two<\/b>”/],
    ["", /Type/], [" \u200b\n", /Type/], [null, /Type/], ["one ".repeat(50), /50 words/], ["½", /know/], ["x".repeat(999), /know “x{24}…”/],
    [`one${" ".repeat(1e5)}two`, /too long: 100006 characters, and 2000/],
  ]) refuses("numbers", text, reason);
});

test("tokens that say no number have no answer", () => {
  assert.equal(js.answer("numbers", ["two", "two"]), null);
  assert.equal(js.answer("numbers", []), null);
  assert.equal(js.answer("numbers", ["and"]), null);
  assert.equal(js.answer("reverse", ["a"]), null);
});

test("longer numbers have 1, 2 … 23 words, then no more", () => {
  let text = "";
  for (let n = 1; n <= 23; n++) {
    text = js.longer("numbers", text);
    assert.equal(words("numbers", text).split(" ").length, n);
  }
  assert.equal(js.longer("numbers", text), text);
  assert.equal(words("numbers", js.longer("numbers", "999")).split(" ").length, 6);
});

test("examples grow, are understood as they are, and have an answer", () => {
  for (const task of TASKS) {
    const samples = js.examples(task), sizes = samples.map((text) => js.prepare(task, text).tokens.length);
    assert.ok(task === "reverse" || samples.length >= 4);
    assert.deepEqual(sizes, [...new Set(sizes)].sort((a, b) => a - b));
    for (const text of samples) assert.ok(js.answer(task, js.prepare(task, text).tokens)?.length, text);
    if (task !== "numbers") samples.forEach((text, k) => assert.equal(js.longer(task, text), samples[(k + 1) % samples.length]));
  }
});

test("dates: any way of the data, small letters or capitals", () => {
  for (const [text, iso] of [
    ["4 march 2021", "2021-03-04"], ["THURSDAY, MARCH 4, 2021", "2021-03-04"], ["1° marzo 2021", "2021-03-01"], ["the 4th of March 2021", "2021-03-04"],
    ["mar. 2 mars 2021", "2021-03-02"], ["mar 2 mar 2021", "2021-03-02"], ["1-sept.-2021", "2021-09-01"], ["29 Feb 2000", "2000-02-29"], ["2021\u202f. szept. 1., Sze", "2021-09-01"],
    ["12\u00a0août  2021", "2021-08-12"], ["1 septembre\u0301 2021".replace("\u0301", ""), "2021-09-01"], ["1 fe\u0301vrier 2021", "2021-02-01"],
  ]) {
    const { tokens, shown, error } = js.prepare("dates", text);
    assert.equal(error, null);
    assert.equal(tokens.join(""), shown);
    assert.equal(js.answer("dates", tokens)?.join(""), iso, text);
  }
});

test("dates: no right answer, and the note says why", () => {
  for (const [text, reason] of [
    ["31 February 2021", /no day 31/], ["29 Feb 1900", /no day 29/], ["0 May 2021", /no day 0/], ["4 Mar 21", /four digits/], ["03/04/2021", /month in letters/],
    ["4 5 May 2021", /four digits/], ["May 2021", /four digits/], ["4 Marhc 2021", /“march” is/], ["hello", /“hello” is no month/], ["4 May June 2021", /month in letters/],
  ]) {
    const { tokens, notes, error } = js.prepare("dates", text);
    assert.equal(error, null);
    assert.match(notes.join(), reason, text);
    assert.equal(js.answer("dates", tokens), null);
  }
  assert.match(js.prepare("dates", "Mon, 4 March 2021").notes.join(), /a Thursday, not a Monday/);
  assert.match(js.prepare("dates", "4 March 1492").notes.join(), /1900 to 2099/);
  refuses("dates", "4 March 2021 ".repeat(9), /at most 60/);
});

test("sentences may be written in many ways", () => {
  for (const text of ["The queen does not read this old book.", "the queen doesn't read this old book", "THE QUEEN DOESN’T\u00a0READ  this old book !"]) {
    assert.equal(words("grammar-fr", text), "the queen does not read this old book");
  }
  assert.deepEqual(js.prepare("grammar-de", "they're happy").notes, ["“they're” read as “they are”"]);
  const { tokens, shown } = js.prepare("grammar-de", "if he sleeps,she sings");
  assert.deepEqual([tokens.join(" "), shown], ["if he sleeps , she sings", "if he sleeps, she sings"]);
  assert.equal(js.answer("grammar-de", tokens).join(" "), "wenn er schläft , singt sie");
  assert.equal(js.answer("grammar-fr", tokens).join(" "), "s' il dort , elle chante");
});

test("unknown words are refused; known words that are no sentence have no answer", () => {
  for (const [text, reason] of [
    ["the quene sleeps", /know “quene”. Did you mean “queen”/], ["the elephant sleeps", /know “elephant”. It knows \d+ words/], ["he sleeps. she sings", /one sentence/],
    ["<script>he</script>", /know “<script>/], [",", /Type a sentence/], ["...", /Type a sentence/], ["he ".repeat(61), /61 words/], ["the constructor sleeps", /know “constructor”/],
  ]) refuses("grammar-de", text, reason);
  for (const [text, reason] of [
    ["he sleep", /word 2 should be “sleeps”, not “sleep”/], ["a apple sleeps", /word 1 should be “an”/], ["the queen", /word 3 should be a verb, but the sentence ends/],
    ["she does not hope that he sings", /“hope” can't be negated/], ["he sleeps the", /word 3, “the”, does not fit/], ["a men sing", /wrong number/],
    ["the red old book sleeps", /can't stand in this order/], ["he goes", /word 3 should be “to”/], ["she is", /an adjective or a place/],
  ]) {
    const { tokens, notes, error } = js.prepare("grammar-fr", text);
    assert.equal(error, null);
    assert.match(notes.join(), reason, text);
    assert.equal(js.answer("grammar-fr", tokens), null);
  }
  assert.equal(js.answer("grammar-de", Array(5000).fill("the man of".split(" ")).flat()), null);
});

test("another task has its words as typed", () => {
  assert.deepEqual(js.prepare("reverse", " a\tB  <i> "), { tokens: ["a", "B", "<i>"], shown: "a B <i>", notes: [], error: null });
  refuses("reverse", "  ", /Type/);
  assert.deepEqual(js.examples("reverse"), []);
});

test("nothing that is typed throws", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const bits = ["one", "hundred", "and", "zero", "thousand", "a", "1", "000", ",", ".", "-", " ", " ", " ", "\u00a0", "\u0301", "🙂", "\ud83d", "\ude42", "<", "&", "\u200f", "März", "4", "2021", "May",
    "the", "man", "sees", "that", "who", "of", ",", "does", "not", "he", "is", "often", "today", "because", "__proto__", "constructor", "\\", "(", "\0"];
  for (let k = 0; k < 10_000; k++) {
    const space = random(2) ? " " : "";
    const text = Array.from({ length: random(30) }, () => (random(9) ? bits[random(bits.length)] : String.fromCharCode(random(65536)))).join(space);
    const task = TASKS[k % TASKS.length], { tokens, shown, notes, error } = js.prepare(task, text);
    assert.ok(error === null ? tokens.length > 0 && typeof shown === "string" : error.length > 0 && error.length < 600, text);
    assert.ok(notes.every((note) => typeof note === "string"));
    const right = js.answer(task, error === null ? tokens : text.split(" "));
    assert.ok(right === null || right.length > 0);
    assert.equal(typeof js.longer(task, text), "string");
  }
});
