"""Scores of outputs against references, on cases worked by hand."""

import math

import pytest

from seq2seq_attention.metrics import bleu, chrf, token_accuracy

REFERENCE = ["drei", "und", "zwanzig", "tausend", "sieben"]


@pytest.mark.parametrize(
    ("output", "share"),
    [
        (REFERENCE, 1.0),
        (REFERENCE[:4], 4 / 5),  # the missing one is wrong
        ([*REFERENCE, "x"], 5 / 6),  # and so is a surplus one
        (["x", *REFERENCE], 0.0),  # shifted: every position is wrong
        ([], 0.0),
    ],
)
def test_token_accuracy_is_by_position(output, share):
    assert token_accuracy([output], [REFERENCE]) == pytest.approx(share)


def test_token_accuracy_counts_tokens_not_sentences():
    assert token_accuracy([["a"], ["b", "b", "b"]], [["x"], ["b", "b", "b"]]) == 3 / 4
    assert token_accuracy([[]], [[]]) == 1.0


def test_bleu_by_hand():
    output = ["drei", "und", "zwanzig", "tausend", "acht"]
    # 4 of 5 words, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples; as long as the reference
    expected = 100 * math.prod([4 / 5, 3 / 4, 2 / 3, 1 / 2]) ** (1 / 4)
    score = bleu([output], [REFERENCE])
    assert score.value == pytest.approx(expected)
    assert "tok:none" in score.signature and "version" in score.signature


def test_bleu_punishes_what_is_too_short():
    score = bleu([REFERENCE[:4]], [REFERENCE])
    assert score.value == pytest.approx(100 * math.exp(1 - 5 / 4))


def test_chrf_by_hand():
    # "ab" against "ac": 1 of 2 letters, no pair; orders above 2 don't occur and are left out
    score = chrf([["ab"]], [["ac"]])
    assert score.value == pytest.approx(100 * (0.5 + 0) / 2)
    assert chrf([["a", "b"]], [["ab"]]).value == pytest.approx(100), "blanks aside"
    assert "chrF2" in score.signature


@pytest.mark.parametrize("metric", [bleu, chrf, token_accuracy])
@pytest.mark.parametrize(
    ("outputs", "references", "says"),
    [
        ([["a"]], [], "1 outputs, but 0 references"),
        ([], [], "no outputs"),
        (["ab"], [["ab"]], "the string 'ab'"),
    ],
)
def test_what_cannot_be_scored_is_refused(metric, outputs, references, says):
    with pytest.raises(ValueError, match=says):
        metric(outputs, references)
