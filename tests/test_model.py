"""decoder and model: the invariants that hold for every kind of model."""

import dataclasses

import pytest
import torch

from seq2seq_attention.batch import collate
from seq2seq_attention.data import number_pair
from seq2seq_attention.decoder import BahdanauDecoder, Decoder, LuongDecoder
from seq2seq_attention.encoder import EncoderOutput, gru_step
from seq2seq_attention.loss import token_cross_entropy
from seq2seq_attention.model import ModelConfig, build_model, count_parameters
from seq2seq_attention.train import seed_everything

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


def test_shapes(model, batch):
    out = model(batch)
    rows, steps = batch.tgt_in.shape
    assert out.logits.shape == (rows, steps, len(model.tgt_vocab))
    assert out.states.shape == (rows, steps, 8)
    if out.weights is not None:
        assert out.weights.shape == (rows, steps, batch.src_ids.shape[1])


def test_step_equals_forward(model, batch):
    """One step at a time, fed the same tokens, gives what teacher forcing gives."""
    forced = model(batch)
    encoded = model.encode(batch)
    state = encoded.final
    for t in range(batch.tgt_in.shape[1]):
        logits, state, weights = model.decoder.step(
            batch.tgt_in[:, t], state, encoded, batch.src_valid
        )
        torch.testing.assert_close(logits, forced.logits[:, t], **CLOSE)
        torch.testing.assert_close(state, forced.states[:, t], **CLOSE)
        if weights is not None:
            torch.testing.assert_close(weights, forced.weights[:, t], **CLOSE)


def written_out(model, batch):
    """The decoder's equations once more, one sentence step at a time, from the book's parts."""
    decoder, gru = model.decoder, model.decoder.gru
    cell = (gru.weight_ih_l0, gru.weight_hh_l0, gru.bias_ih_l0, gru.bias_hh_l0)
    states, s = model.encode(batch)
    for t in range(batch.tgt_in.shape[1]):
        y = decoder.embedding(batch.tgt_in[:, t])
        kind = type(decoder)
        if kind is LuongDecoder:
            s = gru_step(y, s, *cell)
        if kind is not Decoder:
            e = decoder.score(s[:, None], states)[:, 0].masked_fill(~batch.src_valid, -1e30)
            alpha = e.softmax(dim=1)  # (B, S)
            c = (alpha[..., None] * states).sum(dim=1)  # (B, D)
        if kind is BahdanauDecoder:
            s = gru_step(torch.cat([y, c], dim=1), s, *cell)
            yield torch.tanh(decoder.combine(torch.cat([s, y, c], dim=1))), s, alpha
        elif kind is LuongDecoder:
            yield torch.tanh(decoder.combine(torch.cat([s, c], dim=1))), s, alpha
        else:
            s = gru_step(y, s, *cell)
            yield s, s, None


def test_each_decoder_is_its_papers_equations(model, batch):
    out = model(batch)
    for t, (vector, s, alpha) in enumerate(written_out(model, batch)):
        torch.testing.assert_close(out.states[:, t], s, **CLOSE)
        torch.testing.assert_close(out.logits[:, t], model.decoder.head(vector), **CLOSE)
        if alpha is not None:
            torch.testing.assert_close(out.weights[:, t], alpha, **CLOSE)


def test_what_a_config_says_is_built(vocabs):
    model = build_model(
        ModelConfig("general", "current", 6, 8, bidirectional=True, tied=True, dropout=0.3), *vocabs
    )
    assert model.encoder.dropout.p == 0.3 and model.encoder.gru.bidirectional
    assert model.encoder.embedding.num_embeddings == len(vocabs[0]) != len(vocabs[1])
    assert model.decoder.embedding.num_embeddings == len(vocabs[1])
    assert model.decoder.head.output.weight is model.decoder.embedding.weight
    assert isinstance(model.decoder, LuongDecoder)
    assert isinstance(build_model(ModelConfig("general"), *vocabs).decoder, BahdanauDecoder)


def test_the_future_changes_nothing_in_the_past(model, batch):
    """CASES A6: tokens after position t are replaced; logits up to t stay equal, bit for bit."""
    t = 3
    changed = batch.tgt_in.clone()
    changed[:, t + 1 :] = 5
    before, after = model(batch), model(batch._replace(tgt_in=changed))
    assert torch.equal(before.logits[:, : t + 1], after.logits[:, : t + 1])
    assert not torch.equal(before.logits[:, t + 1 :], after.logits[:, t + 1 :])


def test_padding_and_batch_mates_change_nothing(model, batch, pairs):
    together = model(batch)
    for b, pair in enumerate(pairs):
        alone = model(collate([pair], model.src_vocab, model.tgt_vocab))
        steps, size = len(pair.tgt) + 1, len(pair.src)
        torch.testing.assert_close(alone.logits[0], together.logits[b, :steps], **CLOSE)
        if alone.weights is not None:
            torch.testing.assert_close(
                alone.weights[0], together.weights[b, :steps, :size], **CLOSE
            )


