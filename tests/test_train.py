"""train: one batch can be learned by heart, a tiny task end to end, runs repeat."""

import pytest
import torch
from conftest import CONFIGS

from seq2seq_attention.data import number_pair, number_pairs, split_pairs
from seq2seq_attention.evaluate import accuracy, correct
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.train import (
    TrainConfig,
    fit,
    mean_nats,
    mixed_forward,
    seed_everything,
    train_step,
)
from seq2seq_attention.vocab import build_vocab


def test_one_batch_can_be_learned_by_heart(batch, vocabs, pairs):
    for config in (
        ModelConfig(embed_size=16, hidden_size=48),
        ModelConfig("additive", "previous", 16, 32, bidirectional=True),
        ModelConfig("general", "current", 16, 32, bidirectional=True, tied=True),
    ):
        seed_everything(0)
        model = build_model(config, *vocabs)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        losses = [train_step(model, batch, optimizer) for _ in range(250)]
        assert losses[-1] < 0.01 < losses[0]
        assert all(correct(model, pairs))


def test_end_to_end_on_a_tiny_task():
    """Numbers below 1,000: train, translate unseen ones, most are right."""
    splits = split_pairs([number_pair(n) for n in range(1000)])
    vocabs = build_vocab(p.src for p in splits.train), build_vocab(p.tgt for p in splits.train)
    seed_everything(0)
    model = build_model(ModelConfig("general", "current", 24, 32, bidirectional=True), *vocabs)
    history = fit(model, splits.train, TrainConfig(250, 1e-2, batch_size=64), splits.valid)
    assert len(history.nats) == 250 and history.valid_steps == [100, 200, 250]
    assert history.valid_nats[-1] < history.valid_nats[0]
    assert accuracy(correct(model, splits.test)) > 0.9
    assert not model.training, "fit leaves the model ready to use"


def test_runs_repeat_bit_for_bit():
    pairs = number_pairs(200, max_digits=4)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)

    def run(seed):
        seed_everything(seed)
        model = build_model(ModelConfig("additive", embed_size=8, hidden_size=8), *vocabs)
        return fit(model, pairs, TrainConfig(12, 1e-2, batch_size=16, seed=seed)).nats

    assert run(0) == run(0) != run(1)


def test_on_step_sees_every_step():
    pairs = number_pairs(50, max_digits=2)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    model = build_model(ModelConfig(embed_size=4, hidden_size=4), *vocabs)
    seen = []
    fit(model, pairs, TrainConfig(5, 1e-3), on_step=lambda step, m: seen.append((step, m is model)))
    assert seen == [(i, True) for i in range(1, 6)]


def test_learning_rate_rises_then_falls():
    config = TrainConfig(steps=300, lr=0.01, warmup=100)
    rates = [config.lr_at(step) for step in range(300)]
    assert max(rates) == pytest.approx(0.01) and rates.index(max(rates)) in (99, 100)
    assert rates[:99] == sorted(rates[:99]) and rates[100:] == sorted(rates[100:], reverse=True)
    assert rates[-1] < 0.0003 and min(rates) > 0


def test_validation_is_of_the_validation_pairs_and_changes_no_mode():
    pairs = number_pairs(60, max_digits=3)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    config = ModelConfig("general", "current", 8, 8, bidirectional=True, dropout=0.5)
    model = build_model(config, *vocabs)
    history = fit(model, pairs[:50], TrainConfig(4, 1e-3), valid=pairs[50:])
    assert history.valid_nats == [mean_nats(model, pairs[50:])]
    assert history.valid_nats != [mean_nats(model, pairs[:50])]
    model.train()
    assert mean_nats(model, pairs) == mean_nats(model, pairs), "no dropout while measuring"
    with pytest.raises(ValueError, match="no pairs"):
        mean_nats(model, [])
    assert model.training


def test_fit_uses_the_schedule_and_another_order_each_epoch():
    pairs = number_pairs(40, max_digits=2)
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    model = build_model(ModelConfig(embed_size=4, hidden_size=4), *vocabs)
    config = TrainConfig(4, 0.02, batch_size=64, warmup=2)
    rates, seen = [], []

    class Spy(torch.optim.Adam):
        def step(self, *args):
            rates.append(self.param_groups[0]["lr"])
            return super().step(*args)

    def encode(batch, plain=model.encode):
        seen.append(batch.src_ids.flatten().tolist())
        return plain(batch)

    model.encode = encode
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim, "Adam", Spy)
        fit(model, pairs, config)
    assert rates == [config.lr_at(step) for step in range(4)]
    assert seen[:2] != seen[2:], "the second epoch comes in another order"


