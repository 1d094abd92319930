"""grammar: sentences worked out by hand, agreement checked by other rules, links, the parser."""

import itertools
import random
from collections import Counter

import pytest

from seq2seq_attention.data import (
    fingerprint,
    grammar_pair,
    grammar_pairs,
    grammar_target,
    split_pairs,
)
from seq2seq_attention.data.lexicon import ADJECTIVES, NOUNS, PREPOSITIONS, PRONOUNS, VERBS

FRENCH = {
    "the man sleeps": "l' homme dort",
    "the heroes sing": "les héros chantent",
    "the hero of the students sings": "le héros des étudiants chante",
    "the door of the garden is green": "la porte du jardin est verte",
    "the green car is expensive": "la voiture verte est chère",
    "this old man loves the beautiful bird": "ce vieil homme aime le bel oiseau",
    "the bird is beautiful and is in the new hospital": (
        "l' oiseau est beau et est dans le nouvel hôpital"
    ),
    "these old men see two big white birds": "ces vieux hommes voient deux grands oiseaux blancs",
    "this student buys a green table": "cet étudiant achète une table verte",
    "the queen does not love him": "la reine ne l' aime pas",
    "she does not buy an apple": "elle n' achète pas de pomme",
    "he does not find a tree": "il ne trouve pas d' arbre",
    "he does not find this tree": "il ne trouve pas cet arbre",
    "they often thank her": "ils la remercient souvent",
    "she goes to the school with him": "elle va à l' école avec lui",
    "she goes with them to the museum": "elle va avec eux au musée",
    "the women are happy because they sing": "les femmes sont heureuses parce qu' ils chantent",
    "they do not find a big white table": "ils ne trouvent pas de grande table blanche",
    "he comes from a big garden": "il vient d' un grand jardin",
    "the bear is beside the new tables": "l' ours est à côté des nouvelles tables",
    "the girl comes from the museums": "la fille vient des musées",
    "the cat of the brother is beside the tree": "le chat du frère est à côté de l' arbre",
    "the dog is beside the table": "le chien est à côté de la table",
    "he says that he does not work and that she sleeps": (
        "il dit qu' il ne travaille pas et qu' elle dort"
    ),
    "if he sings , she dances": "s' il chante , elle danse",
    "if she sings , he dances": "si elle chante , il danse",
    "the letter that the teacher reads is new": "la lettre que le professeur lit est nouvelle",
    "the woman who reads it is young": None,  # no "it"
    "the women who sing are happy": "les femmes qui chantent sont heureuses",
    "the woman and the girl are happy": "la femme et la fille sont heureuses",
    "the woman and the boy are happy": "la femme et le garçon sont heureux",
    "she laughs because he sleeps , but now they leave": (
        "elle rit parce qu' il dort , mais maintenant ils partent"
    ),
    "today the horses are tired , and the cow sleeps": (
        "aujourd'hui les chevaux sont fatigués et la vache dort"
    ),
}
GERMAN = {
    "the man sleeps": "der Mann schläft",
    "the boy sees the dog": "der Junge sieht den Hund",
    "the dog sees the boy": "der Hund sieht den Jungen",
    "the child helps the boys": "das Kind hilft den Jungen",
    "the woman helps two small children": "die Frau hilft zwei kleinen Kindern",
    "a small child sees a big dog": "ein kleines Kind sieht einen großen Hund",
    "the small child sees this big dog": "das kleine Kind sieht diesen großen Hund",
    "three old men read": None,  # reads what?
    "three old men read these new books": "drei alte Männer lesen diese neuen Bücher",
    "the man does not see the dog": "der Mann sieht den Hund nicht",
    "the man does not see a dog": "der Mann sieht keinen Hund",
    "she does not read an expensive book": "sie liest kein teures Buch",
    "he does not help a tired woman": "er hilft keiner müden Frau",
    "he opens the window": "er macht das Fenster auf",
    "she says that he opens the window": "sie sagt , dass er das Fenster aufmacht",
    "she does not invite him today": "sie lädt ihn heute nicht ein",
    "they do not sing in the garden": "sie singen nicht im Garten",
    "today the girl goes to the school": "heute geht das Mädchen zur Schule",
    "because she sleeps , he laughs": "weil sie schläft , lacht er",
    "he laughs because she is not happy": "er lacht , weil sie nicht glücklich ist",
    "the cat of the boy sleeps": "die Katze des Jungen schläft",
    "the sister of a small child works": "die Schwester eines kleinen Kindes arbeitet",
    "the brother of the women arrives": "der Bruder der Frauen kommt an",
    "the man that the woman helps sleeps": "der Mann , dem die Frau hilft , schläft",
    "the men that the woman helps sleep": "die Männer , denen die Frau hilft , schlafen",
    "he sees the bear that she loves": "er sieht den Bären , den sie liebt",
    "he knows that she sees the dog that sleeps , and they laugh": (
        "er weiß , dass sie den Hund , der schläft , sieht , und sie lachen"
    ),
    "she dances with the dogs for the king": None,  # no king
    "she dances with the dogs for the queen in the school that he sees": (
        "sie tanzt mit den Hunden für die Königin in der Schule , die er sieht"
    ),
    "he goes to the garden that she sees": "er geht zu dem Garten , den sie sieht",
    "today the student helps the bear that the heroes thank": (
        "heute hilft der Student dem Bären , dem die Helden danken"
    ),
    "they leave with the sister that the dog finds": (
        "sie gehen mit der Schwester , die der Hund findet , weg"
    ),
    "while he arrives , the horse leaves": "während er ankommt , geht das Pferd weg",
    "she sees the books of this student": "sie sieht die Bücher dieses Studenten",
    "when he sings , she dances": "wenn er singt , tanzt sie",
    "the child works but he sleeps": None,  # no comma
    "the child works , but he sleeps": "das Kind arbeitet , aber er schläft",
    "the bird and the cat are small": "der Vogel und die Katze sind klein",
}


