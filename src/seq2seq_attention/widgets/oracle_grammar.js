// The oracle of the grammar's sentences, a file of its own, since its words are many: finds the tree
// that an English sentence says and says it in German or French, as data/parse.py, english.py,
// german.py and french.py do. A figure that imports it knows the tasks grammar-de and grammar-fr.
import { nearest, prepared, quoted, refused, registerOracle } from "./oracle.js";

// written by oracle_tables.py: grammar
const NOUN_ROWS = `
man men 1 m homme hommes 1 m Mann Männer Mannes
woman women 1 f femme femmes 0 f Frau Frauen Frau
child children 1 m enfant enfants 1 n Kind Kinder Kindes
boy boys 1 m garçon garçons 0 m Junge Jungen Jungen
girl girls 1 f fille filles 0 n Mädchen Mädchen Mädchens
teacher teachers 1 m professeur professeurs 0 m Lehrer Lehrer Lehrers
doctor doctors 1 m médecin médecins 0 m Arzt Ärzte Arztes
queen queens 1 f reine reines 0 f Königin Königinnen Königin
brother brothers 1 m frère frères 0 m Bruder Brüder Bruders
sister sisters 1 f sœur sœurs 0 f Schwester Schwestern Schwester
hero heroes 1 m héros héros 0 m Held Helden Helden
student students 1 m étudiant étudiants 1 m Student Studenten Studenten
dog dogs 0 m chien chiens 0 m Hund Hunde Hundes
cat cats 0 m chat chats 0 f Katze Katzen Katze
bird birds 0 m oiseau oiseaux 1 m Vogel Vögel Vogels
horse horses 0 m cheval chevaux 0 n Pferd Pferde Pferdes
bear bears 0 m ours ours 1 m Bär Bären Bären
cow cows 0 f vache vaches 0 f Kuh Kühe Kuh
book books 0 m livre livres 0 n Buch Bücher Buches
letter letters 0 f lettre lettres 0 m Brief Briefe Briefes
newspaper newspapers 0 m journal journaux 0 f Zeitung Zeitungen Zeitung
apple apples 0 f pomme pommes 0 m Apfel Äpfel Apfels
cake cakes 0 m gâteau gâteaux 0 m Kuchen Kuchen Kuchens
orange oranges 0 f orange oranges 1 f Orange Orangen Orange
door doors 0 f porte portes 0 f Tür Türen Tür
window windows 0 f fenêtre fenêtres 0 n Fenster Fenster Fensters
box boxes 0 f boîte boîtes 0 f Kiste Kisten Kiste
tree trees 0 m arbre arbres 1 m Baum Bäume Baumes
table tables 0 f table tables 0 m Tisch Tische Tisches
car cars 0 f voiture voitures 0 n Auto Autos Autos
garden gardens 0 m jardin jardins 0 m Garten Gärten Gartens
school schools 0 f école écoles 1 f Schule Schulen Schule
city cities 0 f ville villes 0 f Stadt Städte Stadt
museum museums 0 m musée musées 0 n Museum Museen Museums
hospital hospitals 0 m hôpital hôpitaux 1 n Krankenhaus Krankenhäuser Krankenhauses
church churches 0 f église églises 1 f Kirche Kirchen Kirche
`;
const ADJECTIVE_ROWS = `
small 1 petit petite petits petites petit klein klein
big 1 grand grande grands grandes grand groß groß
beautiful 1 beau belle beaux belles bel schön schön
old 1 vieux vieille vieux vieilles vieil alt alt
young 1 jeune jeune jeunes jeunes jeune jung jung
new 1 nouveau nouvelle nouveaux nouvelles nouvel neu neu
red 0 rouge rouge rouges rouges rouge rot rot
green 0 vert verte verts vertes vert grün grün
white 0 blanc blanche blancs blanches blanc weiß weiß
black 0 noir noire noirs noires noir schwarz schwarz
tired 0 fatigué fatiguée fatigués fatiguées fatigué müde müd
happy 0 heureux heureuse heureux heureuses heureux glücklich glücklich
expensive 0 cher chère chers chères cher teuer teur
`;
const VERB_ROWS = `
sleeps sleep dort dorment schläft schlafen - - - 1
sings sing chante chantent singt singen - - - 1
dances dance danse dansent tanzt tanzen - - - 1
works work travaille travaillent arbeitet arbeiten - - - 1
laughs laugh rit rient lacht lachen - - - 1
arrives arrive arrive arrivent kommt kommen an - - 1
leaves leave part partent geht gehen weg - - 1
goes go va vont geht gehen - - to 1
comes come vient viennent kommt kommen - - from 1
sees see voit voient sieht sehen - acc - 1
loves love aime aiment liebt lieben - acc - 1
finds find trouve trouvent findet finden - acc - 1
buys buy achète achètent kauft kaufen - acc - 1
sells sell vend vendent verkauft verkaufen - acc - 1
reads read lit lisent liest lesen - acc - 1
eats eat mange mangent isst essen - acc - 1
opens open ouvre ouvrent macht machen auf acc - 1
closes close ferme ferment macht machen zu acc - 1
invites invite invite invitent lädt laden ein acc - 1
calls call appelle appellent ruft rufen an acc - 1
helps help aide aident hilft helfen - dat - 1
follows follow suit suivent folgt folgen - dat - 1
thanks thank remercie remercient dankt danken - dat - 1
says say dit disent sagt sagen - - that 1
thinks think pense pensent denkt denken - - that 0
knows know sait savent weiß wissen - - that 1
hopes hope espère espèrent hofft hoffen - - that 0
is are est sont ist sind - - be 1
`;
const GRAMMAR_WORDS = {
  frequency: {"often": ["souvent", "oft"], "always": ["toujours", "immer"]},
  time: {"today": ["aujourd'hui", "heute"], "now": ["maintenant", "jetzt"]},
  conjunctions: {"because": [["parce", "que"], "weil"], "when": [["quand"], "wenn"], "if": [["si"], "wenn"], "while": [["pendant", "que"], "während"]},
  joints: {"and": ["et", "und"], "but": ["mais", "aber"]},
  counts: {"two": ["deux", "zwei"], "three": ["trois", "drei"]},
  pronouns: {"he": ["he", "him", "il", "le", "lui", "er", "ihn", "ihm"], "she": ["she", "her", "elle", "la", "elle", "sie", "sie", "ihr"], "they": ["they", "them", "ils", "les", "eux", "sie", "sie", "ihnen"]},
  prepositions: {"in": [["dans"], "in", "dat"], "behind": [["derrière"], "hinter", "dat"], "beside": [["à", "côté", "de"], "neben", "dat"], "with": [["avec"], "mit", "dat"], "without": [["sans"], "ohne", "acc"], "for": [["pour"], "für", "acc"], "to": [["à"], "zu", "dat"], "from": [["de"], "aus", "dat"]},
};
// end

