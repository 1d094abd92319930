"""interventions: what they do to the weights, at every step, and that they end."""

import pytest
import torch

from seq2seq_attention.alignments import forced_weights
from seq2seq_attention.beam import beam
from seq2seq_attention.interventions import (
    Diagonal,
    Shuffle,
    Swap,
    intervening,
    only_largest,
    unchanged,
    uniform,
    without_largest,
)
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.search import greedy

ALL = {
    "unchanged": lambda: unchanged,
    "uniform": lambda: uniform,
    "without largest": lambda: without_largest,
    "only largest": lambda: only_largest,
    "diagonal": lambda: Diagonal(0.8),
    "swap": lambda: Swap(0, -1),
    "shuffle": Shuffle,
}


@pytest.fixture(params=ALL)
def make(request):
    return ALL[request.param]


def same(a, b):
    return all(torch.equal(x, y) for x, y in zip(a, b, strict=True))


def test_unchanged_changes_no_bit(attending, batch):
    with torch.no_grad():
        own = attending(batch)
        with intervening(attending, unchanged):
            assert same(attending(batch), own)
        assert same(attending(batch), own)


def test_weights_stay_weights(make, attending, batch):
    with torch.no_grad(), intervening(attending, make()):
        weights = attending(batch).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))
    padding = ~batch.src_valid[:, None].expand_as(weights)
    assert (weights[padding] == 0).all() and (weights >= 0).all()


def test_steps_and_teacher_forcing_see_the_same(make, attending, batch):
    with torch.no_grad(), intervening(attending, make()):
        whole = attending(batch)
        encoded = attending.encode(batch)
        state, parts = encoded.final, []
        for prev in batch.tgt_in.T:
            parts.append(attending.decoder.step(prev, state, encoded, batch.src_valid))
            state = parts[-1].state
    for i, name in ((0, "logits"), (2, "weights")):
        stacked = torch.stack([part[i] for part in parts], dim=1)
        torch.testing.assert_close(stacked, getattr(whole, name), atol=1e-5, rtol=1e-4)


def test_a_sentence_does_not_depend_on_its_batch_mates(make, attending, pairs):
    with intervening(attending, make()):
        together = forced_weights(attending, pairs)
        alone = forced_weights(attending, pairs, batch_size=1)
    for a, b in zip(together, alone, strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)


def test_the_context_is_mixed_with_the_changed_weights(batch, attending):
    """Logits move when the weights do: the decoder really reads what was forced."""
    with torch.no_grad():
        own = attending(batch).logits
        for make in (m for name, m in ALL.items() if name != "unchanged"):
            with intervening(attending, make()):
                assert (attending(batch).logits - own).abs().max() > 1e-4


def test_uniform_is_one_over_the_length(attending, pairs):
    with intervening(attending, uniform):
        for alpha, pair in zip(forced_weights(attending, pairs), pairs, strict=True):
            torch.testing.assert_close(alpha, torch.full_like(alpha, 1 / len(pair.src)))


def at_first_step(model, batch, intervention):
    """Own and changed weights of step 0, where the two runs have one state still."""
    with torch.no_grad():
        own = model(batch).weights[:, 0]
        with intervening(model, intervention):
            return own, model(batch).weights[:, 0]


def test_the_largest_gets_exactly_nothing_and_the_rest_its_share(attending, batch):
    own, changed = at_first_step(attending, batch, without_largest)
    several = batch.src_len > 1
    assert several.any() and not several.all()
    own, changed, single = own[several], changed[several], changed[~several]
    top = own.argmax(dim=1, keepdim=True)
    assert (changed.gather(1, top) == 0).all()
    rest = own.scatter(1, top, 0.0)
    torch.testing.assert_close(changed, rest / rest.sum(dim=1, keepdim=True))
    assert (single[:, 0] == 1).all(), "a sentence of one token keeps it"


def test_a_weight_of_almost_all_can_be_deleted_too():
    """1 − 1e-60 is 1 in float32: dividing by what is left would be 0 / 0."""
    scores, valid = torch.tensor([[[140.0, 0.0, 0.0]]]), torch.ones(1, 3, dtype=torch.bool)
    changed = without_largest(scores, torch.zeros(1, 3, 2), valid).softmax(dim=-1)
    assert changed.tolist() == [[[0.0, 0.5, 0.5]]]


def test_only_the_largest_is_one(attending, batch):
    own, changed = at_first_step(attending, batch, only_largest)
    assert torch.equal(changed, torch.nn.functional.one_hot(own.argmax(1), own.shape[1]).float())


