"""A sentence pair, and how pairs are divided into training, validation and test."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Pair:
    """A source sentence, its translation and, where known, which words belong together.

    Attributes:
        src: S source tokens, at least one.
        tgt: T target tokens; may be empty.
        alignment: gold links (t, s), target position first, both from 0; or None if unknown.

    Raises:
        ValueError: the source is empty, or a link points outside the sentences.
        TypeError: a token is not a string, a side is one string, or a link isn't integers.
    """

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    alignment: frozenset[tuple[int, int]] | None = None

    def __post_init__(self) -> None:
        for name in ("src", "tgt"):
            tokens = getattr(self, name)
            if isinstance(tokens, str | bytes):
                raise TypeError(f"{name} must be a sequence of tokens, got one string {tokens!r}")
            object.__setattr__(self, name, tuple(tokens))
            wrong = [token for token in getattr(self, name) if not isinstance(token, str)]
            if wrong:
                raise TypeError(f"a token of {name} must be a string, got {wrong[0]!r}")
        if not self.src:
            raise ValueError(f"the source must have at least one token; its target is {self.tgt}")
        if self.alignment is not None:
            object.__setattr__(self, "alignment", frozenset(self.alignment))
            for t, s in self.alignment:
                if not (isinstance(t, int) and isinstance(s, int)):
                    raise TypeError(f"a link must be two integers (t, s), got {(t, s)}")
                if not (0 <= t < len(self.tgt) and 0 <= s < len(self.src)):
                    raise ValueError(
                        f"link (t={t}, s={s}) is outside {len(self.tgt)} target and "
                        f"{len(self.src)} source tokens"
                    )


class Splits(NamedTuple):
    """Three lists of pairs that share no source sentence."""

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]


def split_pairs(
    pairs: Iterable[Pair],
    fractions: Sequence[float] = (0.8, 0.1, 0.1),
    seed: int = 0,
    by: str = "src",
) -> Splits:
    """Divide pairs so that no source sentence is in two splits; nor a target, with by="tgt".

    A hash of the sentence decides, so every copy of it goes the same way and adding pairs
    never moves old ones. Training keeps repeats (they say how often a
    sentence was drawn); validation and test hold each sentence once.

    Args:
        pairs: any number of pairs, repeats allowed.
        fractions: shares of train, valid and test; they are met on average.
        seed: another seed gives another division.
        by: "src", or "tgt" where one target has many sources (a date and its spellings).

    Raises:
        ValueError: `by` is neither "src" nor "tgt", there are not three fractions, one is
            negative, or they don't sum to 1.
    """
    if by not in ("src", "tgt"):
        raise ValueError(f'by must be "src" or "tgt", got {by!r}')
    shares = tuple(float(f) for f in fractions)
    if len(shares) != 3 or min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=1e-9):
        raise ValueError(f"fractions must be three shares that sum to 1, got {tuple(fractions)}")
    splits = Splits([], [], [])
    seen: set[tuple[str, ...]] = set()
    for pair in pairs:
        place = _unit_interval(getattr(pair, by), seed)
        which = 0 if place < shares[0] else 1 if place < shares[0] + shares[1] else 2
        if which == 0 or pair.src not in seen:
            splits[which].append(pair)
        seen.add(pair.src)
    return splits


def fingerprint(pairs: Iterable[Pair]) -> str:
    """16 hex digits that change with any token, any gold link and the order of the pairs."""
    digest = hashlib.blake2b(digest_size=8)
    for pair in pairs:
        links = None if pair.alignment is None else sorted(pair.alignment)
        digest.update(repr((pair.src, pair.tgt, links)).encode())
    return digest.hexdigest()


def _unit_interval(tokens: tuple[str, ...], seed: int) -> float:
    """A number in [0, 1) that depends on nothing but the tokens and the seed."""
    text = "\x1f".join((str(seed), *tokens)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / 2**64