const rowsOf = (table) => table.trim().split("\n").map((row) => row.split(" ").map((cell) => (cell === "-" ? "" : cell)));
const NOUN_OF = new Map(rowsOf(NOUN_ROWS).map(([en, many, human, m, fr, frMany, mute, gender, de, deMany, genitive]) => [en,
  { en: [en, many], human: human === "1", feminine: m === "f", fr: [fr, frMany], mute: mute === "1", gender, de: [de, deMany], genitive }]));
const ADJECTIVE_OF = new Map(rowsOf(ADJECTIVE_ROWS).map(([en, early, ...forms]) => [en, { early: early === "1", fr: forms.slice(0, 5), de: forms[5], stem: forms[6] }]));
const VERB_OF = new Map(rowsOf(VERB_ROWS).map(([one, many, fr, frMany, de, deMany, prefix, objectCase, needs, negatable]) => [many,
  { en: [one, many], fr: [fr, frMany], de: [de, deMany], prefix, objectCase, needs, negatable: negatable === "1" }]));
const tableOf = (name) => new Map(Object.entries(GRAMMAR_WORDS[name]));
const FREQUENCIES = tableOf("frequency"), TIMES = tableOf("time"), CONJUNCTIONS = tableOf("conjunctions"), JOINTS = tableOf("joints");
const COUNTS = tableOf("counts"), PRONOUNS = tableOf("pronouns"), PREPOSITIONS = tableOf("prepositions");