@pytest.fixture(scope="module", params=["fr", "de"])
def sample(request):
    """2,500 pairs of every kind, up to 40 words."""
    return request.param, grammar_pairs(2500, request.param, max_words=40, seed=1)


@pytest.mark.parametrize(
    ("english", "right", "language"),
    [(*item, "fr") for item in FRENCH.items()] + [(*item, "de") for item in GERMAN.items()],
)
def test_sentences_worked_out_by_hand(english, right, language):
    if right is None:
        with pytest.raises(ValueError, match="word"):
            grammar_target(english.split(), language)
    else:
        assert " ".join(grammar_target(english.split(), language).tgt) == right


def links(english, language):
    pair = grammar_target(english.split(), language)
    return {(pair.tgt[t], pair.src[s]) for t, s in pair.alignment}


def test_links_worked_out_by_hand():
    assert links("she does not buy an apple", "fr") == {
        ("elle", "she"),
        ("n'", "not"),
        ("achète", "buy"),
        ("pas", "not"),
        ("de", "an"),
        ("pomme", "apple"),
    }
    assert links("he does not open a door", "de") == {
        ("er", "he"),
        ("macht", "open"),
        ("keine", "not"),
        ("keine", "a"),
        ("Tür", "door"),
        ("auf", "open"),
    }
    assert {("du", "of"), ("du", "the")} <= links("a dog of the doctor sleeps", "fr")
    assert {("des", "of"), ("des", "the")} <= links("a dog of the doctor sleeps", "de")
    assert {("im", "in"), ("im", "the")} <= links("he sleeps in the garden", "de")
    assert {("à", "beside"), ("côté", "beside"), ("du", "beside"), ("du", "the")} <= links(
        "he sleeps beside the museum", "fr"
    )
    assert {("parce", "because"), ("qu'", "because")} <= links("he sings because he sings", "fr")


def test_links_tell_equal_words_apart():
    pair = grammar_target("the dog sees the dog".split(), "de")
    assert pair.alignment == {(k, k) for k in range(5)}
    pair = grammar_target("if the dog sleeps , the dog sleeps".split(), "de")
    assert pair.tgt[4:6] == (",", "schläft")
    assert pair.alignment == {(0, 0), (1, 1), (2, 2), (3, 3), (5, 7), (6, 5), (7, 6)}


