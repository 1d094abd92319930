"""transformer: its parts against PyTorch, and the invariants that hold for every model."""

import dataclasses
import functools
import math

import pytest
import torch
from torch import nn

from seq2seq_attention.alignments import forced_weights
from seq2seq_attention.batch import causal_mask, collate, collate_sources
from seq2seq_attention.beam import beam
from seq2seq_attention.data import Pair, number_pair
from seq2seq_attention.evaluate import correct
from seq2seq_attention.explore import beam_tree, exhaustive
from seq2seq_attention.layers import DecoderLayer, EncoderLayer, MultiHeadAttention
from seq2seq_attention.loss import token_cross_entropy
from seq2seq_attention.model import Seq2Seq, count_parameters
from seq2seq_attention.positions import (
    LearnedPositions,
    NoPositions,
    SinusoidalPositions,
    sinusoidal_positions,
)
from seq2seq_attention.scoring import by_position, score
from seq2seq_attention.search import greedy, sample, translate
from seq2seq_attention.train import TrainConfig, fit, mean_nats, mixed_forward, seed_everything
from seq2seq_attention.transformer import TransformerConfig, build_transformer
from seq2seq_attention.vocab import build_vocab

CLOSE = {"atol": 1e-5, "rtol": 1e-5}
B, T, S, D, J = 2, 4, 5, 12, 3  # all different, so that no mix-up goes unseen
SMALL = TransformerConfig(size=D, heads=J, layers=2, feedforward=10)
KINDS = {
    "sinusoidal": SMALL,
    "learned": dataclasses.replace(SMALL, positions="learned"),
    "none": dataclasses.replace(SMALL, positions="none"),
    "one head, one layer": dataclasses.replace(SMALL, heads=1, layers=1),
    "tied, dropout": dataclasses.replace(SMALL, tied=True, dropout=0.3),
}


def build(config, vocabs, seed=1):
    seed_everything(seed)
    return build_transformer(config, *vocabs).eval()


@pytest.fixture(params=KINDS)
def model(request, vocabs):
    return build(KINDS[request.param], vocabs)


def randomised(module):
    """Norms and biases too: those that start as 1 and 0 would hide a missing one."""
    with torch.no_grad():
        for p in module.parameters():
            p += 0.3 * torch.randn_like(p)
    return module.eval()


# --- masks and positions


def test_causal_mask_is_true_at_and_before():
    assert causal_mask(3).tolist() == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]
    forbidden = nn.Transformer.generate_square_subsequent_mask(9) == -math.inf
    assert torch.equal(causal_mask(9), ~forbidden)
    with pytest.raises(ValueError, match="0"):
        causal_mask(0)


def test_sines_are_the_formula_place_by_place():
    table = sinusoidal_positions(60, 8)
    assert table.shape == (60, 8) and table.dtype == torch.float32
    for p in range(60):
        for i in range(4):
            angle = p / 10_000 ** (2 * i / 8)
            assert table[p, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[p, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_a_shift_turns_every_pair_by_the_same_angle():
    """Section 3.5: PE[p + k] is a linear function of PE[p], one for all p."""
    table, k = sinusoidal_positions(40, 6).double(), 7
    start, later = table[:-k], table[k:]
    shift = torch.linalg.lstsq(start, later).solution
    torch.testing.assert_close(start @ shift, later, atol=1e-5, rtol=0)


@pytest.mark.parametrize("positions", [SinusoidalPositions(6), LearnedPositions(6, 9)])
def test_places_from_the_middle_are_the_same_places(positions):
    assert torch.equal(positions(3, 4), positions(0, 9)[3:7])
    assert len(set(map(tuple, positions(0, 9).tolist()))) == 9


# --- attention against PyTorch


def pytorch_attention(ours):
    theirs = nn.MultiheadAttention(ours.size, ours.heads, batch_first=True).eval()
    copy_attention(ours, theirs)
    return theirs


def copy_attention(ours, theirs):
    parts = (ours.query_layer, ours.key_layer, ours.value_layer)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in parts]))
        theirs.in_proj_bias.copy_(torch.cat([p.bias for p in parts]))
    theirs.out_proj.load_state_dict(ours.output_layer.state_dict())