const NOUN_FORMS = new Map([...NOUN_OF].flatMap(([key, noun]) => noun.en.map((form, many) => [form, [key, many]])));
const VERB_FORMS = new Map([...VERB_OF].flatMap(([key, verb]) => verb.en.map((form) => [form, key])));
const SUBJECTS = new Map([...PRONOUNS].map(([word, forms]) => [forms[0], word]));
const OBJECTS = new Map([...PRONOUNS].map(([word, forms]) => [forms[1], word]));
const ARTICLES = new Map([["a", "a"], ["an", "a"], ["the", "the"], ["this", "this"], ["these", "this"], ...[...COUNTS.keys()].map((word) => [word, word])]);
const PREDICATE_STARTS = new Set([...VERB_FORMS.keys(), ...FREQUENCIES.keys(), "do", "does"]);
const GRAMMAR_ENGLISH = new Set([...NOUN_FORMS.keys(), ...ADJECTIVE_OF.keys(), ...PREDICATE_STARTS, "not", ...ARTICLES.keys(), ...SUBJECTS.keys(), ...OBJECTS.keys(),
  ...PREPOSITIONS.keys(), ...TIMES.keys(), ...CONJUNCTIONS.keys(), ...JOINTS.keys(), "of", "who", "that", ","]);

// ---- the tree: data/trees.py and parse.py ----

/** Why the words are no sentence of the grammar. */
class Ungrammatical extends Error {}
const ungrammatical = (why) => { throw new Ungrammatical(why); };

const isNoun = (phrase) => phrase?.kind === "noun";
const isSimple = (noun) => !noun.owner && !noun.relative;
const endsInClause = (phrase) => isNoun(phrase) && Boolean(phrase.relative || (phrase.owner && endsInClause(phrase.owner)));
const isFeminine = (phrase) => (phrase.kind === "pronoun" ? phrase.word === "she"
  : isNoun(phrase) ? NOUN_OF.get(phrase.noun).feminine : isFeminine(phrase.first) && isFeminine(phrase.second));

function nounNode(article, noun, plural, adjectives, owner, relative) {
  if ((COUNTS.has(article) && !plural) || (article === "a" && plural)) ungrammatical(`${quoted(article)} has the wrong number before ${quoted(noun)}`);
  const order = adjectives.map((word) => (ADJECTIVE_OF.get(word).early ? "e" : "l")).join("");
  if (!["", "e", "l", "el"].includes(order)) ungrammatical(`these adjectives can't stand in this order: ${quoted(adjectives.join(" "))}`);
  if (owner && (relative || COUNTS.has(owner.article))) ungrammatical(`${quoted(noun)} can't have this owner`);
  return { kind: "noun", article, noun, plural, adjectives, owner, relative };
}

function checkNegation({ verb, negated, frequency, object }) {
  if (!negated) return;
  if (frequency || !VERB_OF.get(verb).negatable) ungrammatical(`${quoted(verb)} can't be negated here`);
  if (object?.kind === "both" || (isNoun(object) && COUNTS.has(object.article))) ungrammatical("after “not” an object can be neither counted nor joined");
  if (isNoun(object) && object.article === "a" && !isSimple(object)) ungrammatical("after “not … a” a noun can't have an owner or a clause");
}

function leavesOpen({ object, clauses, places, time }) {
  const last = places.length ? places.at(-1).phrase : object;
  return !time && Boolean(clauses.length || (last && endsInClause(last)));
}

