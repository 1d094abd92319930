"""scoring: log P of given targets is the sum of its steps, and errors by position by hand."""

import itertools
import math

import pytest
import torch
from conftest import SMALL_SOURCE

from seq2seq_attention import scoring
from seq2seq_attention.batch import collate, collate_sources
from seq2seq_attention.data import Pair
from seq2seq_attention.explore import exhaustive
from seq2seq_attention.scoring import by_position, score, token_log_probs
from seq2seq_attention.search import Hypothesis, greedy
from seq2seq_attention.train import mean_nats

SPECIAL = {"<pad>", "<sos>"}


def test_a_score_is_the_sum_of_its_steps(model, pairs):
    """Token after token by `step`, one sentence at a time."""
    for pair, x, parts in zip(
        pairs, score(model, pairs), token_log_probs(model, pairs), strict=True
    ):
        sources = collate_sources([pair.src], model.src_vocab)
        encoded = model.encode(sources)
        state, total = encoded.final, []
        ids = model.tgt_vocab.encode(pair.tgt, sos=True, eos=True)
        for prev, y in itertools.pairwise(ids):
            out = model.decoder.step(torch.tensor([prev]), state, encoded, sources.src_valid)
            state = out.state
            total.append(out.logits[0].log_softmax(-1)[y].item())
        assert parts.tolist() == pytest.approx(total, abs=1e-4)
        assert x == pytest.approx(sum(total), abs=1e-3)
        assert x <= 0


def test_scores_are_what_exhaustive_lists(small):
    exact = exhaustive(small, SMALL_SOURCE, max_len=3).hypotheses
    exact = [h for h in exact if not SPECIAL & set(h.tokens)]
    assert len(exact) == 1 + 2 + 4 + 8
    scores = score(small, [Pair(SMALL_SOURCE, h.tokens) for h in exact])
    assert scores == pytest.approx([h.log_prob for h in exact], abs=1e-4)


def test_greedy_says_its_own_score(small):
    with torch.no_grad():
        small.decoder.head.output.bias[:2] = -1e4  # a sentence holds no `<pad>`, no `<sos>`
    sources = [SMALL_SOURCE, ("two",), ("three", "one")]
    for source in sources:
        (hyp,) = greedy(small, collate_sources([source], small.src_vocab), max_len=20)
        if hyp.complete:
            assert score(small, [Pair(source, hyp.tokens)]) == pytest.approx(
                [hyp.log_prob], abs=1e-4
            )


def test_batching_changes_nothing_and_the_mean_is_the_loss(model, pairs):
    together = score(model, pairs)
    assert score(model, pairs, batch_size=2) == pytest.approx(together, abs=1e-4)
    assert score(model, []) == []
    tokens = sum(len(p.tgt) + 1 for p in pairs)
    assert -sum(together) / tokens == pytest.approx(mean_nats(model, pairs), abs=1e-5)


def test_errors_by_position_are_counted_by_hand(small, monkeypatch):
    """Gold "a b" and "b"; what the model says is laid down: "a a a …" and nothing."""
    ids = {t: small.tgt_vocab.id(t) for t in ("a", "b")}
    pairs = [Pair(("one",), ("a", "b")), Pair(("two",), ("b",))]
    said = [
        Hypothesis([ids["a"]] * 3, ["a"] * 3, 0.0, None, False),
        Hypothesis([], [], 0.0, None, True),
    ]
    monkeypatch.setattr(scoring, "translate", lambda *_, **__: said)
    places = by_position(small, pairs)
    assert [(p.position, p.n) for p in places] == [(1, 2), (2, 2), (3, 1)]
    # "a" is right, `<eos>` for "b" is wrong; then "a" for "b", and nothing where `<eos>` should be
    assert [p.free_error for p in places] == [0.5, 1.0, 1.0]
    parts = token_log_probs(small, pairs)
    assert places[0].nats == pytest.approx(-(parts[0][0] + parts[1][0]).item() / 2)
    assert places[2].nats == pytest.approx(-parts[0][2].item())


def test_forced_errors_are_the_argmax_under_gold(model, pairs):
    batch = collate(pairs, model.src_vocab, model.tgt_vocab)
    wrong = (model(batch).logits.argmax(-1) != batch.tgt_out) & batch.tgt_valid
    n = batch.tgt_valid.sum(0)
    places = by_position(model, pairs, batch_size=3)
    assert [p.n for p in places] == n.tolist()
    assert [p.forced_error for p in places] == pytest.approx((wrong.sum(0) / n).tolist())
    total = sum(p.n * p.nats for p in places) / sum(p.n for p in places)
    assert total == pytest.approx(mean_nats(model, pairs), abs=1e-5)


def test_at_the_first_position_both_errors_are_one(model, pairs):
    """Both have read `<sos>` and nothing else; and greedy outputs are free of error."""
    first = by_position(model, pairs)[0]
    assert first.forced_error == first.free_error
    with torch.no_grad():
        model.decoder.head.output.bias[:2] = -1e4
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] += 0.5
    own = []
    for p in pairs:
        (hyp,) = greedy(model, collate_sources([p.src], model.src_vocab), max_len=30)
        own += [Pair(p.src, hyp.tokens)] if hyp.complete else []
    for place in by_position(model, own) if own else []:
        assert place.forced_error == place.free_error == 0


def test_bad_input_is_named(small):
    pair = Pair(SMALL_SOURCE, ("a",))
    with pytest.raises(ValueError, match="batch_size.*0"):
        score(small, [pair], batch_size=0)
    with pytest.raises(ValueError, match="none"):
        by_position(small, [])
    with pytest.raises(KeyError, match="'c'"):
        score(small, [Pair(SMALL_SOURCE, ("c",))])
    with pytest.raises(ValueError, match="<eos>"):
        score(small, [Pair(SMALL_SOURCE, ("<eos>",))])
    small.train()
    score(small, [pair])
    assert small.training
    with torch.no_grad():
        small.decoder.head.output.bias.fill_(math.nan)
    for measure in (score, by_position):
        with pytest.raises(FloatingPointError, match="NaN"):
            measure(small, [pair])
