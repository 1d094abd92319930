"""beam and explore: nothing is missed that brute force finds, and width 1 is greedy."""

import math

import pytest
import torch
from conftest import CONFIGS, SMALL_SOURCE, small_model

from seq2seq_attention.batch import collate_sources
from seq2seq_attention.beam import beam
from seq2seq_attention.explore import beam_tree, exhaustive
from seq2seq_attention.search import greedy

PENALTIES = (0.0, 0.6, 1.0, 2.0)


def one(model, source=SMALL_SOURCE):
    return collate_sources([source], model.src_vocab)


def ranked(exact, penalty):
    """Scores of all finished sentences, best first."""
    return sorted(
        (h.log_prob / (len(h.ids) + 1) ** penalty for h in exact.hypotheses), reverse=True
    )


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("max_len", [1, 2, 3])
def test_a_beam_as_wide_as_the_space_is_brute_force(kind, max_len):
    for seed in range(5):
        model = small_model(kind, seed)
        exact = exhaustive(model, SMALL_SOURCE, max_len)
        width = len(model.tgt_vocab) ** (max_len + 1)
        for penalty in PENALTIES:
            found = beam(model, one(model), width, penalty, max_len)[0]
            assert len(found) == len(exact.hypotheses), "all of them are finished"
            assert len({tuple(h.ids) for h in found}) == len(found)
            scores = [h.log_prob / (len(h.ids) + 1) ** penalty for h in found]
            assert scores == pytest.approx(ranked(exact, penalty), abs=1e-4)
            known = {tuple(h.ids): h.log_prob for h in exact.hypotheses}
            for h in found:
                assert h.complete and h.log_prob == pytest.approx(known[tuple(h.ids)], abs=1e-4)


def without_stopping(model, steps, width, penalty, max_len):
    """The same beams by plain loops over tuples, run to the end whatever is found."""
    beams, finished = [((), 0.0)], []
    for step in range(max_len + 1):
        candidates = [
            ((*ids, y), x + p) for ids, x in beams for y, p in enumerate(steps[ids].tolist())
        ]
        candidates = sorted(candidates, key=lambda c: -c[1])[:width]
        eos = model.tgt_vocab.eos_id
        finished += [(ids, x / (step + 1) ** penalty) for ids, x in candidates if ids[-1] == eos]
        beams = [c for c in candidates if c[0][-1] != eos]
    return sorted(finished, key=lambda c: -c[1])[:width]


def exhaustive_log_probs(model, max_len):
    """log P of the next token after every beginning of at most `max_len` tokens."""
    sources = one(model)
    encoded = model.encode(sources)
    table, states = {}, {(): (model.tgt_vocab.sos_id, encoded.final)}
    for _ in range(max_len + 1):
        longer = {}
        for ids, (prev, state) in states.items():
            out = model.decoder.step(torch.tensor([prev]), state, encoded, sources.src_valid)
            table[ids] = out.logits[0].log_softmax(-1)
            for y in range(len(model.tgt_vocab)):
                if y != model.tgt_vocab.eos_id:
                    longer[*ids, y] = (y, out.state)
        states = longer
    return table


@pytest.mark.parametrize("kind", CONFIGS)
def test_stopping_early_loses_nothing(kind):
    for seed in range(4):
        model = small_model(kind, seed)
        with torch.no_grad():
            steps = exhaustive_log_probs(model, max_len=3)
        for width in (1, 2, 3, 5):
            for penalty in PENALTIES:
                expected = without_stopping(model, steps, width, penalty, max_len=3)
                found = [h for h in beam(model, one(model), width, penalty, 3)[0] if h.complete]
                scores = [h.log_prob / (len(h.ids) + 1) ** penalty for h in found]
                if width == 1 and not found:
                    assert not expected
                assert scores == pytest.approx([x for _, x in expected], abs=1e-4)
                assert [h.ids for h in found] == [list(ids[:-1]) for ids, _ in expected]