/** The tree of an English sentence; throws Ungrammatical. It never goes back, as parse.py. */
function parseSentence(words) {
  let place = 0;
  const next = (ahead = 0) => words[place + ahead] ?? "";
  const set = (...items) => new Set(items);
  const take = (known, wanted) => {
    const word = next();
    if (!word || !known.has(word)) ungrammatical(`word ${place + 1} should be ${wanted}, ${word ? `not ${quoted(word)}` : "but the sentence ends"}`);
    place += 1;
    return word;
  };
  const skip = (known) => (next() && known.has(next()) ? take(known, "") : null);

  const one = (pronouns) => {
    if (!pronouns.has(next())) return nounPhrase();
    const word = pronouns.get(take(pronouns, "a pronoun"));
    return { kind: "pronoun", word, plural: word === "they" };
  };
  const phrase = (pronouns, joined) => {
    const first = one(pronouns);
    if (joined && ARTICLES.has(next(1)) && isNoun(first) && isSimple(first) && skip(set("and"))) {
      const second = nounPhrase();
      if (!isSimple(second)) ungrammatical("nouns that are joined can't have an owner or a clause");
      return { kind: "both", first, second, plural: true };
    }
    return first;
  };
  const nounPhrase = () => {
    const article = ARTICLES.get(take(ARTICLES, "an article or pronoun")), adjectives = [];
    while (ADJECTIVE_OF.has(next())) adjectives.push(take(ADJECTIVE_OF, "an adjective"));
    const [noun, many] = NOUN_FORMS.get(take(NOUN_FORMS, "a noun"));
    const owner = skip(set("of")) ? nounPhrase() : null;
    let relative = null;
    if (!owner && skip(set("who", "that"))) {
      const subject = PREDICATE_STARTS.has(next()) ? null : one(SUBJECTS);
      relative = { subject, predicate: predicate(true, subject !== null) };
    }
    return nounNode(article, noun, many === 1, adjectives, owner, relative);
  };
  const predicate = (inside = false, gap = false) => {
    let negated = Boolean(skip(set("do", "does"))) && Boolean(take(set("not"), "“not”"));
    let frequency = negated ? null : skip(FREQUENCIES);
    const verb = VERB_FORMS.get(take(VERB_FORMS, "a verb"));
    if (verb === "are") {
      negated = Boolean(skip(set("not")));
      frequency = negated ? null : skip(FREQUENCIES);
    }
    const { objectCase, needs } = VERB_OF.get(verb);
    const object = objectCase && !gap ? phrase(OBJECTS, !inside) : null;
    if ((gap && !objectCase) || (inside && needs === "that")) ungrammatical(`${quoted(verb)} can't be the verb of this relative clause`);
    const adjective = verb === "are" ? skip(ADJECTIVE_OF) : null;
    const clauses = needs === "that" ? thatClauses() : [];
    const places = placesOf(needs, Boolean(adjective || clauses.length || (object && endsInClause(object))));
    if (verb === "are" && !adjective && !places.length) take(ADJECTIVE_OF, "an adjective or a place");
    const found = { verb, negated, frequency, object, adjective, clauses, places, time: skip(TIMES) };
    checkNegation(found);
    return found;
  };
  const thatClauses = () => {
    const found = [];
    while (!found.length || (found.length < 2 && next() === "and" && next(1) === "that")) {
      skip(set("and"));
      take(set("that"), "“that”");
      found.push(clause());
    }
    return found;
  };
  const placesOf = (needs, full) => {
    const found = [];
    for (let closed = full; !closed && PREPOSITIONS.has(next());) {
      const preposition = take(PREPOSITIONS, "a preposition");
      found.push({ preposition, phrase: one(OBJECTS) });
      closed = endsInClause(found.at(-1).phrase);
    }
    if (PREPOSITIONS.has(needs) && !found.some(({ preposition }) => preposition === needs)) take(set(needs), quoted(needs));
    return found;
  };
  const clause = (joined = false) => {
    const subject = phrase(SUBJECTS, true), first = predicate();
    const more = joined && !leavesOpen(first) && PREDICATE_STARTS.has(next(1)) && skip(set("and"));
    return { subject, predicate: first, also: more ? predicate() : null };
  };
  const subordinate = () => ({ conjunction: take(CONJUNCTIONS, "a conjunction"), clause: clause() });
  const main = () => {
    const time = skip(TIMES);
    let before = null;
    if (!time && CONJUNCTIONS.has(next())) {
      before = subordinate();
      take(set(","), "a comma");
    }
    const said = clause(!time && !before);
    return { clause: said, time, before, after: !time && !before && CONJUNCTIONS.has(next()) ? subordinate() : null };
  };
  const mains = [main()], joints = [];
  while (skip(set(","))) {
    joints.push(take(JOINTS, "“and” or “but”"));
    mains.push(main());
  }
  if (next()) ungrammatical(`word ${place + 1}, ${quoted(next())}, does not fit here`);
  return { mains, joints };
}

