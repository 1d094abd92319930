"""search: greedy takes the best token, sampling draws what `adjust` leaves; both say when cut."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
import torch
from conftest import SMALL_SOURCE
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_attention.batch import collate, collate_sources
from seq2seq_attention.beam import beam
from seq2seq_attention.data import Pair
from seq2seq_attention.explore import exhaustive
from seq2seq_attention.model import evaluating
from seq2seq_attention.search import adjust, greedy, sample, translate


def test_greedy_takes_the_best_token_at_every_step(model, batch):
    """Forcing what greedy said gives back its choices, its probability and its weights."""
    with torch.no_grad():  # a random model might say what no sentence holds
        model.decoder.head.output.bias[[model.tgt_vocab.pad_id, model.tgt_vocab.sos_id]] = -1e4
    for hyp, src in zip(greedy(model, batch, max_len=6), batch.src_ids, strict=True):
        source = tuple(model.src_vocab.decode(src.tolist()))
        forced = collate([Pair(source, tuple(hyp.tokens))], model.src_vocab, model.tgt_vocab)
        out = model(forced)
        steps = len(hyp.ids) + hyp.complete
        log_probs = out.logits[0, :steps].log_softmax(-1)
        said = hyp.ids + [model.tgt_vocab.eos_id] * hyp.complete
        assert log_probs.argmax(-1).tolist() == said
        picked = log_probs[range(steps), said].sum().item()
        assert math.isclose(picked, hyp.log_prob, abs_tol=1e-4)
        if hyp.weights is not None:
            torch.testing.assert_close(hyp.weights, out.weights[0, :steps], atol=1e-5, rtol=1e-4)


def test_batching_changes_nothing(model, batch, pairs):
    together = greedy(model, batch, max_len=8)
    one_by_one = [
        greedy(model, collate_sources([p.src], model.src_vocab), max_len=8)[0] for p in pairs
    ]
    bucketed = translate(model, [p.src for p in pairs], max_len=8, batch_size=2)
    for a, b, c in zip(together, one_by_one, bucketed, strict=True):
        assert a.tokens == b.tokens == c.tokens
        assert math.isclose(a.log_prob, b.log_prob, abs_tol=1e-4)
        assert a.complete == b.complete == c.complete


def test_a_cut_hypothesis_says_so(model, batch):
    with torch.no_grad():
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] = -1e9
    for hyp in greedy(model, batch, max_len=4):
        assert not hyp.complete and len(hyp.ids) == len(hyp.tokens) == 4
        assert hyp.weights is None or len(hyp.weights) == 4


def test_eos_ends_and_is_counted(model, batch):
    with torch.no_grad():
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] = 1e4
    for hyp in greedy(model, batch):
        assert hyp.complete and hyp.ids == [] and hyp.log_prob == pytest.approx(0)
        assert hyp.weights is None or len(hyp.weights) == 1


@pytest.mark.parametrize("said", [1, 3])
def test_a_sentence_of_just_max_len_tokens_is_complete(model, batch, said):
    """Say `said` tokens, then `<eos>`: `max_len` = `said` is enough, one less cuts."""
    vocab = model.tgt_vocab
    step = model.decoder.step
    count = 0

    def forced(*arguments):
        nonlocal count
        out = step(*arguments)
        logits = torch.full_like(out.logits, -10.0)
        logits[:, vocab.eos_id if count == said else vocab.eos_id + 1] = 10.0
        count += 1
        return out._replace(logits=logits)

    model.decoder.step = forced
    assert all(h.complete and len(h.ids) == said for h in greedy(model, batch, max_len=said))
    count = 0
    if said > 1:
        cut = greedy(model, batch, max_len=said - 1)
        assert all(not h.complete and len(h.ids) == said - 1 for h in cut)


def test_a_broken_model_is_not_searched(model, batch):
    with torch.no_grad():
        model.decoder.head.output.bias.fill_(float("nan"))
    for search in (greedy, sample, beam):
        with pytest.raises(FloatingPointError, match="NaN"):
            search(model, batch)


@pytest.mark.parametrize("training", [True, False])
def test_the_models_mode_is_restored(model, batch, training):
    model.train(training)
    for search in (greedy, sample, beam):
        search(model, batch, max_len=2)
        assert all(part.training is training for part in model.modules())
    with pytest.raises(RuntimeError, match="boom"), evaluating(model):
        assert not model.training and not torch.is_grad_enabled()
        raise RuntimeError("boom")
    assert model.training is training and torch.is_grad_enabled()


def test_bad_input_is_named(model, batch):
    with pytest.raises(ValueError, match="0"):
        greedy(model, batch, max_len=0)
    with pytest.raises(KeyError, match="'zwo'"):
        translate(model, [["zwo"]])
    with pytest.raises(ValueError, match="empty"):
        translate(model, [[]])
    with pytest.raises(ValueError, match="batch_size.*0"):
        translate(model, [["seven"]], batch_size=0)
    assert translate(model, []) == []


def reference(logits, temperature, top_k, top_p):
    """Probabilities after temperature, top-k and top-p, one token at a time."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[:top_k]
    mass = [math.exp((logits[i] - max(logits)) / temperature) for i in order]
    kept, total = [], 0.0
    for i, x in zip(order, mass, strict=True):
        kept.append(i)
        total += x / sum(mass)
        if total >= top_p and top_p < 1:
            break
    left = sum(mass[: len(kept)])
    return [mass[kept.index(i)] / left if i in kept else 0.0 for i in range(len(logits))]