def test_every_target_word_but_a_comma_is_linked(sample):
    _, pairs = sample
    for pair in pairs:
        linked = {t for t, _ in pair.alignment}
        assert linked == {t for t, word in enumerate(pair.tgt) if word != ","}, pair
        silent = {
            word for s, word in enumerate(pair.src) if s not in {s for _, s in pair.alignment}
        }
        assert silent <= {",", "do", "does"}, pair


def forms(language):
    """What each English noun, adjective, verb, pronoun and preposition may be linked to."""
    found = {}
    for noun in NOUNS.values():
        for k, word in enumerate(noun.en):
            cases = {noun.german(case, bool(k)) for case in ("nom", "acc", "dat", "gen")}
            found[word] = {noun.fr[k]} if language == "fr" else cases
    for word, entry in ADJECTIVES.items():
        endings = {entry.de, *(entry.stem + "e" + x for x in ("", "n", "r", "s", "m"))}
        found[word] = set(entry.fr) if language == "fr" else endings
    for verb in VERBS.values():
        german = {*verb.de, *(verb.prefix + form for form in verb.de), verb.prefix}
        for word in verb.en:
            found[word] = set(verb.fr) if language == "fr" else german
    for he, him, *rest in PRONOUNS.values():
        words = rest[:3] if language == "fr" else rest[3:]
        found[he] = found[him] = {*words, "l'"}
    return found


def test_linked_words_translate_each_other(sample):
    language, pairs = sample
    found = forms(language)
    for pair in pairs:
        for t, s in pair.alignment:
            right = found.get(pair.src[s])
            assert right is None or pair.tgt[t] in right, (pair.src[s], pair.tgt[t])


# ------------------------------------------------------------------ agreement, by other rules

VOWELS = tuple("aeiouâàéèêîôûœ")
DETERMINERS = {
    "le": "m", "la": "f", "l'": "mf", "les": "p", "un": "m", "une": "f", "ce": "m", "cet": "m",
    "cette": "f", "ces": "p", "du": "m", "au": "m", "des": "p", "aux": "p", "deux": "p",
    "trois": "p",
}  # fmt: skip


def test_french_words_agree():
    gender = {form: n.fr_gender for n in NOUNS.values() for form in n.fr}
    number = {n.fr[0]: "s" for n in NOUNS.values()}
    both = {n.fr[0] for n in NOUNS.values() if n.fr[0] == n.fr[1]}
    number |= {n.fr[1]: "p" for n in NOUNS.values()}
    adjective = {form: a for a in ADJECTIVES.values() for form in a.fr}
    seen = 0
    for pair in grammar_pairs(3000, "fr", 30, seed=3):
        for k, word in enumerate(pair.tgt):
            if word not in gender or pair.tgt[k - 1] in ("je",):
                continue
            early, late = k - 1, k + 1
            if pair.tgt[early] in adjective:
                early -= 1
            row = list(pair.tgt[early + 1 : k])
            if late < len(pair.tgt) and pair.tgt[late] in adjective:
                row.append(pair.tgt[late])
            before = DETERMINERS.get(pair.tgt[early])
            if before is None:
                assert pair.tgt[early] in ("de", "d'", "porte"), pair.tgt  # pas de …
                continue
            plural = before == "p"
            assert word in both or number[word] == ("p" if plural else "s"), pair.tgt
            assert plural or gender[word] in before, pair.tgt
            for form in row:
                m, f, ms, fs, special = adjective[form].fr
                allowed = (
                    ({ms} if plural else {m, special})
                    if gender[word] == "m"
                    else ({fs} if plural else {f})
                )
                assert form in allowed, pair.tgt
                seen += 1
    assert seen > 3000


def test_french_elision_and_contraction():
    mute = {"homme", "hommes", "hôpital", "hôpitaux", "heureux"}
    for pair in grammar_pairs(3000, "fr", 30, seed=4):
        for word, after in zip(pair.tgt, pair.tgt[1:], strict=False):
            vowel = after.startswith(VOWELS) or after in mute
            assert not (vowel and word in ("le", "la", "de", "ne", "que", "ce")), pair.tgt
            assert vowel or not word.endswith("'") or word == "s'", pair.tgt
            assert (word, after) not in {("de", "le"), ("de", "les"), ("à", "le"), ("à", "les")}
            special = word in ("bel", "vieil", "nouvel", "cet")
            assert not special or vowel or after in ("autre",), pair.tgt
            singular = after in {n.fr[0] for n in NOUNS.values() if n.fr[0] != n.fr[1]}
            assert not (vowel and singular and word in ("beau", "vieux", "nouveau")), pair.tgt
        assert Counter(pair.tgt)["pas"] == sum(pair.tgt.count(ne) for ne in ("ne", "n'"))