/** The tree, if it is said exactly as the words are; so “he sleep” is found. */
function checkedTree(words) {
  const tree = parseSentence(words), said = englishSentence(tree);
  const k = words.findIndex((word, i) => i < said.length && word !== said[i]);
  if (k >= 0) ungrammatical(`word ${k + 1} should be ${quoted(said[k])}, not ${quoted(words[k])}`);
  if (said.length !== words.length) ungrammatical(`the grammar says this as ${quoted(said.join(" "), 200)}`);
  return tree;
}

// ---- English: data/english.py ----

const englishSentence = ({ mains, joints }) => mains.flatMap((main, k) => [...(k ? [",", joints[k - 1]] : []), ...englishMain(main)]);
const englishSubordinate = ({ conjunction, clause }) => [conjunction, ...englishClause(clause)];

function englishMain({ clause, time, before, after }) {
  const front = before ? [...englishSubordinate(before), ","] : time ? [time] : [];
  return [...front, ...englishClause(clause), ...(after ? englishSubordinate(after) : [])];
}

function englishClause({ subject, predicate, also }) {
  const more = also ? ["and", ...englishPredicate(also, subject.plural)] : [];
  return [...englishPhrase(subject), ...englishPredicate(predicate, subject.plural), ...more];
}

function englishPredicate(part, plural) {
  const form = VERB_OF.get(part.verb).en[plural ? 1 : 0], isBe = part.verb === "are";
  let said = [form];
  if (part.negated) said = isBe ? [form, "not"] : [plural ? "do" : "does", "not", part.verb];
  else if (part.frequency) said = isBe ? [form, part.frequency] : [part.frequency, form];
  if (part.object) said.push(...englishPhrase(part.object, true));
  if (part.adjective) said.push(part.adjective);
  part.clauses.forEach((clause, k) => said.push(...(k ? ["and"] : []), "that", ...englishClause(clause)));
  for (const { preposition, phrase } of part.places) said.push(preposition, ...englishPhrase(phrase, true));
  return part.time ? [...said, part.time] : said;
}

function englishPhrase(part, isObject = false) {
  if (part.kind === "pronoun") return [PRONOUNS.get(part.word)[isObject ? 1 : 0]];
  if (part.kind === "both") return [...englishPhrase(part.first), "and", ...englishPhrase(part.second)];
  const noun = NOUN_OF.get(part.noun), said = [...part.adjectives, noun.en[part.plural ? 1 : 0]];
  const article = part.article === "this" && part.plural ? "these" : part.article === "a" && /^[aeiou]/.test(said[0]) ? "an" : part.article;
  said.unshift(article);
  if (part.owner) said.push("of", ...englishPhrase(part.owner));
  if (!part.relative) return said;
  const { subject, predicate } = part.relative;
  if (subject) return [...said, "that", ...englishPhrase(subject), ...englishPredicate(predicate, subject.plural)];
  return [...said, noun.human ? "who" : "that", ...englishPredicate(predicate, part.plural)];
}

// ---- German: data/german.py ----

const CASES = ["nom", "acc", "dat", "gen"];
const DE_ENDINGS = { m: ["er", "en", "em", "es"], f: ["e", "e", "er", "er"], n: ["es", "es", "em", "es"], p: ["e", "e", "en", "er"] };
const DE_THE = { m: ["der", "den", "dem", "des"], f: ["die", "die", "der", "der"], n: ["das", "das", "dem", "des"], p: ["die", "die", "den", "der"] };
const DE_CONTRACTED = new Map([["in dem", "im"], ["zu dem", "zum"], ["zu der", "zur"]]);

function germanSentence({ mains, joints }) {
  const said = mains.flatMap((main, k) => [...(k ? [...(joints[k - 1] === "but" ? [","] : []), JOINTS.get(joints[k - 1])[1]] : []), ...germanMain(main)]);
  const words = said.filter((word, k) => word !== "," || (k && said[k - 1] !== ",")); // one comma is enough
  return words.at(-1) === "," ? words.slice(0, -1) : words;
}

