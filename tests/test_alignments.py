"""alignments and baselines: on cases that can be worked on paper."""

import math

import pytest
import torch

from seq2seq_attention.alignments import (
    alignment_error_rate,
    alignment_hit_rate,
    argmax_links,
    at_linked_words,
    corpus_alignment_error_rate,
    forced_weights,
    gold_mass,
    score_links,
    shift_profile,
    threshold_links,
)
from seq2seq_attention.baselines import diagonal_weights, random_weights, uniform_weights
from seq2seq_attention.data import Pair
from seq2seq_attention.model import ModelConfig, build_model

PAIR = Pair(("a", "b"), ("B", "x", "A"), {(0, 1), (2, 0)})
RIGHT = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.8, 0.2], [1.0, 0.0]])  # the last row is <eos>
HALF = torch.tensor([[0.1, 0.9], [0.5, 0.5], [0.3, 0.7]])


def test_hit_rate_looks_at_linked_words_only():
    assert alignment_hit_rate([RIGHT], [PAIR]) == 1
    assert alignment_hit_rate([HALF], [PAIR]) == 0.5
    assert alignment_hit_rate([RIGHT, HALF], [PAIR, PAIR]) == 0.75


def test_error_rate_by_hand():
    """Och & Ney: A = 3 links, 2 sure ones found of 3, one more is possible."""
    predicted, sure = {(0, 0), (1, 1), (2, 3)}, {(0, 0), (1, 1), (2, 2)}
    assert alignment_error_rate(predicted, sure) == pytest.approx(1 - 4 / 6)
    assert alignment_error_rate(predicted, sure, {(2, 3)}) == pytest.approx(1 - 5 / 6)
    assert alignment_error_rate(sure, sure) == 0
    assert alignment_error_rate(set(), sure) == 1


def test_corpus_error_rate_sums_before_dividing():
    assert argmax_links(HALF, PAIR) == {(0, 1), (2, 1)}
    assert corpus_alignment_error_rate([RIGHT, HALF], [PAIR, PAIR]) == pytest.approx(0.25)


def test_forced_weights_fit_their_pairs(attending, pairs):
    for alpha, pair in zip(forced_weights(attending, pairs, batch_size=4), pairs, strict=True):
        assert alpha.shape == (len(pair.tgt) + 1, len(pair.src))
        torch.testing.assert_close(alpha.sum(1), torch.ones(len(alpha)))


@pytest.mark.parametrize("training", [True, False])
def test_forced_weights_are_without_dropout_and_leave_the_mode(training, vocabs, pairs):
    torch.manual_seed(0)
    config = ModelConfig("additive", embed_size=6, hidden_size=8, dropout=0.5)
    model = build_model(config, *vocabs).train(training)
    first, second = forced_weights(model, pairs), forced_weights(model, pairs)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(module.training == training for module in model.modules())


def test_scores_by_hand():
    """Two pairs: A = 5 links of which 2 are sure and 1 more is possible; S = 3, P = 4."""
    predicted = [{(0, 0), (1, 1), (2, 3)}, {(0, 0), (1, 0)}]
    sure = [{(0, 0), (1, 1)}, {(2, 0)}]
    possible = [{(2, 3)}, {(2, 0)}]  # what is sure may be named again, or not
    scores = score_links(predicted, sure, possible)
    assert scores.precision == 3 / 5 and scores.recall == 2 / 3
    assert scores.aer == pytest.approx(1 - (2 + 3) / (5 + 3))
    # words with a possible link: three of the first pair, all hit, and word 2 of the second
    assert scores.hit_rate == 3 / 4
    assert scores[-3:] == (5, 3, 4)
    without = score_links(predicted, sure)
    assert without.precision == 2 / 5 and without.hit_rate == 2 / 3
    assert without.aer == pytest.approx(1 - 4 / 8)


def test_a_corpus_is_not_the_mean_of_its_sentences():
    """The same link in two pairs is two links, and a long pair weighs more."""
    long, short = {(t, t) for t in range(9)}, {(0, 0)}
    scores = score_links([long, {(0, 1)}], [long, short])
    assert scores.precision == scores.recall == 0.9 and scores.aer == pytest.approx(0.1)