def test_a_step_clips_the_gradient(batch, vocabs):
    seed_everything(0)
    model = build_model(ModelConfig(embed_size=4, hidden_size=4), *vocabs)
    train_step(model, batch, torch.optim.SGD(model.parameters(), lr=0.0), clip=0.01)
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    assert norm.item() == pytest.approx(0.01, rel=1e-3)


def test_a_gradient_that_is_not_finite_changes_nothing(batch, vocabs):
    model = build_model(ModelConfig(embed_size=4, hidden_size=4), *vocabs)
    before = [p.clone() for p in model.parameters()]
    model.encoder.embedding.weight.register_hook(lambda g: g * float("nan"))
    with pytest.raises(FloatingPointError, match="nan"):
        train_step(model, batch, torch.optim.Adam(model.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_a_loss_that_is_not_finite_stops_the_run(batch, vocabs):
    model = build_model(ModelConfig(embed_size=4, hidden_size=4), *vocabs)
    with torch.no_grad():
        model.decoder.head.output.bias.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="nan"):
        train_step(model, batch, torch.optim.Adam(model.parameters()))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"steps": 0}, "steps"),
        ({"steps": 2.5}, "steps.*2.5"),
        ({"lr": -1.0}, "lr"),
        ({"lr": float("inf")}, "lr.*inf"),
        ({"clip": 0}, "clip"),
        ({"warmup": -1}, "-1"),
        ({"batch_size": True}, "batch_size.*True"),
        ({"seed": "a"}, "seed.*'a'"),
    ],
)
def test_bad_settings_are_named(change, says):
    with pytest.raises(ValueError, match=says):
        TrainConfig(**{"steps": 10, "lr": 0.1, **change})


# --- scheduled sampling --------------------------------------------------------------------


def test_without_own_words_it_is_teacher_forcing(model, batch):
    torch.testing.assert_close(mixed_forward(model, batch, 0.0), model(batch).logits)


def test_all_own_words_make_the_targets_after_the_first_irrelevant(model, batch):
    scrambled = batch._replace(tgt_in=batch.tgt_in.clone())
    scrambled.tgt_in[:, 1:] = 3
    runs = []
    for one in (batch, scrambled):
        torch.manual_seed(0)
        runs.append(mixed_forward(model, one, 1.0))
    assert torch.equal(*runs)
    torch.manual_seed(1)
    assert not torch.equal(runs[0], mixed_forward(model, batch, 1.0)), "the words are drawn"


def test_about_the_share_asked_for_is_read(model, batch):
    """With a model that says only one word, and other words to read, the two can be told apart."""
    said, read = 4, []
    model.decoder.head.output.bias.data[said] = 1e4
    step, decoder = model.decoder.step, model.decoder
    decoder.step = lambda prev, *rest: read.append(prev) or step(prev, *rest)
    others = batch._replace(tgt_in=torch.full((len(batch.tgt_in), 60), 5))
    mixed_forward(model, others, 0.3)
    del decoder.step
    assert (read[0] == 5).all(), "the first input is always the given one"
    share = float((torch.stack(read[1:]) == said).float().mean())
    assert 0.22 < share < 0.38


def test_the_share_rises_from_nothing_and_0_changes_no_bit(pairs, vocabs):
    config, runs = TrainConfig(steps=4, lr=1e-2, batch_size=4), {}
    for share in (0.0, 0.9):
        seed_everything(0)
        model = build_model(CONFIGS["vanilla"], *vocabs)
        runs[share] = fit(model, pairs, config, own_share=share).nats
    assert runs[0.0][0] == runs[0.9][0], "the first step is teacher-forced"
    assert runs[0.0] != runs[0.9]


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_outside_0_to_1_is_refused(pairs, vocabs, batch, share):
    model = build_model(CONFIGS["vanilla"], *vocabs)
    for go in (
        lambda: fit(model, pairs, TrainConfig(steps=1, lr=1e-3), own_share=share),
        lambda: mixed_forward(model, batch, share),
    ):
        with pytest.raises(ValueError, match="own_share must be from 0 to 1"):
            go()
