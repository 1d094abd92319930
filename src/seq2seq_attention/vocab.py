"""Tokens and ids: the only place where a word becomes a number and back."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence

PAD, SOS, EOS, UNK = "<pad>", "<sos>", "<eos>", "<unk>"


class Vocab:
    """A fixed, ordered set of tokens with the special tokens in front.

    Ids are `<pad>` 0, `<sos>` 1, `<eos>` 2, then `<unk>` 3 if asked for, then `tokens`
    in the order given.

    Args:
        tokens: ordinary tokens, without repeats and without special tokens.
        unk: whether unknown tokens are allowed and become `<unk>`.

    Raises:
        ValueError: a token is repeated, empty, or one of the special tokens.
        TypeError: a token is not a string, or `tokens` is itself one string.
    """

    def __init__(self, tokens: Iterable[str], unk: bool = False) -> None:
        if isinstance(tokens, str):
            raise TypeError(f"tokens must be an iterable of strings, got the one string {tokens!r}")
        specials = [PAD, SOS, EOS] + ([UNK] if unk else [])
        self.tokens: list[str] = list(specials)
        for token in tokens:
            if not isinstance(token, str):
                raise TypeError(f"a token must be a string, got {token!r}")
            if not token:
                raise ValueError("a token must not be the empty string")
            if token in (PAD, SOS, EOS, UNK):
                raise ValueError(f"{token!r} is a special token; pass ordinary tokens only")
            self.tokens.append(token)
        self._ids = {token: i for i, token in enumerate(self.tokens)}
        if len(self._ids) != len(self.tokens):
            repeated = [t for t, n in Counter(self.tokens).items() if n > 1]
            raise ValueError(f"tokens must be distinct, repeated: {repeated}")
        self.pad_id, self.sos_id, self.eos_id = 0, 1, 2
        self.unk_id: int | None = 3 if unk else None

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocab) and self.tokens == other.tokens

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Vocab({len(self)} tokens, unk={self.unk_id is not None})"

    def id(self, token: str) -> int:
        """The id of one token.

        Raises:
            KeyError: the token is unknown and the vocabulary has no `<unk>`.
            TypeError: the token is not a string.
        """
        if not isinstance(token, str):
            raise TypeError(f"a token must be a string, got {token!r}")
        found = self._ids.get(token, self.unk_id)
        if found is None:
            raise KeyError(
                f"{token!r} is not among the {len(self)} tokens of this vocabulary, "
                f"which has no {UNK}; build it with unk=True or leave the sentence out"
            )
        return found

    def encode(self, tokens: Sequence[str], sos: bool = False, eos: bool = False) -> list[int]:
        """Ids of a sentence, with `<sos>` in front and `<eos>` behind if asked for.

        Raises:
            KeyError: a token is unknown and the vocabulary has no `<unk>`.
            TypeError: `tokens` is one string; split it into tokens first.
            ValueError: a token is `<pad>`, `<sos>` or `<eos>`; ask for those by name.
        """
        if isinstance(tokens, str):
            raise TypeError(f"expected a sequence of tokens, got the one string {tokens!r}")
        special = [token for token in tokens if token in (PAD, SOS, EOS)]
        if special:
            raise ValueError(f"{special[0]!r} inside a sentence; pass sos=True or eos=True instead")
        ids = [self.id(token) for token in tokens]
        return [self.sos_id] * bool(sos) + ids + [self.eos_id] * bool(eos)

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Tokens up to the first `<eos>`; `<sos>` and `<pad>` are left out.

        Raises:
            IndexError: an id is negative or not below the vocabulary's size.
            TypeError: an id is not an integer.
        """
        tokens = []
        for i in map(operator.index, ids):
            if not 0 <= i < len(self):
                raise IndexError(f"id {i} is outside 0..{len(self) - 1}")
            if i == self.eos_id:
                break
            if i not in (self.pad_id, self.sos_id):
                tokens.append(self.tokens[i])
        return tokens


def build_vocab(
    sequences: Iterable[Sequence[str]], min_count: int = 1, unk: bool | None = None
) -> Vocab:
    """Vocabulary of all tokens seen at least `min_count` times, in alphabetical order.

    Call it on the training split alone: a word that only the test split has is unknown.
    With `min_count` above 1 some training words are unknown too, so `<unk>` is added. With 1
    there is nothing to train `<unk>` on; `unk=True` adds it all the same, so that a sentence with
    a new word can be translated at all.

    Raises:
        ValueError: `min_count` is below 1, no token is left, or some training words are unknown
            and `unk` is False.
        TypeError: a sequence is one string; split it into tokens first.
    """
    sequences = list(sequences)
    whole = [sequence for sequence in sequences if isinstance(sequence, str)]
    if whole:
        raise TypeError(f"expected sequences of tokens, got the one string {whole[0]!r}")
    if min_count < 1:
        raise ValueError(f"min_count must be at least 1, got {min_count}")
    counts = Counter(token for sequence in sequences for token in sequence)
    kept = sorted(token for token, n in counts.items() if n >= min_count)
    if not kept:
        raise ValueError(
            f"no token occurs {min_count} times or more; the vocabulary would be empty"
        )
    if unk is False and len(kept) < len(counts):
        raise ValueError(f"{len(counts) - len(kept)} tokens occur too rarely; they need {UNK}")
    return Vocab(kept, unk=min_count > 1 if unk is None else unk)