@given(
    st.lists(st.integers(-24, 24).map(lambda i: i / 4), min_size=1, max_size=8),
    st.sampled_from([0.1, 0.5, 1.0, 1.7, 30.0]),
    st.none() | st.integers(1, 10),
    st.integers(1, 1000).map(lambda i: i / 1000),
)
def test_adjust_is_temperature_then_top_k_then_top_p(logits, temperature, top_k, top_p):
    expected = reference(logits, temperature, top_k, top_p)
    for p in (top_p - 1e-9, top_p + 1e-9):  # on the very edge, rounding may decide
        if 0 < p <= 1 and reference(logits, temperature, top_k, p) != expected:
            return
    got = adjust(torch.tensor(logits, dtype=torch.float64), temperature, top_k, top_p)
    np.testing.assert_allclose(got.softmax(-1).numpy(), expected, atol=1e-12)
    assert torch.equal(got > -math.inf, torch.tensor(expected) > 0) or temperature == 0.1


def test_adjust_by_hand():
    """Probabilities 0.5, 0.25, 0.15, 0.1."""
    probs = torch.tensor([0.15, 0.5, 0.1, 0.25], dtype=torch.float64)

    def kept(**settings):
        return adjust(probs.log(), **settings).softmax(-1).tolist()

    assert kept() == pytest.approx(probs.tolist())
    assert kept(top_k=2) == pytest.approx([0, 2 / 3, 0, 1 / 3])
    assert kept(top_p=0.6) == pytest.approx([0, 2 / 3, 0, 1 / 3])
    assert kept(top_p=0.8) == pytest.approx([1 / 6, 5 / 9, 0, 5 / 18])
    assert kept(top_p=1e-9) == [0, 1, 0, 0], "at least one"
    assert kept(top_k=2, top_p=0.66) == [0, 1, 0, 0], "2/3 of what top-k leaves"
    squares = probs**2 / (probs**2).sum()
    assert kept(temperature=0.5) == pytest.approx(squares.tolist())
    assert kept(temperature=0.5, top_p=0.7) == [0, 1, 0, 0], "0.25 / 0.345 is enough"


def test_adjust_takes_the_first_of_equals_and_survives_extremes():
    assert adjust(torch.zeros(2, 5), top_k=2).tolist() == [[0, 0] + [-math.inf] * 3] * 2
    assert adjust(torch.zeros(4), top_p=0.5).tolist() == [0, 0, -math.inf, -math.inf]
    cold = adjust(torch.tensor([-1e4, 3e4, 2e4]), temperature=1e-300)
    assert cold.softmax(-1).tolist() == [0, 1, 0]
    for bad in ([math.nan, 0.0], [math.inf, 0.0], [-math.inf, -math.inf]):
        with pytest.raises(FloatingPointError, match="numbers"):
            adjust(torch.tensor(bad))