# The declension as school books print it: article, then the adjective's ending, for each case.
TABLE = {
    "m": "der e|den en|dem en|des en/dieser e|diesen en|diesem en|dieses en"
    "/ein er|einen en|einem en|eines en/kein er|keinen en|keinem en|keines en",
    "f": "die e|die e|der en|der en/diese e|diese e|dieser en|dieser en"
    "/eine e|eine e|einer en|einer en/keine e|keine e|keiner en|keiner en",
    "n": "das e|das e|dem en|des en/dieses e|dieses e|diesem en|dieses en"
    "/ein es|ein es|einem en|eines en/kein es|kein es|keinem en|keines en",
    "p": "die en|die en|den en|der en/diese en|diese en|diesen en|dieser en"
    "/zwei e|zwei e|zwei en|zwei er/drei e|drei e|drei en|drei er",
}
MERGED = {"im": "m n dat", "zum": "m n dat", "zur": "f dat"}


def readings():
    """(article, ending, noun form) -> the cases that it can be; "" for no adjective."""
    found = {}
    for gender, block in TABLE.items():
        for series in block.split("/"):
            for case, cell in zip(("nom", "acc", "dat", "gen"), series.split("|"), strict=True):
                article, ending = cell.split()
                articles = [article] + [
                    merged
                    for merged, where in MERGED.items()
                    if case == "dat" and article in ("dem", "der") and gender in where.split()
                ]
                for noun in NOUNS.values():
                    if gender in ("p", noun.de_gender):
                        form = noun.german(case, gender == "p")
                        for name in articles:
                            for end in ("", ending):
                                found.setdefault((name, end, form), set()).add(case)
    return found


def test_german_articles_adjectives_and_nouns_agree_and_prepositions_have_their_case():
    known, seen = readings(), 0
    stems = {a.stem for a in ADJECTIVES.values()}
    nouns = {n.german(c, p) for n in NOUNS.values() for c in ("nom", "dat", "gen") for p in (0, 1)}
    cases = {entry.de: entry.case for entry in PREPOSITIONS.values()}
    for pair in grammar_pairs(3000, "de", 30, seed=5):
        for k, word in enumerate(pair.tgt):
            if word not in nouns:
                continue
            start, endings = k - 1, set()
            while any(pair.tgt[start] == s + e for s in stems for e in ("e", "en", "er", "es")):
                stem = next(
                    s for s in sorted(stems, key=len)[::-1] if pair.tgt[start].startswith(s)
                )
                endings.add(pair.tgt[start][len(stem) :])
                start -= 1
                seen += 1
            assert len(endings) < 2, pair.tgt
            possible = known.get((pair.tgt[start], "".join(endings), word))
            assert possible, (pair.tgt[start : k + 1], pair.tgt)
            before = pair.tgt[start - 1] if start else ""
            if before in cases and before != "zu":
                assert cases[before] in possible, pair.tgt
    assert seen > 3000


def test_german_clauses_end_with_their_verb_and_stand_between_commas():
    verbs = {p + f for v in VERBS.values() for f in v.de for p in ("", v.prefix)}
    for pair in grammar_pairs(3000, "de", 30, seed=6):
        tgt = pair.tgt
        assert tgt[-1] != "," and tgt[0] != "," and (",", ",") not in set(itertools.pairwise(tgt))
        for k, word in enumerate(tgt):
            if word in ("weil", "dass", "wenn", "während"):
                assert k == 0 or tgt[k - 1] in (",", "und", "aber"), tgt
                rest = list(tgt[k + 1 :])
                end = min([rest.index(x) for x in (",", "und") if x in rest] + [len(rest)])
                if "," not in rest[: end + 1] and "und" not in rest[: end + 1]:
                    assert rest[end - 1] in verbs, tgt


# --------------------------------------------------------------------- the sentences as a whole


def test_the_oracle_finds_the_pair_of_every_sentence(sample):
    language, pairs = sample
    for pair in pairs:
        assert grammar_target(pair.src, language) == pair


