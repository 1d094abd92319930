"""ibm1: against EM by hand, and EM over every alignment there is."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction as F

import pytest
import torch

from seq2seq_attention.alignments import alignment_hit_rate, score_links
from seq2seq_attention.data import Pair, number_pairs
from seq2seq_attention.ibm1 import NULL, train_ibm1

BOOKS = [
    Pair(("das", "Haus"), ("the", "house")),
    Pair(("das", "Buch"), ("the", "book")),
    Pair(("ein", "Buch"), ("a", "book")),
]
# Worked on paper, without a null word. At the start t = 1/4 everywhere, as there are four target
# words. Iteration 1: every target token is shared out half and half.
#   das:  the 1/2 + 1/2, house 1/2, book 1/2   sum 2   Haus: the 1/2, house 1/2   sum 1
#   Buch: the 1/2, book 1/2 + 1/2, a 1/2       sum 2   ein:  a 1/2, book 1/2      sum 1
ONCE = {
    "das": {"the": F(1, 2), "house": F(1, 4), "book": F(1, 4)},
    "Haus": {"the": F(1, 2), "house": F(1, 2)},
    "Buch": {"the": F(1, 4), "book": F(1, 2), "a": F(1, 4)},
    "ein": {"a": F(1, 2), "book": F(1, 2)},
}
# Iteration 2: shares by ONCE, within each pair.
#   das Haus: the 1/2 : 1/2 → 1/2, 1/2; house 1/4 : 1/2 → 1/3, 2/3
#   das Buch: the 1/2 : 1/4 → 2/3, 1/3; book 1/4 : 1/2 → 1/3, 2/3
#   ein Buch: a 1/2 : 1/4 → 2/3, 1/3; book 1/2 : 1/2 → 1/2, 1/2
# Counts:
#   das:  the 1/2 + 2/3 = 7/6, house 1/3, book 1/3   sum 11/6    Haus: the 1/2, house 2/3  sum 7/6
#   Buch: the 1/3, book 2/3 + 1/2 = 7/6, a 1/3       sum 11/6    ein:  a 2/3, book 1/2     sum 7/6
TWICE = {
    "das": {"the": F(7, 11), "house": F(2, 11), "book": F(2, 11)},
    "Haus": {"the": F(3, 7), "house": F(4, 7)},
    "Buch": {"the": F(2, 11), "book": F(7, 11), "a": F(2, 11)},
    "ein": {"a": F(4, 7), "book": F(3, 7)},
}


@pytest.mark.parametrize(("iterations", "table"), [(1, ONCE), (2, TWICE)])
def test_the_table_worked_by_hand(iterations, table):
    model = train_ibm1(BOOKS, iterations, null=False)
    for e, f in itertools.product(table, ("the", "house", "book", "a")):
        assert model.probability(f, e) == pytest.approx(float(table[e].get(f, 0)), abs=1e-15)


def test_the_likelihood_worked_by_hand():
    """Each target token has the mean of t over the two source tokens."""
    first, second = train_ibm1(BOOKS, 1, null=False).log_likelihoods
    assert first == pytest.approx(6 * math.log(1 / 4))
    # the, house | the, book | a, book
    tokens = [F(1, 2), F(3, 8), F(3, 8), F(3, 8), F(3, 8), F(1, 2)]
    assert second == pytest.approx(math.log(math.prod(tokens)))


def test_posteriors_links_and_weights_worked_by_hand():
    model = train_ibm1(BOOKS, 1, null=False)
    expected = [[1 / 2, 1 / 2], [1 / 3, 2 / 3]]  # as shared out in iteration 2
    torch.testing.assert_close(model.posteriors(BOOKS[0]), torch.tensor(expected).double())
    torch.testing.assert_close(model.weights(BOOKS[0]), torch.tensor(expected))
    assert train_ibm1(BOOKS, 2, null=False).links(BOOKS[0]) == {(0, 0), (1, 1)}
    assert model.translations("das", 2) == [("the", 0.5), ("house", 0.25)]


def by_all_alignments(pairs, iterations, null):
    """EM without the shortcut: every alignment of every pair, weighed by its probability."""
    words = {f for pair in pairs for f in pair.tgt}
    t = defaultdict(lambda: F(1, len(words)))
    for _ in range(iterations):
        counts = defaultdict(F)
        for pair in pairs:
            src = [NULL, *pair.src] if null else pair.src
            ways = list(itertools.product(src, repeat=len(pair.tgt)))
            probs = [
                math.prod((t[f, e] for f, e in zip(pair.tgt, way, strict=True)), start=F(1))
                for way in ways
            ]
            for way, prob in zip(ways, probs, strict=True):
                for f, e in zip(pair.tgt, way, strict=True):
                    counts[f, e] += prob / sum(probs)
        totals = defaultdict(F)
        for (_, e), count in counts.items():
            totals[e] += count
        t = defaultdict(F, {(f, e): count / totals[e] for (f, e), count in counts.items()})
    return t


REPEATS = [
    Pair(("two", "hundred", "two"), ("zwei", "hundert", "zwei")),
    Pair(("two", "thousand"), ("zwei", "tausend")),
    Pair(("hundred",), ("ein", "hundert")),
]


@pytest.mark.parametrize("null", [True, False])
@pytest.mark.parametrize("pairs", [BOOKS, REPEATS])
def test_it_is_em_over_all_alignments(pairs, null):
    model, slow = train_ibm1(pairs, 3, null), by_all_alignments(pairs, 3, null)
    seen = {(f, e) for p in pairs for f in p.tgt for e in (*p.src, *([NULL] if null else []))}
    assert len(model.cells) == len(seen)
    for f, e in seen:
        assert model.probability(f, e) == pytest.approx(float(slow[f, e]), rel=1e-12)


@pytest.fixture(scope="module")
def numbers():
    return number_pairs(1500)


@pytest.mark.parametrize("null", [True, False])
def test_the_likelihood_never_falls(numbers, null):
    model = train_ibm1(numbers, 8, null)
    steps = list(itertools.pairwise(model.log_likelihoods))
    assert len(steps) == 8 and all(after > before for before, after in steps)


def test_what_a_source_word_says_sums_to_one(numbers):
    model = train_ibm1(numbers, 3)
    for e in model.src_ids:
        said = model.translations(e, n=len(model.tgt_ids))
        assert sum(p for _, p in said) == pytest.approx(1)
        assert all(model.probability(f, e) == p for f, p in said)


def test_it_learns_the_words_of_numbers(numbers):
    model = train_ibm1(numbers, 5)
    for e, said in (("seven", {"sieben"}), ("thousand", {"tausend"}), ("forty", {"vier", "zig"})):
        assert {f for f, _ in model.translations(e, len(said))} == said
    weights = [model.weights(pair) for pair in numbers[:200]]
    assert alignment_hit_rate(weights, numbers[:200]) > 0.7
    scores = score_links(
        [model.links(p) for p in numbers[:200]], [p.alignment for p in numbers[:200]]
    )
    assert scores.recall > 0.6


def test_the_nulls_share_goes_to_the_others(numbers):
    model, pair = train_ibm1(numbers, 3), numbers[0]
    whole, weights = model.posteriors(pair), model.weights(pair)
    assert whole.shape == (len(pair.tgt), len(pair.src) + 1)
    assert weights.shape == (len(pair.tgt), len(pair.src))
    torch.testing.assert_close(whole.sum(1), torch.ones(len(whole)).double())
    rest = whole[:, 1:] / (1 - whole[:, :1])
    torch.testing.assert_close(weights, rest.float())


def test_unknown_words_are_aligned_evenly_and_not_linked():
    model, strange = train_ibm1(BOOKS, 2), Pair(("das", "Schiff"), ("the", "ship", "house"))
    assert model.posteriors(strange)[1].tolist() == [1 / 3] * 3
    assert model.weights(strange)[1].tolist() == [0.5, 0.5]
    assert not {t for t, _ in model.links(strange)} & {1}
    assert model.probability("ship", "das") == model.probability("the", "Schiff") == 0
    assert model.probability("a", "das") == 0, "both known, never together"
    with pytest.raises(KeyError, match="'Schiff'"):
        model.translations("Schiff")


def test_a_word_in_every_sentence_belongs_to_the_null_word():
    pairs = [Pair((x,), (x.upper(), "und")) for x in "abcdefgh"]
    model = train_ibm1(pairs, 20)
    assert all(model.links(pair) == {(0, 0)} for pair in pairs)
    assert model.translations(n=1)[0][0] == "und"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: train_ibm1([]), "at least one"),
        (lambda: train_ibm1([Pair(("a",), ())]), "at least one"),
        (lambda: train_ibm1([Pair(("a", ""), ("b",))]), r"empty.*\('a', ''\)"),
        (lambda: train_ibm1(BOOKS, -1), "-1"),
        (lambda: train_ibm1(BOOKS, 2.0), "2.0"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
