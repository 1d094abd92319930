"""attention: scores against loops and PyTorch, weights against their definition."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from seq2seq_attention.attention import (
    SCORES,
    AdditiveScore,
    ConcatScore,
    DotScore,
    GeneralScore,
    ScaledDotScore,
    attend,
)

B, T, S, H, D = 2, 3, 5, 4, 6  # all different, so that no mix-up goes unseen


def tensors(key_size=D):
    torch.manual_seed(0)
    return torch.randn(B, T, H), torch.randn(B, S, key_size)


def loop(formula, query, keys):
    return torch.stack(
        [
            torch.stack([torch.stack([formula(q, k) for k in keys[b]]) for q in query[b]])
            for b in range(B)
        ]
    )


def test_additive_is_the_formula_pair_by_pair():
    query, keys = tensors()
    score = AdditiveScore(H, D, attention_size=7)
    w, u, v = score.query_layer.weight, score.key_layer.weight, score.energy.weight[0]
    expected = loop(lambda q, k: v @ torch.tanh(w @ q + u @ k), query, keys)
    torch.testing.assert_close(score(query, keys), expected)


def test_concat_is_the_formula_pair_by_pair():
    """As Luong et al. (2015) write it: one matrix on the two vectors joined end to end."""
    query, keys = tensors()
    score = ConcatScore(H, D, attention_size=7)
    w, v = score.layer.weight, score.energy.weight[0]
    assert w.shape == (7, H + D)
    expected = loop(lambda q, k: v @ torch.tanh(w @ torch.cat([q, k])), query, keys)
    torch.testing.assert_close(score(query, keys), expected)


def test_concat_is_additive_with_its_matrix_cut_in_two():
    query, keys = tensors()
    concat, additive = ConcatScore(H, D), AdditiveScore(H, D)
    whole = concat.layer.weight.detach()
    additive.load_state_dict(
        {
            "query_layer.weight": whole[:, :H],
            "key_layer.weight": whole[:, H:],
            "energy.weight": concat.energy.weight.detach(),
        }
    )
    torch.testing.assert_close(additive(query, keys), concat(query, keys))
    sizes = [sum(p.numel() for p in score.parameters()) for score in (concat, additive)]
    assert sizes[0] == sizes[1] == H * (H + D) + H


def test_general_is_nn_bilinear():
    query, keys = tensors()
    score, bilinear = GeneralScore(H, D), nn.Bilinear(H, D, 1, bias=False)
    bilinear.weight.data = score.key_layer.weight.data[None]
    torch.testing.assert_close(
        score(query, keys), loop(lambda q, k: bilinear(q, k)[0], query, keys)
    )


def test_dot_and_scaled_dot_are_the_formulas():
    query, keys = tensors(H)
    expected = loop(lambda q, k: q @ k, query, keys)
    torch.testing.assert_close(DotScore(H, H)(query, keys), expected)
    torch.testing.assert_close(ScaledDotScore(H, H)(query, keys), expected / math.sqrt(H))


def test_scaled_dot_attention_equals_pytorch():
    query, keys = tensors(H)
    valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    context, _ = attend(ScaledDotScore(H, H)(query, keys), keys, valid)
    expected = F.scaled_dot_product_attention(query, keys, keys, attn_mask=valid[:, None])
    torch.testing.assert_close(context, expected)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 6), st.floats(0.01, 1e4), st.randoms())
def test_weights_sum_to_one_and_are_zero_on_padding(batch, steps, size, scale, rng):
    torch.manual_seed(rng.randrange(10**6))
    lengths = torch.tensor([rng.randint(1, size) for _ in range(batch)])
    valid = torch.arange(size) < lengths[:, None]
    values = torch.randn(batch, size, 3)
    context, weights = attend(torch.randn(batch, steps, size) * scale, values, valid)
    torch.testing.assert_close(weights.sum(-1), torch.ones(batch, steps))
    assert bool((weights.masked_select(~valid[:, None].expand_as(weights)) == 0).all())
    assert bool((weights >= 0).all())
    changed = values.masked_fill(~valid[..., None], 1e6)
    torch.testing.assert_close(attend(weights.log(), changed, valid)[0], context)


@pytest.mark.parametrize("name", SCORES)
def test_permuting_the_states_permutes_the_weights(name):
    """CASES A1: attention really looks at the encoder states."""
    query, keys = tensors(H)
    score = SCORES[name](H, H)
    valid = torch.ones(B, S, dtype=torch.bool)
    order = torch.tensor([3, 0, 4, 1, 2])
    context, weights = attend(score(query, keys), keys, valid)
    moved_context, moved = attend(score(query, keys[:, order]), keys[:, order], valid)
    torch.testing.assert_close(moved, weights[..., order])
    torch.testing.assert_close(moved_context, context)
    assert not torch.allclose(moved, weights)


@pytest.mark.parametrize("name", SCORES)
def test_projecting_once_changes_nothing(name):
    query, keys = tensors(H)
    score = SCORES[name](H, H)
    torch.testing.assert_close(score.compare(query, score.project(keys)), score(query, keys))


@pytest.mark.parametrize("name", SCORES)
def test_gradients_reach_query_and_keys(name):
    query, keys = (x.requires_grad_() for x in tensors(H))
    context, _ = attend(
        SCORES[name](H, H)(query, keys), keys.detach(), torch.ones(B, S, dtype=torch.bool)
    )
    context.square().sum().backward()
    assert query.grad.abs().sum() > 0 and keys.grad.abs().sum() > 0


def test_a_mask_a_step_and_several_heads():
    """(B, T, S) masks and one more axis give what each step and each head gives by itself."""
    torch.manual_seed(0)
    heads = 7
    scores, values = torch.randn(B, heads, T, S), torch.randn(B, heads, S, D)
    seen = torch.arange(S) <= torch.arange(T)[:, None]  # (T, S)
    context, weights = attend(scores, values, seen.expand(B, heads, T, S))
    for j in range(heads):
        for t in range(T):
            alone = attend(scores[:, j, t : t + 1], values[:, j], seen[t].expand(B, S))
            torch.testing.assert_close(context[:, j, t : t + 1], alone[0])
            torch.testing.assert_close(weights[:, j, t : t + 1], alone[1])
    valid = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    whole = attend(scores, values, valid[:, None].expand(B, heads, S))
    for j in range(heads):
        torch.testing.assert_close(whole[1][:, j], attend(scores[:, j], values[:, j], valid)[1])


ones = torch.ones(B, S, dtype=torch.bool)
one_empty = torch.tensor([[True], [False]]).expand(B, S)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: DotScore(4, 6), "4 and 6"),
        (lambda: AdditiveScore(0, 3), "query 0"),
        (lambda: AdditiveScore(H, D, attention_size=0), "attention_size .* got 0"),
        (lambda: ConcatScore(H, D, attention_size=0), "attention_size .* got 0"),
        (lambda: GeneralScore(H, D)(torch.zeros(B, T, H + 1), torch.zeros(B, S, D)), "5"),
        (lambda: GeneralScore(H, D)(torch.zeros(B, H), torch.zeros(B, S, D)), r"\(2, 4\)"),
        (lambda: GeneralScore(H, D)(torch.zeros(3, T, H), torch.zeros(B, S, D)), r"\(3, 3, 4\)"),
        (lambda: attend(torch.zeros(B, T, S), torch.zeros(B, S, D), ones[:, :4]), r"\(2, 4\)"),
        (lambda: attend(torch.zeros(B, T, S), torch.zeros(B, 4, D), ones), r"\(2, 4, 6\)"),
        (lambda: attend(torch.zeros(B, T, S), torch.zeros(B, S, D), ones.long()), "int64"),
        (lambda: attend(torch.zeros(B, T, S), torch.zeros(B, S, D), ~ones), r"rows \[0, 1\]"),
        (lambda: attend(torch.zeros(B, T, S), torch.zeros(B, S, D), one_empty), r"rows \[1\]"),
        (
            lambda: attend(
                torch.zeros(B, T, S), torch.zeros(B, S, D), one_empty[:, None].expand(B, T, S)
            ),
            r"rows \[1\]",
        ),
        (
            lambda: attend(torch.zeros(B, T, S), torch.zeros(B, S, D), ones[:, None]),
            r"\(2, 1, 5\)",
        ),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
