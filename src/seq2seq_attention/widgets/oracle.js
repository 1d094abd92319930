// What would have been right: reads what the reader types for a model of the book, as its training
// data are written, and knows the answer. Pure functions; nothing here throws, whatever is typed.
//
// An oracle of a task has prepare(text), answer(tokens) and samples, from short to long. The ones
// for numbers and dates are here; oracle_grammar.js registers its own. A task without one has its
// words as typed and no answer. tests/test_oracle_js.py compares all with the package's Python.

const ORACLES = new Map();

/** Makes an oracle known under its task's name. */
export const registerOracle = (task, oracle) => ORACLES.set(task, oracle);

const plainOracle = {
  prepare: (text) => prepared(text.split(/\s+/u).filter(Boolean)),
  answer: () => null,
  samples: [],
};
const oracleOf = (task) => ORACLES.get(task) ?? plainOracle;

/** The result of prepare. `shown` is the text that the tokens say. */
export const prepared = (tokens, notes = [], shown = tokens.join(" ")) => ({ tokens, shown, notes, error: null });
export const refused = (error) => ({ tokens: [], shown: "", notes: [], error });

/** A piece of what was typed, short enough for a message. */
export function quoted(text, most = 24) {
  const all = Array.from(text);
  return `“${all.length > most ? `${all.slice(0, most).join("")}…` : text}”`;
}

const MOST_TYPED = 2000; // characters

/** {tokens, shown, notes, error}: the text as the model of this task reads it. */
export function prepare(task, text) {
  const typed = String(text ?? "").normalize("NFC");
  if (!/[^\s\p{C}]/u.test(typed)) return refused("Type something to translate, or choose an example.");
  if (typed.length > MOST_TYPED) return refused(`That is too long: ${typed.length} characters, and ${MOST_TYPED} are the most.`);
  return oracleOf(task).prepare(typed);
}

/** The right translation of these tokens, or null where there is none or nobody knows it. */
export const answer = (task, tokens) => oracleOf(task).answer([...tokens]);

/** A few texts to begin with, each longer than the one before. */
export const examples = (task) => [...oracleOf(task).samples];

/** The next longer text. Numbers: one of 1 to 23 words; else an example, the first after the last. */
export function longer(task, text) {
  const { samples, series = samples } = oracleOf(task);
  const size = (one) => prepare(task, one).tokens.length;
  const next = series.find((one) => size(one) > size(text));
  return next ?? (series === samples ? samples[0] : series.at(-1)) ?? String(text ?? "");
}

/** Of the known words the one spelt most like it, or "" if none is near. */
export function nearest(word, known) {
  const most = word.length < 3 ? 0 : Math.max(1, Math.floor(word.length / 3));
  let best = "", least = most + 1;
  if (word.length > 24) return best;
  for (const one of known) {
    const steps = editDistance(word, one);
    if (steps < least) [best, least] = [one, steps];
  }
  return best;
}

/** Letters to put in, drop, change or swap with their neighbour. */
function editDistance(a, b) {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, rows[i - 2][j - 2] + 1);
      rows[i].push(least);
    }
  }
  return rows[a.length][b.length];
}