/** The verb is second: what stands in front takes the subject's place. */
function germanMain({ clause, time, before, after }) {
  if (time) return [TIMES.get(time)[1], ...germanClause(clause, "inverted")];
  if (before) return [...germanSubordinate(before), ",", ...germanClause(clause, "inverted")];
  return [...germanClause(clause, "second"), ...(after ? [",", ...germanSubordinate(after), ","] : [])];
}

const germanSubordinate = ({ conjunction, clause }) => [CONJUNCTIONS.get(conjunction)[1], ...germanClause(clause, "last")];

function germanClause({ subject, predicate, also }, verb) {
  const said = germanPredicate(predicate, subject.plural, germanPhrase(subject, "nom"), verb);
  return also ? [...said, "und", ...germanPredicate(also, subject.plural, [], verb)] : said;
}

/** All of a clause; the verb is "second", "inverted" (before the subject) or "last". */
function germanPredicate(part, plural, subject, verb) {
  const { de, prefix } = VERB_OF.get(part.verb), form = de[plural ? 1 : 0], rest = germanMiddle(part);
  let said;
  if (verb === "last") said = [...subject, ...rest, prefix + form];
  else said = [...(verb === "inverted" ? [form, ...subject] : [...subject, form]), ...rest, ...(prefix ? [prefix] : [])];
  part.clauses.forEach((clause, k) => said.push(k ? "und" : ",", "dass", ...germanClause(clause, "last")));
  return part.clauses.length ? [...said, ","] : said;
}

/** Pronoun, time, frequency, object, nicht, adjective, places: always in this order. */
function germanMiddle({ verb, object, negated, time, frequency, adjective, places }) {
  const { objectCase } = VERB_OF.get(verb), none = negated && isNoun(object) && object.article === "a";
  const said = object?.kind === "pronoun" ? germanPhrase(object, objectCase) : [];
  if (time) said.push(TIMES.get(time)[1]);
  if (frequency) said.push(FREQUENCIES.get(frequency)[1]);
  if (object && object.kind !== "pronoun") said.push(...germanPhrase(object, objectCase, none));
  if (negated && !none) said.push("nicht");
  if (adjective) said.push(ADJECTIVE_OF.get(adjective).de);
  return [...said, ...places.flatMap(germanPlace)];
}

/** im, zum and zur are one word, but "in dem Garten, der …" with a clause of its own. */
function germanPlace({ preposition, phrase }) {
  const [, de, needed] = PREPOSITIONS.get(preposition), said = germanPhrase(phrase, needed);
  const both = DE_CONTRACTED.get(`${de} ${said[0]}`);
  return both && isNoun(phrase) && !phrase.relative ? [both, ...said.slice(1)] : [de, ...said];
}

function germanPhrase(part, needed, none = false) {
  const c = CASES.indexOf(needed);
  if (part.kind === "pronoun") return [PRONOUNS.get(part.word)[5 + c]];
  if (part.kind === "both") return [...germanPhrase(part.first, needed), "und", ...germanPhrase(part.second, needed)];
  const noun = NOUN_OF.get(part.noun), gender = part.plural ? "p" : noun.gender;
  const ending = germanEnding(part.article, gender, c);
  const said = [(none ? "k" : "") + germanArticle(part.article, gender, c), ...part.adjectives.map((word) => ADJECTIVE_OF.get(word).stem + ending)];
  said.push(germanNoun(noun, part.plural, needed));
  if (part.owner) said.push(...germanPhrase(part.owner, "gen"));
  if (!part.relative) return said;
  const { subject, predicate } = part.relative, ownCase = subject ? VERB_OF.get(predicate.verb).objectCase : "nom";
  const pronoun = gender === "p" && ownCase === "dat" ? "denen" : DE_THE[gender][CASES.indexOf(ownCase)];
  const plural = subject ? subject.plural : gender === "p";
  return [...said, ",", ...germanPredicate(predicate, plural, [pronoun, ...(subject ? germanPhrase(subject, "nom") : [])], "last"), ","];
}

function germanNoun({ de, gender, genitive }, plural, needed) {
  if (plural) return de[1] + (needed === "dat" && !/[ns]$/.test(de[1]) ? "n" : "");
  const weak = gender === "m" && genitive.endsWith("n"); // der Junge, den Jungen
  return needed === "gen" || (weak && needed !== "nom") ? genitive : de[0];
}

