"""Pairs that somebody has typed or pasted: read, checked, and nothing dropped in silence."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from .pairs import Pair

LEAST = 200
LEVELS = ("word", "char")
_ARROW = re.compile(r"(?:^|\s+)(?:->|→)(?:\s+|$)")
_WORDS = re.compile(r"w+(?:jw+)*|.")  # over the kinds that `_kind` gives


class PastedPairs(NamedTuple):
    """What `pairs_from_text` read. Lines are counted from 1."""

    pairs: list[Pair]
    lines: list[int]  # where each pair stands
    blank: list[int]  # lines with nothing in them
    repeats: list[tuple[int, int]]  # (line, an earlier line with the same pair)
    contradictions: list[tuple[int, int]]  # (line, an earlier line: same source, other target)

    def report(self) -> str:
        """What to know before training, a sentence a line."""
        sides = {"source": [p.src for p in self.pairs], "target": [p.tgt for p in self.pairs]}
        told = [f"{len(self.pairs)} pairs; {_lines(len(self.blank))} blank."]
        for name, side in sides.items():
            longest = max(range(len(side)), key=lambda i: len(side[i]))
            told.append(
                f"{name.capitalize()}: {len({t for s in side for t in s})} different tokens; "
                f"the longest has {len(side[longest])}, in line {self.lines[longest]}."
            )
        for what, found in (
            ("repeating an earlier pair", self.repeats),
            ("with an earlier source but another target", self.contradictions),
        ):
            first = f"; the first is line {found[0][0]}, after line {found[0][1]}" if found else ""
            told.append(f"{_lines(len(found))} {what}{first}.")
        return "\n".join(told)


def pairs_from_text(
    text: str,
    level: str | tuple[str, str] = "word",
    columns: tuple[int, int] | None = None,
    least: int = LEAST,
) -> PastedPairs:
    """Pairs from lines of text: a source, a tab or an arrow (`->` or `→`), and a target.

    The text is put into Unicode's composed form (NFC), so that é is one sign however it was
    typed; blanks at the ends and doubled ones don't count. Upper and lower case stay. Repeated and
    contradicting lines are kept, since they may be meant, and listed in what is returned.

    Args:
        text: the lines.
        level: what a token is: "word" (see `word_tokens`) or "char" (every sign, blanks too); two
            of them where source and target differ.
        columns: for lines with more than two columns, separated by tabs, the places of source and
            target, from 0.
        least: fewer pairs are refused.

    Raises:
        TypeError: `text` isn't a string.
        ValueError: a line isn't as described, with its number and what stands there; there are
            fewer pairs than `least`; or `level` or `columns` are not as described.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}; decode bytes as UTF-8")
    levels = (level, level) if isinstance(level, str) else tuple(level)
    if len(levels) != 2 or not set(levels) <= set(LEVELS):
        raise ValueError(f'level must be "word", "char" or two of them, got {level!r}')
    if columns is not None and (len(set(columns)) != 2 or min(columns) < 0):
        raise ValueError(f"columns must be two different places from 0, got {columns!r}")
    read = PastedPairs([], [], [], [], [])
    wrong: list[tuple[int, str]] = []
    lines = unicodedata.normalize("NFC", text.removeprefix("\ufeff"))
    for number, line in enumerate(re.split(r"\r\n|\r|\n", lines.rstrip("\r\n")), start=1):
        if not line.strip():
            read.blank.append(number)
            continue
        try:
            src, tgt = (
                tokenize(part, how) for part, how in zip(_parts(line, columns), levels, strict=True)
            )
        except ValueError as error:
            wrong.append((number, str(error)))
            continue
        read.pairs.append(Pair(src, tgt))
        read.lines.append(number)
    _refuse(wrong, len(read.pairs), least)
    _compare(read)
    return read


def tokenize(text: str, level: str) -> tuple[str, ...]:
    """The tokens of one side: `word_tokens`, or at level "char" every sign and every blank."""
    return word_tokens(text) if level == "word" else tuple(" ".join(text.split()))


def word_tokens(text: str) -> tuple[str, ...]:
    """Words, numbers and single other signs: "It's half-past 2." → It's · half-past · 2 · .

    Apostrophes and hyphens between letters belong to the word. The page splits what a reader
    types in the same way (`readOwn` in widgets/translator.js); a test compares the two.
    """
    tokens: list[str] = []
    for piece in text.split():
        kinds = "".join(map(_kind, piece))
        tokens += [piece[m.start() : m.end()] for m in _WORDS.finditer(kinds)]
    return tuple(tokens)


def _kind(sign: str) -> str:
    if sign in "'’-":
        return "j"
    category = unicodedata.category(sign)
    return "w" if category[0] in "LNM" or category == "Cf" else "."


def _parts(line: str, columns: tuple[int, int] | None) -> tuple[str, str]:
    """Source and target of a line; raises ValueError with what is wrong."""
    if "\ufffd" in line:
        raise ValueError(f"{_shown(line)} has the sign U+FFFD: it wasn't read as the UTF-8 it is")
    by_tab = "\t" in line
    parts = line.split("\t") if by_tab else _ARROW.split(line)
    if len(parts) == 1:
        raise ValueError(f"{_shown(line)} has neither a tab nor an arrow (->), expected one")
    if columns is None and len(parts) != 2:
        more = "; say which with columns=(0, 1)" if by_tab else ""
        raise ValueError(f"{_shown(line)} has {len(parts)} columns, expected 2{more}")
    wanted = (0, 1) if columns is None else columns
    if max(wanted) >= len(parts):
        raise ValueError(
            f"{_shown(line)} has {len(parts)} columns, expected at least {max(wanted) + 1}"
        )
    sides = parts[wanted[0]], parts[wanted[1]]
    for name, side in zip(("source", "target"), sides, strict=True):
        if all(unicodedata.category(sign)[0] in "CZ" for sign in side):
            raise ValueError(f"{_shown(line)} has an empty {name}")
    return sides


def _lines(n: int) -> str:
    return "1 line" if n == 1 else f"{n} lines"


def _shown(line: str, most: int = 60) -> str:
    return repr(line if len(line) <= most else line[: most - 1] + "…")


def _refuse(wrong: list[tuple[int, str]], n: int, least: int) -> None:
    if wrong:
        told = "".join(f"\n  line {number}: {why}" for number, why in wrong[:5])
        more = f"\n  and {_lines(len(wrong) - 5)} more" if len(wrong) > 5 else ""
        raise ValueError(f"{_lines(len(wrong))} can't be read:{told}{more}")
    if n < least:
        raise ValueError(
            f"there are {n} pairs, and {least} are the least to learn from and to test on; "
            f"least={n} tries it all the same"
            if n
            else f"there is no pair in the text; {least} are the least"
        )


def _compare(read: PastedPairs) -> None:
    """Fills in `repeats` and `contradictions`."""
    by_pair: dict[Pair, int] = {}
    by_source: dict[tuple[str, ...], int] = {}
    for number, pair in zip(read.lines, read.pairs, strict=True):
        if pair in by_pair:
            read.repeats.append((number, by_pair[pair]))
        elif pair.src in by_source:
            read.contradictions.append((number, by_source[pair.src]))
        by_pair.setdefault(pair, number)
        by_source.setdefault(pair.src, number)