/** "a, b or c" */
export const anyOf = (items) => (items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`);

// ---- numbers: data/numbers.py ----

const MOST_NUMBER = 10 ** 12 - 1, MOST_NUMBER_WORDS = 40; // with what is left out; 23 are enough
const SMALL_NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
  + "fifteen sixteen seventeen eighteen nineteen").split(" ");
const TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const GERMAN_NUMBERS = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(" ");
const GERMAN_STEMS = "- - - drei vier fünf sech sieb acht neun".split(" "); // sech-zehn, sieb-zig
const SCALES = [[1e9, "billion", ["Milliarde", "Milliarden"]], [1e6, "million", ["Million", "Millionen"]], [1e3, "thousand", ["tausend", "tausend"]]];
const SCALE_OF = new Map(SCALES.map(([scale, word]) => [word, scale]));
const VALUE_OF = new Map([...SMALL_NUMBERS.map((word, n) => [word, n]), ...TENS.slice(2).map((word, n) => [word, 10 * n + 20])]);
const NUMBER_WORDS = [...VALUE_OF.keys(), "hundred", ...SCALE_OF.keys(), "and"];
const GLUED = new RegExp([...NUMBER_WORDS].sort((a, b) => b.length - a.length).join("|"), "g");

/** A number in English words and German morphemes: {src, tgt}. */
function spellNumber(number) {
  const src = [], tgt = [];
  let rest = number;
  for (const [scale, word, nouns] of SCALES) {
    const value = Math.floor(rest / scale);
    rest %= scale;
    if (!value) continue;
    spellGroup(value, src, tgt, word === "thousand" ? "ein" : "eine");
    src.push(word);
    tgt.push(nouns[value > 1 ? 1 : 0]);
  }
  if (rest || !src.length) {
    if (src.length && rest < 100) src.push("and");
    spellGroup(rest, src, tgt, "eins");
  }
  return { src, tgt };
}

/** Below 1000; `lastOne` is the German for a bare 1. */
function spellGroup(value, src, tgt, lastOne) {
  const hundreds = Math.floor(value / 100), below = value % 100;
  if (value === 1) {
    src.push("one");
    tgt.push(lastOne);
    return;
  }
  if (hundreds) {
    src.push(SMALL_NUMBERS[hundreds], "hundred", ...(below ? ["and"] : []));
    tgt.push(hundreds === 1 ? "ein" : GERMAN_NUMBERS[hundreds], "hundert");
  }
  if (below || !hundreds) spellBelowHundred(below, src, tgt);
}

function spellBelowHundred(value, src, tgt) {
  const tens = Math.floor(value / 10), unit = value % 10;
  if (value < 20) src.push(SMALL_NUMBERS[value]);
  else src.push(TENS[tens], ...(unit ? [SMALL_NUMBERS[unit]] : []));
  if (value <= 12) tgt.push(GERMAN_NUMBERS[value]);
  else if (value < 20) tgt.push(GERMAN_STEMS[unit], "zehn");
  else {
    if (unit) tgt.push(unit === 1 ? "ein" : GERMAN_NUMBERS[unit], "und");
    tgt.push(...(tens === 2 ? ["zwanzig"] : [GERMAN_STEMS[tens], tens === 3 ? "ßig" : "zig"]));
  }
}

/** The number that words without "and" say, {number}, or {error}: which word doesn't fit. */
function readNumber(words) {
  if (words.length === 1 && words[0] === "zero") return { number: 0 };
  let total = 0, scaleBefore = Infinity, group = 0, room = 1000; // the next value is below room
  const many = () => group > 10 && group < 100 && group % 10 > 0 && scaleBefore > 1e9; // fifteen hundred
  const takesHundred = () => room !== 100 && ((group > 0 && group < 10) || many());
  const takesScale = (scale) => group > 0 && group < 1000 && scale < scaleBefore;
  const misfit = (word, k) => {
    const next = [...(room > 10 ? ["one … ninety"] : room > 1 ? ["one … nine"] : []), ...(takesHundred() ? ["hundred"] : [])];
    for (const [scale, name] of [...SCALES].reverse()) if (takesScale(scale)) next.push(name);
    if (k) next.push("the end");
    const here = k ? `can't follow ${quoted(words[k - 1])}` : "can't come first";
    return { error: `${quoted(word)} ${here}. What can: ${anyOf(next)}.` };
  };
  for (const [k, word] of words.entries()) {
    const value = VALUE_OF.get(word), scale = SCALE_OF.get(word);
    if (value === 0) return { error: "“zero” must stand alone." };
    if (value && value < room) {
      group += value;
      room = value >= 20 ? 10 : 1;
    } else if (word === "hundred" && takesHundred()) {
      group *= 100;
      room = 100;
    } else if (scale && takesScale(scale)) {
      total += group * scale;
      [scaleBefore, group, room] = [scale, 0, 1000];
    } else return misfit(word, k);
  }
  return { number: total + group };
}