def test_what_was_not_measured_is_nan():
    nothing = score_links([set()], [{(0, 0)}])
    assert math.isnan(nothing.precision) and nothing.recall == 0 and nothing.aer == 1
    unsure = score_links([{(0, 0)}], [set()], [{(0, 0)}])
    assert math.isnan(unsure.recall) and unsure.precision == 1 and unsure.aer == 0


def test_without_possible_links_aer_is_one_minus_f1():
    predicted, sure = [{(0, 0), (1, 2), (2, 2)}], [{(0, 0), (2, 2), (3, 1), (4, 4)}]
    p, r, aer, *_ = score_links(predicted, sure)
    assert aer == pytest.approx(1 - 2 * p * r / (p + r))


def test_the_hit_rate_of_argmax_links_is_the_models():
    links = [argmax_links(alpha, PAIR) for alpha in (RIGHT, HALF)]
    scores = score_links(links, [PAIR.alignment] * 2)
    assert scores.hit_rate == alignment_hit_rate([RIGHT, HALF], [PAIR] * 2) == scores.precision


def test_argmax_of_every_word_or_of_linked_ones():
    assert argmax_links(RIGHT, PAIR) == {(0, 1), (2, 0)}
    every = argmax_links(RIGHT, PAIR, linked_only=False)
    assert every == {(0, 1), (1, 0), (2, 0)}, "of equal ones the first; <eos> has no link"
    assert argmax_links(RIGHT, Pair(PAIR.src, PAIR.tgt), linked_only=False) == every
    assert at_linked_words(every, PAIR.alignment) == argmax_links(RIGHT, PAIR)


def test_threshold_links_may_be_none_or_several():
    assert threshold_links(RIGHT, PAIR, 0.5) == {(0, 1), (1, 0), (1, 1), (2, 0)}
    assert threshold_links(RIGHT, PAIR, 0.9) == {(0, 1)}
    assert threshold_links(RIGHT, PAIR, 0.05) == {(t, s) for t in range(3) for s in range(2)}
    assert threshold_links(HALF, PAIR, 0.95) == set()


def test_gold_mass_by_hand():
    assert gold_mass([RIGHT], [PAIR]) == pytest.approx((0.9 + 0.8) / 2)
    two = Pair(("a", "b"), ("B",), {(0, 0), (0, 1)})
    assert gold_mass([torch.tensor([[0.3, 0.7]])], [two]) == pytest.approx(1)
    assert gold_mass([RIGHT, torch.tensor([[0.3, 0.7]])], [PAIR, two]) == pytest.approx(2.7 / 3)


def test_gold_mass_is_the_expected_hit_rate():
    torch.manual_seed(0)
    drawn = torch.distributions.Categorical(HALF).sample((20_000,))  # (n, T)
    hits = ((drawn[:, 0] == 1).float() + (drawn[:, 2] == 0).float()) / 2
    assert gold_mass([HALF], [PAIR]) == pytest.approx(float(hits.mean()), abs=0.01)


def pointing(places, size):
    return torch.nn.functional.one_hot(torch.tensor(places), size).float()


FIVE = Pair(tuple("abcde"), tuple("ABCDE"), {(i, i) for i in range(5)})


@pytest.mark.parametrize(
    ("places", "profile"),
    [
        ([0, 1, 2, 3, 4], (5, 0, 0, 0, 0)),
        ([0, 0, 1, 2, 3], (1, 4, 0, 0, 0)),  # each looks where the one before it should
        ([1, 2, 3, 4, 4], (1, 0, 4, 0, 0)),
        ([4, 3, 2, 1, 0], (1, 0, 0, 0, 4)),
        ([3, 2, 2, 4, 3], (1, 1, 2, 0, 1)),
    ],
)
def test_shift_by_hand(places, profile):
    assert shift_profile([pointing(places, 5)], [FIVE]) == profile