def test_weights_sum_to_one_and_are_zero_on_padding(attending, batch):
    weights = attending(batch).weights
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))
    padding = ~batch.src_valid[:, None].expand_as(weights)
    assert padding.any() and not weights[padding].any()


def test_permuting_the_encoder_states_permutes_the_weights(attending):
    batch = collate([number_pair(999_999_999_999)], attending.src_vocab, attending.tgt_vocab)
    encoded = attending.encode(batch)
    order = torch.randperm(encoded.states.shape[1], generator=torch.Generator().manual_seed(0))
    moved = EncoderOutput(encoded.states[:, order], encoded.final)
    plain = attending.decoder(batch.tgt_in, encoded, batch.src_valid)
    other = attending.decoder(batch.tgt_in, moved, batch.src_valid)
    torch.testing.assert_close(other.weights, plain.weights[..., order], **CLOSE)
    torch.testing.assert_close(other.logits, plain.logits, **CLOSE)


def test_every_parameter_learns(model, batch):
    """CASES A1: the loss sends a gradient to every tensor, the score's and the keys' included."""
    loss = token_cross_entropy(model(batch).logits, batch.tgt_out, batch.tgt_valid)
    loss.backward()
    idle = [
        name for name, p in model.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0
    ]
    assert not idle


def test_a_plain_decoder_sees_the_source_through_c_alone(vocabs, batch):
    model = build_model(ModelConfig(embed_size=6, hidden_size=8), *vocabs).eval()
    encoded = model.encode(batch)
    emptied = EncoderOutput(torch.zeros_like(encoded.states), encoded.final)
    assert torch.equal(
        model.decoder(batch.tgt_in, encoded, batch.src_valid).logits,
        model.decoder(batch.tgt_in, emptied, batch.src_valid).logits,
    )


def test_tying_shares_the_matrix(vocabs):
    tied = build_model(ModelConfig(embed_size=6, hidden_size=8, tied=True), *vocabs)
    untied = build_model(ModelConfig(embed_size=6, hidden_size=8), *vocabs)
    assert tied.decoder.head.output.weight is tied.decoder.embedding.weight
    saved = len(vocabs[1]) * 8 - 8 * 6  # one (V, H) matrix less, one (E, H) projection more
    assert count_parameters(untied) - count_parameters(tied) == saved


def test_tied_logits_are_dot_products_with_embeddings(vocabs, batch):
    model = build_model(ModelConfig(embed_size=6, hidden_size=8, tied=True), *vocabs).eval()
    out = model(batch)
    vectors = model.decoder.head.project(out.states)
    table, bias = model.decoder.embedding.weight, model.decoder.head.output.bias
    torch.testing.assert_close(out.logits, vectors @ table.T + bias)


def test_same_seed_same_weights(vocabs):
    def weights(seed):
        seed_everything(seed)
        return torch.cat(
            [p.flatten() for p in build_model(ModelConfig("additive"), *vocabs).parameters()]
        )

    assert torch.equal(weights(3), weights(3)) and not torch.equal(weights(3), weights(4))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"attention": "cosine"}, "'cosine'"),
        ({"query": "next"}, "'next'"),
        ({"embed_size": 0}, "embed_size.*0"),
        ({"hidden_size": -3}, "hidden_size.*-3"),
        ({"encoder_size": 0}, "encoder_size.*0"),
        ({"dropout": 1.0}, "dropout.*1.0"),
        ({"bidirectional": "no"}, "bidirectional.*'no'"),
        ({"tied": 1}, "tied.*1"),
        ({"embed_size": None}, "embed_size.*None"),
        ({"hidden_size": 8.0}, "8.0"),
        ({"hidden_size": True}, "True"),
    ],
)
def test_unknown_config_values_are_named(change, says):
    with pytest.raises(ValueError, match=says):
        ModelConfig(**change)


def test_configs_are_frozen_and_unknown_names_refused():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ModelConfig().hidden_size = 3
    with pytest.raises(TypeError, match="hiden_size"):
        ModelConfig(hiden_size=3)


def test_sizes_that_dont_fit_are_named(vocabs, batch):
    with pytest.raises(ValueError, match="8 and 16"):
        build_model(ModelConfig("dot", hidden_size=8, bidirectional=True), *vocabs)
    with pytest.raises(ValueError, match="final_size"):
        build_model(ModelConfig(hidden_size=8, encoder_size=4), *vocabs)
    model = build_model(ModelConfig(hidden_size=8), *vocabs)
    with pytest.raises(ValueError, match="mask"):
        model.decoder(batch.tgt_in, model.encode(batch), batch.src_valid[:, :2])
    with pytest.raises(ValueError, match="tgt_in"):
        model.decoder(batch.tgt_in[:2], model.encode(batch), batch.src_valid)
