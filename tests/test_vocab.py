"""vocab: tokens and ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_attention.vocab import EOS, PAD, SOS, UNK, Vocab, build_vocab

words = st.text(min_size=1, max_size=8).filter(lambda w: w not in (PAD, SOS, EOS, UNK))
word_lists = st.lists(words, min_size=1, max_size=20, unique=True)


@given(word_lists, st.data())
def test_decode_undoes_encode(tokens, data):
    vocab = Vocab(tokens)
    sentence = data.draw(st.lists(st.sampled_from(tokens), max_size=10))
    for sos in (False, True):
        for eos in (False, True):
            ids = vocab.encode(sentence, sos=sos, eos=eos)
            assert len(ids) == len(sentence) + sos + eos
            assert vocab.decode(ids) == sentence
            assert vocab.decode([*ids, vocab.eos_id, *ids, vocab.pad_id]) == sentence


def test_decode_leaves_out_pad_and_sos_anywhere():
    vocab = Vocab(["a", "b"])
    assert vocab.decode([vocab.pad_id, vocab.sos_id, 3, vocab.pad_id, 4]) == ["a", "b"]


def test_the_order_of_tokens_is_part_of_a_vocabulary():
    assert Vocab(["a", "b"]) == Vocab(["a", "b"]) != Vocab(["b", "a"])


@given(word_lists)
def test_ids_are_the_positions_of_tokens(tokens):
    vocab = Vocab(tokens, unk=True)
    assert [vocab.id(t) for t in vocab.tokens] == list(range(len(vocab)))
    assert vocab.tokens[:4] == [PAD, SOS, EOS, UNK]


@given(st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=6))
def test_build_vocab_depends_on_the_tokens_only(sequences):
    vocab = build_vocab(sequences)
    assert vocab == build_vocab(reversed(sequences))
    assert set(vocab.tokens[3:]) == {w for s in sequences for w in s}
    assert vocab.tokens[3:] == sorted(vocab.tokens[3:])


def test_unknown_token_names_itself_and_unk_takes_it():
    with pytest.raises(KeyError, match="'zwo'.*no <unk>"):
        Vocab(["zwei"]).encode(["zwo"])
    vocab = build_vocab([["a", "a", "b"]], min_count=2)
    assert vocab.encode(["a", "b", "c"]) == [4, vocab.unk_id, vocab.unk_id]


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Vocab(["a", "a"]), ValueError, "'a'"),
        (lambda: Vocab(["<pad>"]), ValueError, "<pad>"),
        (lambda: Vocab([""]), ValueError, "empty"),
        (lambda: Vocab("abc"), TypeError, "'abc'"),
        (lambda: Vocab([3]), TypeError, "3"),
        (lambda: Vocab(["a"]).encode("a"), TypeError, "one string"),
        (lambda: Vocab(["a"]).decode([9]), IndexError, "9"),
        (lambda: Vocab(["a"]).decode([-1]), IndexError, "-1"),
        (lambda: build_vocab([["a"]], min_count=0), ValueError, "0"),
        (lambda: build_vocab([["a"]], min_count=2), ValueError, "empty"),
        (lambda: build_vocab([]), ValueError, "empty"),
    ],
)
def test_bad_input_is_named(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_repr_is_stable():
    assert repr(Vocab(["a"])) == "Vocab(4 tokens, unk=False)"


def test_unk_may_be_asked_for_or_refused():
    sentences = [["a", "a", "b"]]
    assert build_vocab(sentences, unk=True).tokens == [PAD, SOS, EOS, UNK, "a", "b"]
    assert build_vocab(sentences, unk=True).encode(["new"]) == [3]
    assert build_vocab(sentences, unk=False) == build_vocab(sentences)
    with pytest.raises(ValueError, match=f"1 tokens occur too rarely; they need {UNK}"):
        build_vocab(sentences, min_count=2, unk=False)
    assert build_vocab([["a", "a"]], min_count=2, unk=False).tokens == [PAD, SOS, EOS, "a"]