@pytest.mark.parametrize("heads", [1, 3, 12])
def test_several_heads_are_those_of_pytorch(heads):
    torch.manual_seed(0)
    ours = randomised(MultiHeadAttention(D, heads))
    theirs = pytorch_attention(ours)
    query, states = torch.randn(B, T, D), torch.randn(B, S, D)
    valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    context, weights = ours(query, states, valid)
    expected, expected_weights = theirs(
        query, states, states, key_padding_mask=~valid, average_attn_weights=False
    )
    assert context.shape == (B, T, D) and weights.shape == (B, heads, T, S)
    torch.testing.assert_close(context, expected, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(weights, expected_weights, atol=1e-6, rtol=1e-6)
    assert not weights[1, :, :, 2:].any()


def test_causal_self_attention_is_that_of_pytorch():
    torch.manual_seed(0)
    ours = randomised(MultiHeadAttention(D, J))
    x = torch.randn(B, T, D)
    context, weights = ours(x, x, causal_mask(T).expand(B, T, T))
    expected, expected_weights = pytorch_attention(ours)(
        x, x, x, attn_mask=~causal_mask(T), average_attn_weights=False
    )
    torch.testing.assert_close(context, expected, atol=1e-6, rtol=1e-6)
    torch.testing.assert_close(weights, expected_weights, atol=1e-6, rtol=1e-6)
    assert not weights.triu(1).any() and (weights.diagonal(dim1=2, dim2=3) > 0).all()


def test_projecting_once_changes_nothing():
    torch.manual_seed(0)
    ours, valid = MultiHeadAttention(D, J), torch.ones(B, S, dtype=torch.bool)
    query, states = torch.randn(B, T, D), torch.randn(B, S, D)
    whole = ours(query, states, valid)
    for t in range(T):
        context, weights = ours.compare(query[:, t : t + 1], ours.project(states), valid)
        torch.testing.assert_close(context, whole[0][:, t : t + 1], **CLOSE)
        torch.testing.assert_close(weights, whole[1][:, :, t : t + 1], **CLOSE)


def copy_rest(ours, theirs, norms):
    theirs.linear1.load_state_dict(ours.feedforward[0].state_dict())
    theirs.linear2.load_state_dict(ours.feedforward[2].state_dict())
    for name, norm in norms.items():
        getattr(theirs, name).load_state_dict(norm.state_dict())


def test_encoder_layer_is_that_of_pytorch():
    torch.manual_seed(0)
    ours = randomised(EncoderLayer(D, J, 10))
    theirs = nn.TransformerEncoderLayer(D, J, 10, batch_first=True, norm_first=True).eval()
    copy_attention(ours.attention, theirs.self_attn)
    copy_rest(ours, theirs, {"norm1": ours.attention_norm, "norm2": ours.feedforward_norm})
    x, valid = torch.randn(B, S, D), torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    got, expected = ours(x, valid)[0], theirs(x, src_key_padding_mask=~valid)
    torch.testing.assert_close(got[valid], expected[valid], **CLOSE)


def test_decoder_layer_is_that_of_pytorch():
    torch.manual_seed(0)
    ours = randomised(DecoderLayer(D, J, 10))
    theirs = nn.TransformerDecoderLayer(D, J, 10, batch_first=True, norm_first=True).eval()
    copy_attention(ours.self_attention, theirs.self_attn)
    copy_attention(ours.cross_attention, theirs.multihead_attn)
    norms = {"norm1": ours.self_norm, "norm2": ours.cross_norm, "norm3": ours.feedforward_norm}
    copy_rest(ours, theirs, norms)
    x, states = torch.randn(B, T, D), torch.randn(B, S, D)
    valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    got = ours(x, torch.zeros(B, 0, 2, D), causal_mask(T), states, valid)[0]
    expected = theirs(
        x, states, tgt_mask=~causal_mask(T), tgt_is_causal=True, memory_key_padding_mask=~valid
    )
    torch.testing.assert_close(got, expected, **CLOSE)


# --- the whole model


def test_shapes(model, batch):
    out, looked = model(batch), model.look(batch)
    (rows, steps), size = batch.tgt_in.shape, batch.src_ids.shape[1]
    layers, heads = len(model.encoder.layers), model.encoder.layers[0].attention.heads
    assert isinstance(model, Seq2Seq)
    assert out.logits.shape == (rows, steps, len(model.tgt_vocab))
    assert out.states.shape == (rows, steps, D)
    assert out.weights.shape == (rows, steps, size)
    assert looked.encoder.shape == (rows, layers, heads, size, size)
    assert looked.decoder.shape == (rows, layers, heads, steps, steps)
    assert looked.cross.shape == (rows, layers, heads, steps, size)
    assert torch.equal(out.weights, looked.cross[:, -1].mean(dim=1))
    encoded = model.encode(batch)
    assert not encoded.states[~batch.src_valid].any()
    assert encoded.final.shape == (rows, 0, layers, 2, D)


def test_all_weights_sum_to_one_and_are_zero_where_nothing_may_be_seen(model, batch):
    looked = model.look(batch)
    for weights in (*looked, model(batch).weights):
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    padding = ~batch.src_valid
    assert padding.any()
    assert not looked.encoder.movedim(-1, 1)[padding].any()
    assert not looked.cross.movedim(-1, 1)[padding].any()
    assert not looked.decoder.triu(1).any()


def test_cached_steps_equal_the_masked_forward(model, batch):
    """The cache gives step by step what the causal mask gives all at once."""
    forced, encoded = model(batch), model.encode(batch)
    state = encoded.final
    for t in range(batch.tgt_in.shape[1]):
        logits, state, weights = model.decoder.step(
            batch.tgt_in[:, t], state, encoded, batch.src_valid
        )
        assert state.shape[:2] == (len(batch.src_len), t + 1)
        torch.testing.assert_close(logits, forced.logits[:, t], **CLOSE)
        torch.testing.assert_close(weights, forced.weights[:, t], **CLOSE)


def test_several_places_after_several_others(model, batch):
    forced, encoded = model(batch), model.encode(batch)
    args = (encoded, batch.src_valid)
    first = model.decoder.unroll(batch.tgt_in[:, :4], encoded.final, *args)
    then = model.decoder.unroll(batch.tgt_in[:, 4:], first.state, *args)
    torch.testing.assert_close(then.output.logits, forced.logits[:, 4:], **CLOSE)
    torch.testing.assert_close(then.inward, model.look(batch).decoder[..., 4:, :], **CLOSE)


def past_and_future(model, batch, t=3):
    """Whether logits up to t, and after t, change with the tokens after t."""
    changed = batch.tgt_in.clone()
    changed[:, t + 1 :] = 5
    before, after = model(batch).logits, model(batch._replace(tgt_in=changed)).logits
    return (
        not torch.equal(before[:, : t + 1], after[:, : t + 1]),
        not torch.equal(before[:, t + 1 :], after[:, t + 1 :]),
    )


def test_the_future_changes_nothing_in_the_past(model, batch):
    assert past_and_future(model, batch) == (False, True)


def test_without_the_mask_the_future_leaks(model, batch, monkeypatch):
    """The test above can fail: it does when every place may see every other."""
    monkeypatch.setattr(
        "seq2seq_attention.transformer.causal_mask",
        lambda size: torch.ones(size, size, dtype=torch.bool),
    )
    assert past_and_future(model, batch) == (True, True)


def test_padding_and_batch_mates_change_nothing(model, batch, pairs):
    together = model(batch)
    for b, pair in enumerate(pairs):
        alone = model(collate([pair], model.src_vocab, model.tgt_vocab))
        steps, size = len(pair.tgt) + 1, len(pair.src)
        torch.testing.assert_close(alone.logits[0], together.logits[b, :steps], **CLOSE)
        torch.testing.assert_close(alone.weights[0], together.weights[b, :steps, :size], **CLOSE)


@pytest.mark.parametrize("kind", ["none", "sinusoidal", "learned"])
def test_only_positions_know_the_order_of_the_source(kind, vocabs):
    """Shuffled words: without positions shuffled states and the same logits, else others."""
    model = build(KINDS[kind], vocabs)
    batch = collate([number_pair(999_999_999_999)], *vocabs)
    order = torch.randperm(batch.src_ids.shape[1], generator=torch.Generator().manual_seed(0))
    shuffled = batch._replace(src_ids=batch.src_ids[:, order])
    assert not torch.equal(shuffled.src_ids, batch.src_ids)
    states, moved = model.encode(batch).states, model.encode(shuffled).states
    logits, other = model(batch).logits, model(shuffled).logits
    weights = model(batch).weights[..., order], model(shuffled).weights
    pairs = [(moved, states[:, order]), (other, logits), weights]
    if kind == "none":
        for got, expected in pairs:
            torch.testing.assert_close(got, expected, **CLOSE)
    else:
        assert all((a - b).abs().max() > 1e-3 for a, b in pairs)


def test_the_order_of_what_was_said_matters_without_positions_too(vocabs):
    """The causal mask alone tells a decoder something of the order, as soon as it is two layers
    deep: the second sees states that have seen different numbers of words."""
    batch = collate([number_pair(999_999_999_999)], *vocabs)
    turned = batch.tgt_in.clone()
    turned[:, 1:5] = turned[:, 1:5].flip(1)
    for layers, differs in [(1, False), (2, True)]:
        model = build(dataclasses.replace(KINDS["none"], layers=layers), vocabs)
        change = (model(batch).logits - model(batch._replace(tgt_in=turned)).logits)[:, 5:]
        assert bool(change.abs().max() > 1e-4) == differs


def test_every_parameter_learns(model, batch):
    token_cross_entropy(model(batch).logits, batch.tgt_out, batch.tgt_valid).backward()
    # a key's bias adds the same to all scores of a query, so softmax takes it away again
    idle = [
        name
        for name, p in model.named_parameters()
        if not name.endswith("key_layer.bias") and not (p.grad is not None and p.grad.any())
    ]
    assert not idle


def test_dropout_only_in_training(vocabs, batch):
    model = build(KINDS["tied, dropout"], vocabs)
    assert torch.equal(model(batch).logits, model(batch).logits)
    model.train()
    assert not torch.equal(model(batch).logits, model(batch).logits)


def test_what_a_config_says_is_built(vocabs):
    model = build(KINDS["tied, dropout"], vocabs)
    assert model.decoder.head.output.weight is model.decoder.embed.embedding.weight
    assert {m.p for m in model.modules() if isinstance(m, nn.Dropout)} == {0.3}
    assert isinstance(model.encoder.embed.positions, SinusoidalPositions)
    assert isinstance(build(KINDS["none"], vocabs).decoder.embed.positions, NoPositions)
    learned = build(KINDS["learned"], vocabs)
    assert count_parameters(learned) - count_parameters(build(SMALL, vocabs)) == 2 * 128 * D
    assert len(model.encoder.layers) == len(model.decoder.layers) == 2


def test_embeddings_start_as_large_as_the_sines(vocabs):
    embed = build(TransformerConfig(), vocabs).encoder.embed
    assert (embed.embedding.weight[1:] * embed.scale).std().item() == pytest.approx(1, abs=0.1)
    ids = torch.tensor([[5, 6]])
    expected = embed.embedding.weight[ids] * 8 + sinusoidal_positions(2, 64)
    torch.testing.assert_close(embed(ids), expected)


# --- training, search and evaluation take it as any model


def sure_of_itself(seed=2, **changes):
    """A random Transformer of five target tokens, the special ones included."""
    vocabs = build_vocab([["one", "two", "three"]]), build_vocab([("a", "b")])
    model = build(dataclasses.replace(SMALL, **changes), vocabs, seed)
    with torch.no_grad():
        for p in model.parameters():
            p *= 1.5
        model.decoder.head.output.bias += torch.randn(len(vocabs[1]))
    return model


SOURCE = ("one", "two", "one")


@pytest.mark.parametrize("seed", range(4))
def test_beam_of_all_finds_what_exhaustive_search_finds(seed):
    """The cache is reordered with the beginnings: with a wrong row, probabilities differ."""
    model = sure_of_itself(seed)
    everything = exhaustive(model, SOURCE, max_len=3)
    sources = collate_sources([SOURCE], model.src_vocab)
    (found,) = beam(model, sources, width=5**4, max_len=3)
    assert sum(math.exp(h.log_prob) for h in everything.hypotheses) + everything.rest == (
        pytest.approx(1, abs=1e-5)
    )
    for got, expected in zip(found[:20], everything.hypotheses[:20], strict=True):
        assert got.log_prob == pytest.approx(expected.log_prob, abs=1e-4)
    assert found[0].ids == everything.hypotheses[0].ids


def test_search_score_and_teacher_forcing_agree(model, pairs):
    sources = [pair.src for pair in pairs]
    best = translate(model, sources, max_len=12)
    wide = translate(model, sources, max_len=12, search=functools.partial(beam, width=3))
    batch = collate_sources(sources, model.src_vocab)
    drawn = sample(model, batch, max_len=12)
    one = [row[0] for row in beam(model, batch, width=1, max_len=12)]
    assert [h.ids for h in greedy(model, batch, max_len=12)] == [h.ids for h in best]
    assert [h.ids for h in one] == [h.ids for h in best]
    for pair, *found in zip(pairs, best, drawn, [row[0] for row in wide], strict=True):
        for h in (h for h in found if h.complete and not set(h.ids) & {0, 1, 2}):
            got = score(model, [Pair(pair.src, tuple(h.tokens), None)])[0]
            assert got == pytest.approx(h.log_prob, abs=1e-4)
            assert h.weights.shape == (len(h.ids) + 1, len(pair.src))


def test_beam_tree_and_scheduled_sampling_run(batch, vocabs):
    model = sure_of_itself()
    tree = beam_tree(model, SOURCE, width=3, max_len=4)
    (found,) = beam(model, collate_sources([SOURCE], model.src_vocab), 3, max_len=4)
    assert [h.ids for h in tree.hypotheses] == [h.ids for h in found] != []
    model = build(SMALL, vocabs)
    torch.testing.assert_close(mixed_forward(model, batch, 0.0), model(batch).logits, **CLOSE)


def test_it_learns_a_handful_of_numbers(pairs, vocabs):
    model = build(dataclasses.replace(SMALL, size=24), vocabs)
    before = mean_nats(model, pairs)
    assert before == pytest.approx(math.log(len(vocabs[1])), abs=1.0)
    fit(model, pairs, TrainConfig(steps=300, lr=1e-2, warmup=20), valid=pairs)
    assert not model.training
    assert mean_nats(model, pairs) < 0.05 < before
    assert all(correct(model, pairs))
    assert all(place.free_error == 0 for place in by_position(model, pairs))
    for weights, pair in zip(forced_weights(model, pairs), pairs, strict=True):
        assert weights.shape == (len(pair.tgt) + 1, len(pair.src))


def test_same_seed_same_weights(vocabs):
    def weights(seed):
        return torch.cat([p.flatten() for p in build(SMALL, vocabs, seed).parameters()])

    assert torch.equal(weights(3), weights(3)) and not torch.equal(weights(3), weights(4))


# --- errors


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"size": 0}, "size.*0"),
        ({"size": 64.0}, "size.*64.0"),
        ({"heads": 5}, "64.*5"),
        ({"heads": True}, "heads.*True"),
        ({"layers": 0}, "layers.*0"),
        ({"feedforward": -1}, "feedforward.*-1"),
        ({"dropout": 1.0}, "dropout.*1.0"),
        ({"positions": "rotary"}, "'rotary'"),
        ({"tied": 1}, "tied.*1"),
        ({"max_length": None}, "max_length.*None"),
        ({"size": 9, "heads": 3}, "even.*9"),
    ],
)
def test_wrong_config_values_are_named(change, says):
    with pytest.raises(ValueError, match=says):
        TransformerConfig(**change)


