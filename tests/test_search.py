"""search: greedy takes the best token, says when it was cut, and restores the model."""

import math

import pytest
import torch

from seq2seq_attention.batch import collate, collate_sources
from seq2seq_attention.data import Pair
from seq2seq_attention.model import evaluating
from seq2seq_attention.search import greedy, translate


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
    with pytest.raises(FloatingPointError, match="NaN"):
        greedy(model, batch)


@pytest.mark.parametrize("training", [True, False])
def test_the_models_mode_is_restored(model, batch, training):
    model.train(training)
    greedy(model, batch, max_len=2)
    assert model.training is training
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