def test_shift_between_equal_neighbours_and_at_unlinked_words():
    pair = Pair(("a", "b"), ("A", "B", "A"), {(0, 0), (1, 1), (2, 0)})
    assert shift_profile([pointing([0, 0, 0], 2)], [pair]) == (2, 0, 0, 1, 0)
    # x has no link: it isn't counted, and A, two words on, isn't the next word of B
    profile = shift_profile([pointing([0, 1, 1], 2)], [PAIR])
    assert profile == (0, 0, 0, 0, 2) and profile.shares()["elsewhere"] == 1


def test_baselines_are_weights(pairs):
    drawn = random_weights(pairs, seed=1)
    for pair, alpha in zip(pairs, drawn, strict=True):
        for weights in (alpha, uniform_weights(pair), diagonal_weights(pair)):
            assert weights.shape == (len(pair.tgt), len(pair.src)) and (weights >= 0).all()
            torch.testing.assert_close(weights.sum(1), torch.ones(len(pair.tgt)))


def test_uniform_mass_is_one_over_the_length():
    assert gold_mass([uniform_weights(PAIR)], [PAIR]) == 0.5


@pytest.mark.parametrize(
    ("src", "tgt", "places"),
    [("abc", "ABC", [0, 1, 2]), ("ab", "ABCD", [0, 0, 1, 1]), ("abcd", "AB", [1, 3])],
)
def test_diagonal_by_hand(src, tgt, places):
    pair = Pair(tuple(src), tuple(tgt))
    assert diagonal_weights(pair).argmax(dim=1).tolist() == places


def test_random_is_repeated_by_its_seed_and_hits_by_chance(pairs):
    one, again, other = (random_weights(pairs, seed) for seed in (0, 0, 1))
    assert all(torch.equal(a, b) for a, b in zip(one, again, strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    many = [FIVE] * 2000
    assert alignment_hit_rate(random_weights(many), many) == pytest.approx(0.2, abs=0.02)
    assert gold_mass(random_weights(many), many) == pytest.approx(0.2, abs=0.02)


NO_GOLD = Pair(("a", "b"), ("B", "x", "A"))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: alignment_hit_rate([RIGHT], [NO_GOLD]), "'a b' has no gold"),
        (lambda: alignment_hit_rate([RIGHT.T], [PAIR]), r"\(2, 4\)"),
        (lambda: alignment_hit_rate([RIGHT[:2]], [PAIR]), r"at least 3, 2.*\(2, 2\)"),
        (lambda: argmax_links(RIGHT[:2], PAIR), r"at least 3, 2.*\(2, 2\)"),
        (lambda: alignment_hit_rate([], []), "no target token"),
        (lambda: gold_mass([], []), "no target token"),
        (lambda: gold_mass([RIGHT], [NO_GOLD]), "'a b' has no gold"),
        (lambda: shift_profile([HALF], [Pair(("a", "b"), ("B", "x", "A"), set())]), "no target"),
        (lambda: alignment_error_rate([], []), "neither"),
        (lambda: corpus_alignment_error_rate([], []), "no pair"),
        (lambda: score_links([], []), "neither"),
        (lambda: score_links([set()], []), r"1 \(predicted\), 0 \(sure\) and 0"),
        (lambda: score_links([{(0, 0)}], [{(0, 0)}], []), r"1 \(sure\) and 0 \(possible\)"),
        (lambda: threshold_links(RIGHT, PAIR, 0), "above 0.*got 0"),
        (lambda: threshold_links(RIGHT, PAIR, 1.5), "got 1.5"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_model_without_attention_has_no_weights(vocabs, pairs):
    with pytest.raises(ValueError, match="no attention"):
        forced_weights(build_model(ModelConfig(hidden_size=4), *vocabs), pairs)


@pytest.mark.parametrize("broken", [RIGHT * float("nan"), RIGHT * 0, RIGHT * 2, RIGHT - 0.5])
def test_what_are_no_weights_is_not_scored(broken):
    """A broken model must not look like a perfect aligner."""
    for score in (alignment_hit_rate, corpus_alignment_error_rate, gold_mass, shift_profile):
        with pytest.raises(ValueError, match="sum to 1"):
            score([broken], [PAIR])