def test_config_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TransformerConfig().size = 3


ones = torch.ones(B, S, dtype=torch.bool)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sinusoidal_positions(3, 7), "7"),
        (lambda: sinusoidal_positions(-1, 8), "-1"),
        (lambda: LearnedPositions(8, 0), "max_length.*0"),
        (lambda: LearnedPositions(8, 5)(0, 6), "5 places.*6 tokens"),
        (lambda: LearnedPositions(8, 5)(5, 1), "5 places.*6 tokens"),
        (lambda: MultiHeadAttention(8, 3), "3 heads and size 8"),
        (lambda: MultiHeadAttention(D, J).project(torch.zeros(B, S, D + 1)), r"\(2, 5, 13\)"),
        (
            lambda: MultiHeadAttention(D, J)(torch.zeros(3, T, D), torch.zeros(B, S, D), ones),
            r"\(3, 4, 12\)",
        ),
        (
            lambda: MultiHeadAttention(D, J)(
                torch.zeros(B, T, D), torch.zeros(B, S, D), ones[:, :4]
            ),
            r"\(2, 3, 4\)",
        ),
        (
            lambda: MultiHeadAttention(D, J)(
                torch.zeros(B, T, D), torch.zeros(B, S, D), ones & torch.tensor([[True], [False]])
            ),
            r"rows \[1\]",
        ),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_sizes_that_dont_fit_are_named(vocabs, batch):
    model = build(SMALL, vocabs)
    encoded = model.encode(batch)
    with pytest.raises(ValueError, match="mask"):
        model.decoder(batch.tgt_in, encoded, batch.src_valid[:, :2])
    with pytest.raises(ValueError, match="tgt_in"):
        model.decoder(batch.tgt_in[:2], encoded, batch.src_valid)
    with pytest.raises(ValueError, match="src_valid"):
        model.encoder(batch.src_ids, batch.src_valid[:, :2])
    short = build(dataclasses.replace(KINDS["learned"], max_length=5), vocabs)
    with pytest.raises(ValueError, match="5 places"):
        greedy(short, batch)