def test_it_does_stop(small, monkeypatch):
    """With `<eos>` nearly certain, one step is enough for width 1, few for more."""
    with torch.no_grad():
        small.decoder.head.output.bias[small.tgt_vocab.eos_id] = 50.0
    steps = []
    plain = small.decoder.step
    monkeypatch.setattr(small.decoder, "step", lambda *a: steps.append(1) or plain(*a))
    assert beam(small, one(small), width=1, max_len=50)[0][0].ids == []
    assert len(steps) == 1
    beam(small, one(small), width=3, max_len=50)
    assert len(steps) <= 4


@pytest.mark.parametrize("penalty", PENALTIES)
def test_width_one_is_greedy(model, batch, penalty):
    for max_len in (1, 5, 12):
        chosen = greedy(model, batch, max_len)
        for a, (b,) in zip(chosen, beam(model, batch, 1, penalty, max_len), strict=True):
            assert (a.ids, a.tokens, a.complete) == (b.ids, b.tokens, b.complete)
            assert math.isclose(a.log_prob, b.log_prob, abs_tol=1e-4)
            if a.weights is not None:
                torch.testing.assert_close(a.weights, b.weights, atol=1e-5, rtol=1e-4)


def test_width_one_is_greedy_when_all_tokens_are_equal(model, batch):
    with torch.no_grad():
        for p in model.decoder.head.parameters():
            p.zero_()
    for a, (b,) in zip(greedy(model, batch, 4), beam(model, batch, 1, max_len=4), strict=True):
        assert a.ids == b.ids == [0] * 4


@pytest.mark.parametrize("penalty", PENALTIES)
def test_batch_mates_change_nothing(model, batch, pairs, penalty):
    together = beam(model, batch, 3, penalty, max_len=6)
    for pair, found in zip(pairs, together, strict=True):
        alone = beam(model, one(model, pair.src), 3, penalty, max_len=6)[0]
        assert [h.ids for h in found] == [h.ids for h in alone]
        for a, b in zip(found, alone, strict=True):
            assert a.complete == b.complete
            assert math.isclose(a.log_prob, b.log_prob, abs_tol=1e-4)
            if a.weights is not None:
                assert a.weights.shape == (len(a.ids) + a.complete, len(pair.src))
                torch.testing.assert_close(a.weights, b.weights, atol=1e-5, rtol=1e-4)


def test_a_penalty_for_length_favours_longer_sentences():
    """Over many random models the mean length of the best rises with the penalty."""
    models = [small_model(kind, seed) for kind in CONFIGS for seed in range(4)]
    means = []
    for penalty in (0.0, 1.0, 3.0):
        best = [beam(m, one(m), 5, penalty, max_len=6)[0][0] for m in models]
        means.append(sum(len(h.ids) for h in best) / len(best))
    assert means[0] < means[1] < means[2]


def test_what_is_not_finished_is_cut_and_says_so(model, batch):
    with torch.no_grad():
        model.decoder.head.output.bias[model.tgt_vocab.eos_id] = -1e9
    for found in beam(model, batch, width=3, max_len=4):
        assert len(found) == 3
        assert all(not h.complete and len(h.ids) == 4 for h in found)
        assert [h.log_prob for h in found] == sorted((h.log_prob for h in found), reverse=True)
        assert all(h.weights is None or len(h.weights) == 4 for h in found)


@pytest.mark.parametrize("max_len", [1, 2, 4])
def test_all_sentences_and_the_rest_sum_to_one(small, max_len):
    exact = exhaustive(small, SMALL_SOURCE, max_len)
    others = len(small.tgt_vocab) - 1
    assert len(exact.hypotheses) == sum(others**n for n in range(max_len + 1))
    total = sum(math.exp(h.log_prob) for h in exact.hypotheses) + exact.rest
    assert total == pytest.approx(1, abs=1e-5)
    assert 0 < exact.rest < 1
    log_probs = [h.log_prob for h in exact.hypotheses]
    assert log_probs == sorted(log_probs, reverse=True)


def test_looking_further_only_divides_the_rest(small):
    near, far = (exhaustive(small, SMALL_SOURCE, n) for n in (2, 4))
    known = {tuple(h.ids): h.log_prob for h in far.hypotheses}
    assert far.rest < near.rest
    for h in near.hypotheses:
        assert h.log_prob == pytest.approx(known[tuple(h.ids)], abs=1e-5)