/** Digits as people group them, or null if it's not digits alone. */
function readDigits(text) {
  if (!/^\d+$/.test(text) && !/^\d{1,3}(?:([,\s'’_])\d{3})(?:\1\d{3})*$/u.test(text)) return null;
  const digits = text.replace(/\D/g, "").replace(/^0+(?=\d)/, "");
  return digits.length > 12 ? Infinity : Number(digits);
}

function prepareNumber(typed) {
  const text = typed.normalize("NFKC").replace(/\p{Cf}/gu, "").trim();
  const tooBig = () => refused(`The model reads numbers from 0 to ${MOST_NUMBER.toLocaleString("en-US")}; ${quoted(text)} is bigger.`);
  if (/^[-−–]\s*[\d.]|^(?:minus|negative)\s/iu.test(text)) return refused(`${quoted(text)} is negative. The model reads whole numbers from 0 on.`);
  const whole = readDigits(text);
  if (whole === Infinity) return tooBig();
  if (whole !== null) return prepared(spellNumber(whole).src, [`${quoted(text)} spelled out`]);
  if (/\d[.,]\d|\bpoint\b/iu.test(text) && !/\d,\d{3}(?!\d)/.test(text)) return refused(`${quoted(text)} is not a whole number. Write it without a decimal point.`);
  const words = text.toLowerCase().replace(/\p{Pd}/gu, " ").split(/(?:\s|,(?!\d{3}(?!\d)))+/u).map((word) => word.replace(/[.;:!?]+$/u, "")).filter(Boolean);
  if (words.length > MOST_NUMBER_WORDS) return refused(`That is ${words.length} words; the longest number the model reads has 23.`);
  return prepareNumberWords(words, text);
}

function prepareNumberWords(words, text) {
  const said = [], notes = [];
  for (const [k, word] of words.entries()) {
    const whole = readDigits(word), glued = word.match(GLUED);
    if (whole !== null && whole <= MOST_NUMBER) {
      said.push(...spellNumber(whole).src);
      notes.push(`${quoted(word)} spelled out`);
    } else if (word === "a" && (words[k + 1] === "hundred" || SCALE_OF.has(words[k + 1]))) {
      said.push("one");
      notes.push("“a” read as “one”");
    } else if (k === 0 && (word === "hundred" || SCALE_OF.has(word))) {
      said.push("one", word);
      notes.push("“one” put in");
    } else if (glued && glued.join("") === word) {
      said.push(...glued);
      if (glued.length > 1) notes.push(`${quoted(word)} taken apart`);
    } else return refused(unknownNumberWord(word));
  }
  const values = said.filter((word) => word !== "and");
  if (!values.length) return refused(text ? `${quoted(text)} has no number word. Try “forty two” or 42.` : "Type a number, such as forty two or 42.");
  const { number, error } = readNumber(values);
  if (error) return refused(`That is no number: ${error}`);
  const tokens = spellNumber(number).src, ands = (list) => list.length - list.filter((word) => word !== "and").length;
  if (values.join() !== tokens.filter((word) => word !== "and").join()) notes.push(`said as ${quoted(tokens.join(" "), 200)}`);
  else if (ands(tokens) > ands(said)) notes.push("“and” put in");
  else if (ands(tokens) < ands(said)) notes.push("“and” left out");
  else if (tokens.join() !== said.join()) notes.push("“and” moved");
  if (/\p{L}\p{Pd}\p{L}/u.test(text)) notes.push("hyphens left out");
  if (text.includes(",")) notes.push("commas left out");
  return prepared(tokens, [...new Set(notes)]);
}

function unknownNumberWord(word) {
  const near = nearest(word, NUMBER_WORDS);
  const hint = near ? `Did you mean “${near}”?` : "It knows English number words, such as forty two, or digits, such as 42.";
  return `The model doesn't know ${quoted(word)}. ${hint}`;
}

registerOracle("numbers", {
  prepare: prepareNumber,
  answer: (tokens) => {
    const words = tokens.filter((word) => word !== "and");
    const { number } = words.length ? readNumber(words) : {};
    return number === undefined ? null : spellNumber(number).tgt;
  },
  samples: ["seven", "forty two", "one thousand and one", "327", "three hundred and twenty seven thousand", "1,982,645,327"],
  // one of each number of words, from 1 to 23
  series: [7, 27, 27000, 307, 327, 327000, 5327, 45327, 2005327, 605327, 645327, 2605327, 2645327, 82645327, 1002645327, 902645327,
    982645327, 1902645327, 1982645327, 71982645327, 701902645327, 701982645327, 771982645327].map((number) => spellNumber(number).src.join(" ")),
});

// ---- dates: data/dates.py ----

// written by oracle_tables.py: dates
const MONTH_NAMES = [
  "ene enero gen gennaio jan janeiro januar januari january január janv janvier sty stycznia",
  "feb febbraio febr febrero februar februari february február fev fevereiro févr février lut lutego",
  "maart mar marca march mars marts marzo março mrt márc március märz",
  "abr abril apr april aprile avr avril kwi kwietnia ápr április",
  "mag maggio mai maio maj maja may mayo mei máj május",
  "cze czerwca giu giugno juin jun june junho juni junio jún június",
  "juil juillet jul julho juli julio july júl július lip lipca lug luglio",
  "ago agosto août aug august augusti augustus augusztus sie sierpnia",
  "sep sept september septembre septiembre set setembro settembre szept szeptember wrz września",
  "oct october octobre octubre okt oktober október ott ottobre out outubro paź października",
  "lis listopada nov november novembre novembro noviembre",
  "dec december dez dezember dezembro dic dicembre diciembre déc décembre gru grudnia",
];
const DAY_NAMES = [
  "h hétfő lun lundi lunedì lunes ma maandag man mandag mo mon monday montag mån måndag pon poniedziałek seg segunda",
  "di dienstag dinsdag k kedd mar mardi martedì martes ter terça tirs tirsdag tis tisdag tue tuesday wt wtorek",
  "mer mercoledì mercredi mi mittwoch mié miércoles ons onsdag qua quarta sze szerda wed wednesday wo woensdag śr środa",
  "cs csütörtök czw czwartek do donderdag donnerstag gio giovedì jeu jeudi jue jueves qui quinta thu thursday tors torsdag",
  "fr fre fredag freitag fri friday p piątek pt péntek sex sexta ven vendredi venerdì vie viernes vr vrijdag",
  "lör lördag lør lørdag sa sab sabato sam samedi samstag sat saturday sob sobota szo szombat sáb sábado za zaterdag",
  "dim dimanche dom domenica domingo niedz niedziela so sonntag sun sunday sön söndag søn søndag v vasárnap zo zondag",
];
// end

const MOST_DATE = 60;
const MONTH_OF = new Map(MONTH_NAMES.flatMap((names, m) => names.split(" ").map((name) => [name, m + 1])));
const DAY_OF = new Map(DAY_NAMES.flatMap((names, d) => names.split(" ").map((name) => [name, d])));
const BETWEEN_DATES = new Set(["de", "den", "feira", "of", "the"]);
const ENGLISH_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");

/** The month that the words name and the weekday, if any; null if they say something else too. */
function monthAndDay(words) {
  if (words.length === 1) return MONTH_OF.has(words[0]) ? { month: MONTH_OF.get(words[0]), weekday: null } : null;
  if (words.length !== 2) return null;
  for (const [day, month] of [words, [words[1], words[0]]]) { // "mar" is Tuesday or March
    if (DAY_OF.has(day) && MONTH_OF.has(month)) return { month: MONTH_OF.get(month), weekday: DAY_OF.get(day) };
  }
  return null;
}

/** A written date as {iso, notes}, or {iso: null, notes}: why no answer is right. */
function readDate(text) {
  const bare = text.toLowerCase().replace(/(\d)(?:st|nd|rd|th|er|e|:[ae]|\.?º)(?!\p{L})/gu, "$1 ");
  const none = (why) => ({ iso: null, notes: [why] });
  const numbers = bare.match(/\d+/g) ?? [], words = (bare.match(/\p{L}+/gu) ?? []).filter((word) => !BETWEEN_DATES.has(word));
  const unknown = words.find((word) => !MONTH_OF.has(word) && !DAY_OF.has(word));
  if (unknown) {
    const near = nearest(unknown, [...MONTH_OF.keys(), ...DAY_OF.keys()]);
    return none(`${quoted(unknown)} is no month or weekday in the data's languages${near ? ` (${quoted(near)} is)` : ""}, so no answer is known.`);
  }
  const named = monthAndDay(words);
  if (!named) return none("The data name the month in letters, once, as in 4 March 2021, so no answer is known here.");
  const year = numbers.find((digits) => /^[1-9]\d{3}$/.test(digits)), day = numbers.find((digits) => digits.length < 3);
  if (numbers.length !== 2 || !year || !day) return none("The data give a day and all four digits of the year, so no answer is known here.");
  const date = new Date(Date.UTC(+year, named.month - 1, +day));
  if (date.getUTCDate() !== +day || +day === 0) return none(`There is no day ${+day} in month ${named.month} of ${year}, so no answer is right.`);
  const weekday = (date.getUTCDay() + 6) % 7, notes = [];
  if (named.weekday !== null && named.weekday !== weekday) notes.push(`That day is a ${ENGLISH_DAYS[weekday]}, not a ${ENGLISH_DAYS[named.weekday]}; the answer goes by the date.`);
  if (+year < 1900 || +year > 2099) notes.push("The data's years are 1900 to 2099.");
  return { iso: date.toISOString().slice(0, 10), notes };
}

function prepareDate(typed) {
  const spaced = typed.replace(/\s+/gu, " ").replace(/\p{Cf}/gu, "").trim();
  const text = spaced.replace(/°/gu, "º").replace(/[‐‑‒–—−]/gu, "-");
  const tokens = Array.from(text);
  if (tokens.length > MOST_DATE) return refused(`That is ${tokens.length} characters; a date has at most ${MOST_DATE}.`);
  const notes = text === spaced ? [] : [`read as ${quoted(text, MOST_DATE)}`];
  return prepared(tokens, [...notes, ...readDate(text).notes], text);
}

registerOracle("dates", {
  prepare: prepareDate,
  answer: (tokens) => {
    const { iso } = readDate(tokens.join(""));
    return iso === null ? null : Array.from(iso);
  },
  samples: ["4 Mar 2021", "1er avril 1999", "July 20th, 1969", "14 de julho de 2014", "2021. szeptember 1., szerda", "Donnerstag, 9. November 1989"],
});