def test_diagonal_by_hand(attending, pairs):
    pair = next(pair for pair in pairs if len(pair.src) >= 4)
    with intervening(attending, Diagonal(0.5)):
        places = forced_weights(attending, [pair])[0].argmax(dim=1).tolist()
        again = forced_weights(attending, [pair])[0].argmax(dim=1).tolist()
    assert places == [min(t // 2, len(pair.src) - 1) for t in range(len(pair.tgt) + 1)] == again


def test_swap_exchanges_two_and_leaves_short_sentences(attending, batch):
    own, changed = at_first_step(attending, batch, Swap(1, -1))
    for before, after, size in zip(own, changed, batch.src_len.tolist(), strict=True):
        order = list(range(len(before)))
        if size > 2:
            order[1], order[size - 1] = size - 1, 1
        torch.testing.assert_close(after, before[order])


def test_shuffle_moves_every_weight(attending, batch):
    own, changed = at_first_step(attending, batch, Shuffle(3))
    for before, after, size in zip(own, changed, batch.src_len.tolist(), strict=True):
        order = Shuffle(3).order(size)
        assert sorted(order) == list(range(size))
        assert size == 1 or all(i != j for i, j in enumerate(order))
        torch.testing.assert_close(after[:size], before[order])
    assert Shuffle(3).order(9) != Shuffle(4).order(9)


def test_swapping_weights_is_swapping_what_was_annotated(attending, batch):
    """The context of swapped weights is that of swapped annotations under the old weights."""
    with torch.no_grad():
        encoded = attending.encode(batch)
    scores = torch.randn(len(batch.src_len), 2, batch.src_ids.shape[1])
    with intervening(attending, Swap(0, -1)):
        context, _ = attending.decoder.attend(scores, encoded.states, batch.src_valid)
    _, weights = attending.decoder.attend(scores, encoded.states, batch.src_valid)
    moved = encoded.states.clone()
    for row, states, size in zip(moved, encoded.states, batch.src_len.tolist(), strict=True):
        row[0], row[size - 1] = states[size - 1], states[0]
    torch.testing.assert_close(context, weights @ moved)


@pytest.mark.parametrize("search", [greedy, beam])
def test_searches_respect_it(search, make, attending, batch):
    with intervening(attending, make()):
        found = search(attending, batch, max_len=6)
        expected = [hyps[0] if search is beam else hyps for hyps in found]
        for b, best in enumerate(expected):
            ids = torch.tensor([[attending.tgt_vocab.sos_id, *best.ids]])
            size = int(batch.src_len[b])
            one = type(batch)(*(x[b : b + 1] for x in batch))
            one = one._replace(
                src_ids=one.src_ids[:, :size], src_valid=one.src_valid[:, :size], tgt_in=ids
            )
            with torch.no_grad():
                weights = attending(one).weights[0, : len(best.weights)]
            torch.testing.assert_close(best.weights, weights, atol=1e-5, rtol=1e-4)


def test_it_ends_even_with_an_exception(attending, batch):
    with torch.no_grad():
        own = attending(batch)
        with pytest.raises(RuntimeError, match="stop"), intervening(attending, uniform):
            raise RuntimeError("stop")
        assert attending.decoder.intervene is None and same(attending(batch), own)


def test_the_outer_one_is_back_after_the_inner_one(attending, pairs):
    with intervening(attending, only_largest):
        outer = forced_weights(attending, pairs)
        with intervening(attending, uniform):
            assert not same(forced_weights(attending, pairs), outer)
        assert same(forced_weights(attending, pairs), outer)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (lambda scores, values, valid: scores[..., :1], "must give scores"),
        (lambda scores, values, valid: scores - torch.inf, "finite"),
        (lambda scores, values, valid: scores * torch.nan, "finite"),
        (lambda scores, values, valid: scores.masked_fill(valid[:, None], -torch.inf), "finite"),
    ],
)
def test_a_broken_intervention_is_named(broken, says, attending, batch):
    with pytest.raises(ValueError, match=says), intervening(attending, broken):
        attending(batch)


def test_bad_settings_are_named(vocabs):
    plain = build_model(ModelConfig(hidden_size=4), *vocabs)
    with pytest.raises(ValueError, match="no attention"), intervening(plain, uniform):
        pass
    for slope in (0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="slope"):
            Diagonal(slope)
    with pytest.raises(ValueError, match="2 twice"):
        Swap(2, 2)