function germanArticle(article, gender, c) {
  if (COUNTS.has(article)) return COUNTS.get(article)[1];
  if (article === "the") return DE_THE[gender][c];
  if (article === "this") return `dies${DE_ENDINGS[gender][c]}`;
  const bare = (c === 0 && "mn".includes(gender)) || (c === 1 && gender === "n");
  return bare ? "ein" : `ein${DE_ENDINGS[gender][c]}`;
}

/** The adjective shows gender and case where the article doesn't; else it ends in -e or -en. */
function germanEnding(article, gender, c) {
  if (COUNTS.has(article)) return DE_ENDINGS.p[c];
  if (gender === "p" || !(c === 0 || (c === 1 && "fn".includes(gender)))) return "en";
  return article === "a" ? DE_ENDINGS[gender][c] : "e";
}

// ---- French: data/french.py ----

const FR_ARTICLES = { the: ["le", "la", "les"], a: ["un", "une", ""], this: ["ce", "cette", "ces"] };
const FR_CONTRACTED = new Map([["de le", "du"], ["de les", "des"], ["à le", "au"], ["à les", "aux"]]);
const frenchForms = (mute) => new Set([...NOUN_OF.values()].filter((noun) => noun.mute === mute).flatMap((noun) => noun.fr));
const MUTE_FORMS = frenchForms(true), ASPIRATED_FORMS = frenchForms(false);
const startsMute = (word) => MUTE_FORMS.has(word) || (/^[aeiouâàéèêîôûœh]/.test(word) && !ASPIRATED_FORMS.has(word));

/** Elision and contraction look at neighbours only, so they are done last. */
function frenchSentence({ mains, joints }) {
  const said = mains.flatMap((main, k) => [...(k ? [...(joints[k - 1] === "but" ? [","] : []), JOINTS.get(joints[k - 1])[0]] : []), ...frenchMain(main)]);
  const words = [];
  said.forEach((full, k) => {
    const after = said[k + 1] ?? ",";
    const elided = (["le", "la", "ne", "de", "que"].includes(full) && startsMute(after)) || (full === "si" && ["il", "ils"].includes(after));
    const word = elided ? `${full.slice(0, -1)}'` : full, both = FR_CONTRACTED.get(`${words.at(-1)} ${word}`);
    if (both) words[words.length - 1] = both;
    else words.push(word);
  });
  return words;
}

const frenchSubordinate = ({ conjunction, clause }) => [...CONJUNCTIONS.get(conjunction)[0], ...frenchClause(clause)];

function frenchMain({ clause, time, before, after }) {
  const front = before ? [...frenchSubordinate(before), ","] : time ? [TIMES.get(time)[0]] : [];
  return [...front, ...frenchClause(clause), ...(after ? frenchSubordinate(after) : [])];
}

function frenchClause({ subject, predicate, also }) {
  const said = [...frenchPhrase(subject), ...frenchPredicate(predicate, subject)];
  return also ? [...said, "et", ...frenchPredicate(also, subject)] : said;
}

/** The verb between ne and pas, a pronoun before it, all else after it. */
function frenchPredicate(part, subject) {
  const { object } = part, isPronoun = object?.kind === "pronoun";
  let said = [...(isPronoun ? [PRONOUNS.get(object.word)[3]] : []), VERB_OF.get(part.verb).fr[subject.plural ? 1 : 0]];
  if (part.negated) said = ["ne", ...said, "pas"];
  if (part.frequency) said.push(FREQUENCIES.get(part.frequency)[0]);
  if (object && !isPronoun) said.push(...frenchPhrase(object, part.negated));
  if (part.adjective) said.push(frenchAdjective(part.adjective, subject));
  part.clauses.forEach((clause, k) => said.push(...(k ? ["et"] : []), "que", ...frenchClause(clause)));
  for (const { preposition, phrase } of part.places) said.push(...PREPOSITIONS.get(preposition)[0], ...frenchPhrase(phrase, false, 4));
  return part.time ? [...said, TIMES.get(part.time)[0]] : said;
}

const frenchAdjective = (word, phrase) => ADJECTIVE_OF.get(word).fr[(isFeminine(phrase) ? 1 : 0) + (phrase.plural ? 2 : 0)];