@pytest.mark.parametrize("penalty", [0.0, 1.0])
@pytest.mark.parametrize("max_len", [2, 6])
def test_the_tree_is_the_search(small, penalty, max_len):
    width, eos = 3, small.tgt_vocab.tokens[small.tgt_vocab.eos_id]
    nodes, best, hypotheses = beam_tree(small, SMALL_SOURCE, width, penalty, max_len)
    found = beam(small, one(small), width, penalty, max_len)[0]
    assert [h.ids for h in hypotheses] == [h.ids for h in found]
    assert nodes[0] == (-1, 0, "<sos>", 0.0, 0.0, "kept")
    for i, node in enumerate(nodes[1:], start=1):
        parent = nodes[node.parent]
        assert node.parent < i and node.step == parent.step + 1 and parent.status == "kept"
        assert node.log_prob <= parent.log_prob
        assert node.score == pytest.approx(node.log_prob / node.step**penalty)
        assert node.status in ("kept", "finished", "pruned")
        assert (node.token == eos) or node.status != "finished"
    for step in range(1, nodes[-1].step + 1):
        here = [n for n in nodes if n.step == step]
        chosen = sorted(n.log_prob for n in here if n.status != "pruned")
        lost = [n.log_prob for n in here if n.status == "pruned"]
        if step <= max_len:
            assert len(chosen) <= width
            assert not lost or not chosen or max(lost) <= chosen[0]
    for i, h in zip(best, hypotheses, strict=True):
        assert nodes[i].log_prob == h.log_prob
        path = []
        while i:
            path.insert(0, nodes[i].token)
            i = nodes[i].parent
        assert path == h.tokens + [eos] * h.complete


def test_a_tree_shows_as_much_as_is_asked_for(small):
    width, size = 2, len(small.tgt_vocab)
    full = beam_tree(small, SMALL_SOURCE, width, max_len=4, shown=size).nodes
    bare = beam_tree(small, SMALL_SOURCE, width, max_len=4, shown=0).nodes
    open_ = {n.parent for n in full} - {-1}
    assert len(full) == 1 + size * len(open_), "every candidate of every open beginning"
    pruned = [n for n in bare if n.status == "pruned"]
    assert all(n.step == 5 for n in pruned), "only for want of room"
    first = [n for n in full if n.step == 1]
    assert sum(math.exp(n.log_prob) for n in first) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"width": 0}, "width.*0"),
        ({"width": 1.5}, "width.*1.5"),
        ({"max_len": 0}, "max_len.*0"),
        ({"max_len": "9"}, "max_len.*'9'"),
        ({"length_penalty": -0.1}, "length_penalty.*-0.1"),
        ({"length_penalty": math.nan}, "length_penalty.*nan"),
        ({"length_penalty": math.inf}, "length_penalty.*inf"),
    ],
)
def test_bad_settings_are_named(small, settings, says):
    with pytest.raises(ValueError, match=says):
        beam(small, one(small), **settings)
    with pytest.raises(ValueError, match=says):
        beam_tree(small, SMALL_SOURCE, **settings, shown=1)


def test_other_bad_input_is_named(small, model):
    with pytest.raises(ValueError, match="shown.*-1"):
        beam_tree(small, SMALL_SOURCE, shown=-1)
    with pytest.raises(ValueError, match="max_len.*0"):
        exhaustive(small, SMALL_SOURCE, 0)
    with pytest.raises(ValueError, match=f"{len(model.tgt_vocab)} tokens and max_len 9"):
        exhaustive(model, ("one",), 9)
    for search in (exhaustive, beam_tree):
        with pytest.raises(KeyError, match="'zwo'"):
            search(small, ("zwo",), 2)
    with torch.no_grad():
        small.decoder.head.output.bias.fill_(float("nan"))
    for search in (exhaustive, beam_tree):
        with pytest.raises(FloatingPointError, match="NaN"):
            search(small, SMALL_SOURCE, 2)


@pytest.mark.parametrize("training", [True, False])
def test_the_models_mode_is_restored(small, training):
    small.train(training)
    for search in (exhaustive, beam_tree):
        search(small, SMALL_SOURCE, 2)
        assert all(part.training is training for part in small.modules())
