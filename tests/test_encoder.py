"""encoder: equal to PyTorch, and blind to padding and batch mates."""

import pytest
import torch
from torch import nn

from seq2seq_attention.batch import collate_sources
from seq2seq_attention.encoder import Encoder, gru_step
from seq2seq_attention.train import seed_everything


@pytest.mark.parametrize(("batch", "steps", "embed", "hidden"), [(1, 1, 1, 1), (3, 7, 5, 4)])
def test_gru_written_out_equals_nn_gru(batch, steps, embed, hidden):
    torch.manual_seed(0)
    gru = nn.GRU(embed, hidden, batch_first=True)
    x, h = torch.randn(batch, steps, embed), torch.randn(batch, hidden)
    expected, _ = gru(x, h[None])
    for t in range(steps):
        h = gru_step(x[:, t], h, gru.weight_ih_l0, gru.weight_hh_l0, gru.bias_ih_l0, gru.bias_hh_l0)
        torch.testing.assert_close(h, expected[:, t], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("both_ways", [False, True])
def test_shapes(both_ways):
    encoder = Encoder(11, embed_size=3, hidden_size=4, bidirectional=both_ways)
    out = encoder(torch.randint(3, 11, (2, 5)), torch.tensor([5, 2]))
    assert out.states.shape == (2, 5, 8 if both_ways else 4)
    assert out.final.shape == (2, 4)
    assert encoder.output_size == out.states.shape[2]
    assert not out.states[1, 2:].any(), "padding has zero states"


def test_final_is_the_state_after_the_last_real_token():
    """CASES A2: not the state after the padding."""
    seed_everything(0)
    encoder = Encoder(11, 3, 4)
    ids = torch.tensor([[3, 4, 5, 0, 0], [6, 7, 8, 9, 10]])
    out = encoder(ids, torch.tensor([3, 5]))
    torch.testing.assert_close(out.final[0], out.states[0, 2])
    torch.testing.assert_close(out.final[1], out.states[1, 4])


@pytest.mark.parametrize("both_ways", [False, True])
def test_padding_and_batch_mates_change_nothing(both_ways, vocabs, pairs):
    seed_everything(0)
    encoder = Encoder(len(vocabs[0]), 6, 8, both_ways)
    sources = collate_sources([p.src for p in pairs], vocabs[0])
    together = encoder(sources.src_ids, sources.src_len)
    for b, pair in enumerate(pairs):
        alone = encoder(*collate_sources([pair.src], vocabs[0])[:2])
        torch.testing.assert_close(alone.final[0], together.final[b], atol=1e-6, rtol=1e-5)
        torch.testing.assert_close(
            alone.states[0], together.states[b, : len(pair.src)], atol=1e-6, rtol=1e-5
        )


def test_pad_is_zero_and_is_not_learned():
    encoder = Encoder(9, 3, 4)
    encoder(torch.tensor([[3, 0, 4]]), torch.tensor([3])).states.sum().backward()
    weight = encoder.embedding.weight
    assert not weight[0].any() and not weight.grad[0].any()
    assert weight[3].any() and weight.grad[3].any()


def test_dropout_acts_on_states_in_training_only():
    seed_everything(0)
    encoder = Encoder(9, 3, 40, dropout=0.5)
    ids, length = torch.tensor([[3, 4, 5]]), torch.tensor([3])
    trained = encoder.train()(ids, length)
    plain = encoder.eval()(ids, length)
    dropped = trained.states == 0
    assert 0.3 < dropped.float().mean() < 0.7
    torch.testing.assert_close(trained.states[~dropped], 2 * plain.states[~dropped])
    assert torch.equal(trained.final, plain.final), "the decoder's first state is left whole"
    assert torch.equal(plain.states, encoder(ids, length).states)


def test_backward_states_see_what_follows():
    seed_everything(0)
    one_way, both_ways = Encoder(9, 3, 4), Encoder(9, 3, 4, bidirectional=True)
    first, second = torch.tensor([[3, 4, 5]]), torch.tensor([[3, 4, 6]])
    length = torch.tensor([3])
    assert torch.equal(one_way(first, length).states[:, 0], one_way(second, length).states[:, 0])
    assert not torch.equal(
        both_ways(first, length).states[:, 0], both_ways(second, length).states[:, 0]
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Encoder(0, 3, 4), "vocab_size.*0"),
        (lambda: Encoder(9, 0, 4), "embed_size.*0"),
        (lambda: Encoder(9, 3, -1), "hidden_size.*-1"),
        (lambda: Encoder(9, 3, 4, dropout=-0.1), "dropout.*-0.1"),
        (lambda: Encoder(9, 3, 4, final_size=5), "final_size must be 4, got 5"),
        (lambda: Encoder(9, 3, 4)(torch.ones(2, 3).long(), torch.tensor([3])), r"\(2, 3\)"),
        (lambda: Encoder(9, 3, 4)(torch.ones(1, 3).long(), torch.tensor([4])), r"\[4\]"),
        (lambda: Encoder(9, 3, 4)(torch.ones(1, 3).long(), torch.tensor([0])), r"\[0\]"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(ValueError, match=says):
        make()