/** A noun or pronoun; un and une are de where the verb is negated. */
function frenchPhrase(part, negated = false, pronoun = 2) {
  if (part.kind === "pronoun") return [PRONOUNS.get(part.word)[pronoun]];
  if (part.kind === "both") return [...frenchPhrase(part.first), "et", ...frenchPhrase(part.second)];
  const noun = NOUN_OF.get(part.noun), words = [noun.fr[part.plural ? 1 : 0]];
  for (const word of [...part.adjectives].reverse()) {
    const { early, fr } = ADJECTIVE_OF.get(word), vowel = early && noun.mute && !part.plural && !noun.feminine;
    words.splice(early ? 0 : 1, 0, vowel ? fr[4] : frenchAdjective(word, part));
  }
  const said = [negated && part.article === "a" ? "de" : frenchArticle(part, words[0]), ...words];
  if (part.owner) said.push("de", ...frenchPhrase(part.owner));
  if (!part.relative) return said;
  const { subject, predicate } = part.relative;
  if (!subject) return [...said, "qui", ...frenchPredicate(predicate, part)];
  return [...said, "que", ...frenchPhrase(subject), ...frenchPredicate(predicate, subject)];
}

function frenchArticle(part, following) {
  if (COUNTS.has(part.article)) return COUNTS.get(part.article)[0];
  const article = FR_ARTICLES[part.article][part.plural ? 2 : isFeminine(part) ? 1 : 0];
  return article === "ce" && startsMute(following) ? "cet" : article;
}

// ---- what the reader types ----

const MOST_SENTENCE_WORDS = 60;

function prepareSentence(typed) {
  const text = typed.replace(/\p{Cf}/gu, "").replace(/[’ʼ]/gu, "'").toLowerCase().trim(), notes = [];
  const bare = text.replace(/[\s.!?…"”]+$/u, "").replace(/^["“]/u, "");
  const full = bare.replace(/\b(?:(do|does|is|are)n't|(he|she|they)'(?:s|re))(?!\p{L})/gu, (short, verb, who) => {
    const said = verb ? `${verb} not` : `${who} ${who === "they" ? "are" : "is"}`;
    notes.push(`${quoted(short)} read as ${quoted(said)}`);
    return said;
  });
  if (/[.!?…]\s/u.test(full)) return refused("Type one sentence at a time.");
  const words = full.replace(/,/g, " , ").split(/\s+/u).filter(Boolean);
  if (words.length > MOST_SENTENCE_WORDS) return refused(`That is ${words.length} words; ${MOST_SENTENCE_WORDS} are the most.`);
  if (!words.some((word) => word !== ",")) return refused("Type a sentence, such as: the queen sleeps");
  const unknown = words.find((word) => !GRAMMAR_ENGLISH.has(word));
  if (unknown) {
    const near = nearest(unknown, GRAMMAR_ENGLISH);
    return refused(`The model doesn't know ${quoted(unknown)}. ${near ? `Did you mean “${near}”?` : `It knows ${GRAMMAR_ENGLISH.size - 1} words, such as queen, reads and old.`}`);
  }
  try {
    checkedTree(words);
  } catch (error) {
    if (!(error instanceof Ungrammatical)) throw error;
    notes.push(`No sentence of the data's grammar, so no answer is known: ${error.message}.`);
  }
  return prepared(words, notes, words.join(" ").replaceAll(" ,", ","));
}

const grammarOracle = (say) => ({
  prepare: prepareSentence,
  answer: (tokens) => {
    if (tokens.length > 10 * MOST_SENTENCE_WORDS) return null; // the parser calls itself
    try {
      return say(checkedTree(tokens));
    } catch (error) {
      if (!(error instanceof Ungrammatical)) throw error;
      return null;
    }
  },
  samples: ["the queen sleeps", "he reads an old book", "the queen does not read this old book", "the tired boy sees the dogs that the children follow",
    "today the doctor thinks that the girl opens the door for him", "because the heroes do not sleep, the student who loves them buys two red apples for the queen"],
});

registerOracle("grammar-de", grammarOracle(germanSentence));
registerOracle("grammar-fr", grammarOracle(frenchSentence));
