"""Word alignments made by people, read from the two formats in which they are handed round.

Both count source tokens first, s-t; everything here gives (t, s), target first, from 0.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .data.pairs import Pair

Sentences = Sequence[tuple[Sequence[str], Sequence[str]]]  # (source, target)


class GoldPair(NamedTuple):
    """A sentence pair with links (t, s) that people made."""

    src: tuple[str, ...]
    tgt: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]  # the sure ones included

    @property
    def pair(self) -> Pair:
        """The same as a Pair, whose gold links are all that are possible."""
        return Pair(self.src, self.tgt, self.possible)


def read_parallel(src_path: Path, tgt_path: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Two files of tokens between blanks, line i of one the translation of line i of the other.

    UTF-8, with or without a byte order mark.

    Raises:
        ValueError: the files have not as many lines, a line is empty, or it isn't UTF-8.
    """
    src, tgt = _lines(src_path), _lines(tgt_path)
    _same_number(src_path, len(src), tgt_path, len(tgt))
    for path, lines in ((src_path, src), (tgt_path, tgt)):
        for number, line in enumerate(lines, start=1):
            if not _tokens(line):
                raise ValueError(f"{path}, line {number}: expected tokens, got an empty line")
    return [(_tokens(a), _tokens(b)) for a, b in zip(src, tgt, strict=True)]


def read_pharaoh(
    path: Path, sentences: Sentences, *, first: int, reverse: bool = False, lenient: bool = False
) -> list[GoldPair]:
    """A line a pair, `s-t` for a sure link and `s?t` for a possible one: `0-0 1-2 1?3`.

    Args:
        path: the file; an empty line is a pair without links.
        sentences: (source, target) of each pair, to check positions with.
        first: the number of a sentence's first token, 0 or 1. A file doesn't say, and a wrong
            guess mostly gives links that exist, one token off.
        reverse: the file counts the target first, `t-s`.
        lenient: leave out a link that points outside its sentences, with a warning that names it.

    Raises:
        ValueError: with line and token: one isn't a link, or points outside its sentences; or
            there are not as many lines as sentences.
    """
    lines = _lines(path)
    _same_number(path, len(lines), "the sentences", len(sentences))
    found: list[list[tuple[str, str, str, str]]] = []
    for number, line in enumerate(lines, start=1):
        row = []
        for token in _tokens(line):
            parts = re.fullmatch(r"([0-9]+)([-?])([0-9]+)", token)
            if parts is None:
                raise ValueError(
                    f"{path}, line {number}: expected a link like 0-1 or 0?1, got {token!r}"
                )
            row.append((f"{path}, line {number}: {token!r}", parts[1], parts[3], parts[2]))
        found.append(row)
    return [_gold(*args, first, reverse, lenient) for args in zip(sentences, found, strict=True)]


def read_wa(
    path: Path, sentences: Sentences, *, first: int, reverse: bool = False, lenient: bool = False
) -> list[GoldPair]:
    """A line a link, `sentence s t [S|P]`: the format of the shared task of 2003.

    Args:
        path: the file. Sentences are numbered from 1; a link without a mark is sure.
        sentences, first, reverse, lenient: as in `read_pharaoh`. With first=1, position 0 is the
            null word, and its links are left out.

    Raises:
        ValueError: with line and text: it isn't a link, its sentence isn't among the
            sentences, or it points outside them.

    Source: Mihalcea & Pedersen 2003.
    """
    found: list[list[tuple[str, str, str, str]]] = [[] for _ in sentences]
    for number, line in enumerate(_lines(path), start=1):
        parts = re.fullmatch(r"([0-9]+) +([0-9]+) +([0-9]+)(?: +([SP]))?(?: +[0-9.]+)? *", line)
        if parts is None:
            raise ValueError(f"{path}, line {number}: expected 'sentence s t [S|P]', got {line!r}")
        at = int(parts[1]) - 1
        if not 0 <= at < len(sentences):
            raise ValueError(
                f"{path}, line {number}: sentence {parts[1]} is not among 1 to {len(sentences)}"
            )
        if first == 1 and 0 in (int(parts[2]), int(parts[3])):
            continue
        mark = "?" if parts[4] == "P" else "-"
        found[at].append((f"{path}, line {number}: {line!r}", parts[2], parts[3], mark))
    return [_gold(*args, first, reverse, lenient) for args in zip(sentences, found, strict=True)]


def load_gold(
    folder: Path, src: str = "de", tgt: str = "en", name: str = "test", *, lenient: bool = False
) -> list[GoldPair]:
    """A folder with `test.de`, `test.en` and `de-en.ref.wa`, positions from 0.

    That is how Biçici's German–English set comes. One of its 1,233 links points outside its
    sentence (the 63rd's full stop), so it must be read with `lenient`. With src and tgt
    exchanged, the same file is read the other way round.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: as in `read_parallel` and `read_wa`.
    """
    sentences = read_parallel(folder / f"{name}.{src}", folder / f"{name}.{tgt}")
    path = folder / f"{src}-{tgt}.ref.wa"
    reverse = not path.exists() and (folder / f"{tgt}-{src}.ref.wa").exists()
    if reverse:
        path = folder / f"{tgt}-{src}.ref.wa"
    return read_wa(path, sentences, first=0, reverse=reverse, lenient=lenient)


def _gold(
    sentence: tuple[Sequence[str], Sequence[str]],
    found: Sequence[tuple[str, str, str, str]],
    first: int,
    reverse: bool,
    lenient: bool,
) -> GoldPair:
    """Links (where, s, t, mark) of one sentence, checked."""
    if first not in (0, 1):
        raise ValueError(f"first must be 0 or 1, got {first!r}")
    src, tgt = (tuple(side) for side in sentence)
    links: dict[str, set[tuple[int, int]]] = {"-": set(), "?": set()}
    for where, left, right, mark in found:
        s, t = (int(x) - first for x in ((right, left) if reverse else (left, right)))
        if 0 <= s < len(src) and 0 <= t < len(tgt):
            links[mark].add((t, s))
            continue
        message = (
            f"{where} is outside {len(src)} source and {len(tgt)} target tokens, "
            f"counted from {first}"
        )
        if not lenient:
            raise ValueError(message)
        warnings.warn(message + "; left out", stacklevel=4)
    return GoldPair(src, tgt, frozenset(links["-"]), frozenset(links["-"] | links["?"]))


def _lines(path: Path) -> list[str]:
    """Lines as an editor counts them: only \\n and \\r\\n end one, U+2028 and the like do not."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {number}: is not UTF-8 ({error.reason})") from error
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _tokens(line: str) -> tuple[str, ...]:
    """Parts between blanks and tabs; other white space, such as U+00A0, is part of a token."""
    return tuple(re.findall(r"[^ \t]+", line))


def _same_number(a: Path, n: int, b: Path | str, m: int) -> None:
    if n != m:
        raise ValueError(f"{a} has {n} lines, but {b} {m}: line i must belong to line i")