def test_a_sentence_has_one_translation():
    for language in ("fr", "de"):
        found = {}
        for pair in grammar_pairs(6000, language, 8, seed=7):
            assert found.setdefault(pair.src, pair) == pair


def test_lengths_are_even_and_commas_count():
    counts = Counter(len(pair.src) for pair in grammar_pairs(3800, "fr", 40, seed=8))
    assert set(counts) == set(range(3, 41))
    assert min(counts.values()) > 60 and max(counts.values()) < 150
    assert {len(pair.src) for pair in grammar_pairs(20, "de", 3)} == {3}
    assert len(grammar_pair(random.Random(0), 17, "de").src) == 17


def test_the_same_seed_draws_the_same_sentences_in_every_language():
    french, german = (grammar_pairs(200, language, seed=9) for language in ("fr", "de"))
    assert french == grammar_pairs(200, "fr", seed=9)
    assert [pair.src for pair in french] == [pair.src for pair in german]
    assert french != grammar_pairs(200, "fr", seed=10)


@pytest.mark.parametrize(
    ("language", "drawn"), [("fr", "f2a337de0721ba69"), ("de", "e8801b6dd2ca5437")]
)
def test_the_sentences_are_those_that_the_stored_models_were_trained_on(language, drawn):
    """A change of the grammar that shows here makes experiments/grammar.py worth running again."""
    assert fingerprint(grammar_pairs(2000, language)) == drawn


def test_there_are_enough_sentences_and_splits_share_none():
    pairs = grammar_pairs(6000, "de", 20)
    assert len({pair.src for pair in pairs}) > 5500
    splits = split_pairs(pairs)
    train, valid, test = ({pair.src for pair in part} for part in splits)
    assert len(test) > 400 and not (train & valid or train & test or valid & test)


def test_every_word_is_drawn_and_every_construction():
    pairs = grammar_pairs(4000, "fr", 25, seed=11)
    words = {word for pair in pairs for word in pair.src}
    assert {form for n in NOUNS.values() for form in n.en} <= words
    assert {form for v in VERBS.values() for form in v.en} <= words
    assert set(ADJECTIVES) | set(PREPOSITIONS) <= words
    assert {"who", "that", "and", "but", "not", "of", "him", "these", "an", "often"} <= words


def test_an_english_form_belongs_to_one_word():
    forms = [f for n in NOUNS.values() for f in n.en] + [f for v in VERBS.values() for f in v.en]
    forms += [*ADJECTIVES, *PREPOSITIONS, "not", "that", "who", "of", "and"]
    assert [word for word, count in Counter(forms).items() if count > 1] == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("he sleep", "word 2 should be 'sleeps', got 'sleep'"),
        ("a apple is red", "word 1 should be 'an', got 'a'"),
        ("the man that sleeps sings", "word 3 should be 'who', got 'that'"),
        ("he sleeps he sings", "word 3, 'he', does not fit here"),
        ("the red big car is new", "in this order, aren't possible"),
        ("two man sleep", "wrong number"),
        ("he does not see two dogs", "neither counted nor joined"),
        ("he does not think that she sleeps", "can't be negated"),
        ("he goes", "word 3 should be to, the sentence ends"),
        ("she sees", "an article or pronoun, the sentence ends"),
        ("", "should be an article or pronoun, the sentence ends"),
    ],
)
def test_the_oracle_says_what_does_not_fit(wrong, message):
    with pytest.raises(ValueError) as error:
        grammar_target(wrong.split())
    assert message in str(error.value)


def test_bad_arguments():
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        grammar_pairs(0)
    with pytest.raises(ValueError, match=r"one of \['fr', 'de'\], got 'es'"):
        grammar_pairs(5, "es")
    for words in (2, 41):
        with pytest.raises(ValueError, match=f"from 3 to 40, got {words}"):
            grammar_pairs(5, "fr", words)
        with pytest.raises(ValueError, match=f"from 3 to 40, got {words}"):
            grammar_pair(random.Random(0), words)
    with pytest.raises(ValueError, match="got 'es'"):
        grammar_target(["he", "sleeps"], "es")
    with pytest.raises(TypeError, match="sequence of words"):
        grammar_target("he sleeps")