def test_frequencies_are_the_models_probabilities(small):
    """Chi-square over all sentences of up to two tokens and the rest; a fixed seed."""
    exact = exhaustive(small, SMALL_SOURCE, max_len=2)
    n = 4000
    drawn = sample(small, collate_sources([SMALL_SOURCE] * n, small.src_vocab), max_len=2, seed=1)
    counts = Counter(tuple(h.ids) for h in drawn if h.complete)
    expected = {tuple(h.ids): n * math.exp(h.log_prob) for h in exact.hypotheses}
    cells = [(counts[ids], want) for ids, want in expected.items() if want >= 5]
    tail = n - sum(want for _, want in cells)
    cells.append((n - sum(count for count, _ in cells), tail))
    square = sum((count - want) ** 2 / want for count, want in cells if want > 1)
    freedom = len(cells) - 1
    assert freedom >= 3 and square < freedom + 6 * math.sqrt(2 * freedom), (square, freedom)
    known = {tuple(h.ids): h.log_prob for h in exact.hypotheses}
    for hyp in drawn[:200]:
        if hyp.complete:
            assert hyp.log_prob == pytest.approx(known[tuple(hyp.ids)], abs=1e-4)
        else:
            assert len(hyp.ids) == 2


def test_adjusted_frequencies(small):
    """The first token, drawn with all three settings, against `adjust` on the model's logits."""
    settings = {"temperature": 1.5, "top_k": 4, "top_p": 0.9}
    n = 4000
    many = collate_sources([SMALL_SOURCE] * n, small.src_vocab)
    drawn = sample(small, many, **settings, max_len=1, seed=2)
    logits = small(collate([Pair(SMALL_SOURCE, ())], small.src_vocab, small.tgt_vocab)).logits
    probs = adjust(logits[0, 0], **settings).softmax(-1)
    eos = small.tgt_vocab.eos_id
    counts = Counter((h.ids or [eos])[0] for h in drawn)
    assert 1 < int((probs > 0).sum()) <= 4
    for y, p in enumerate(probs.tolist()):
        assert abs(counts[y] / n - p) <= 4 * math.sqrt(p * (1 - p) / n), (y, p)
    plain = exhaustive(small, SMALL_SOURCE, max_len=1).hypotheses
    known = {tuple(h.ids): h.log_prob for h in plain}
    for hyp in drawn[:100]:  # the model's own probability, not the one it was drawn with
        if hyp.complete:
            assert hyp.log_prob == pytest.approx(known[tuple(hyp.ids)], abs=1e-4)


def test_seeds_repeat_and_generators_move_on(model, batch):
    def ids(seed):
        return [h.ids for h in sample(model, batch, max_len=8, seed=seed)]

    assert ids(0) == ids(0) != ids(1)
    state = torch.get_rng_state()
    generator = torch.Generator().manual_seed(0)
    assert ids(0) == ids(generator) != ids(generator)
    assert torch.equal(state, torch.get_rng_state()), "the global generator is left alone"


@pytest.mark.parametrize("settings", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-12}])
def test_sampling_without_a_choice_is_greedy(model, batch, settings):
    for a, b in zip(
        greedy(model, batch, max_len=8),
        sample(model, batch, **settings, max_len=8, seed=3),
        strict=True,
    ):
        assert (a.ids, a.log_prob, a.complete) == (b.ids, b.log_prob, b.complete)
        assert a.weights is None or torch.equal(a.weights, b.weights)


def test_translate_searches_as_it_is_told(model, pairs):
    sources = [p.src for p in pairs]
    wide = translate(model, sources, max_len=4, search=partial(beam, width=3))
    for source, found in zip(sources, wide, strict=True):
        alone = beam(model, collate_sources([source], model.src_vocab), width=3, max_len=4)[0]
        assert [h.ids for h in found] == [h.ids for h in alone]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"temperature": 0}, "temperature.*0"),
        ({"temperature": -1.5}, "temperature.*-1.5"),
        ({"temperature": math.nan}, "temperature.*nan"),
        ({"temperature": math.inf}, "temperature.*inf"),
        ({"top_k": 0}, "top_k.*0"),
        ({"top_k": 2.0}, "top_k.*2.0"),
        ({"top_k": True}, "top_k.*True"),
        ({"top_p": 0}, "top_p.*0"),
        ({"top_p": 1.01}, "top_p.*1.01"),
        ({"top_p": math.nan}, "top_p.*nan"),
        ({"max_len": 0}, "max_len.*0"),
        ({"max_len": 2.5}, "max_len.*2.5"),
    ],
)
def test_bad_settings_are_named(model, batch, settings, says):
    with pytest.raises(ValueError, match=says):
        sample(model, batch, **settings)
    if "max_len" not in settings:
        with pytest.raises(ValueError, match=says):
            adjust(torch.zeros(3), **settings)
