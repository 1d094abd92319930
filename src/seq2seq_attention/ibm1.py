"""IBM Model 1: which words belong together, learnt from pairs alone, without a network.

Every target token is said by one source token, or by the null word where none fits, each of
them with the same chance; what a source word says has the probabilities t(target | source):

    P(y | x) = ∏_t 1/(S+1) Σ_{i=0..S} t(y_t | x_i),   x_0 the null word

EM finds t: share each target token out among its pair's source tokens by the t so far, count
the shares of all pairs, divide. It knows words, and nothing of their order.

Source: Brown et al. 1993, section 4; the null word and EM as there. The factor that stands for
the target's length is left out: it moves no weight.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .data.pairs import Pair

NULL = ""  # no token is empty


@dataclass(frozen=True)
class IBM1:
    """A trained table t(target word | source word).

    Attributes:
        src_ids, tgt_ids: words to numbers; with a null word, that is source number 0.
        cells: the pairs of words seen together, `source · len(tgt_ids) + target`, ascending.
        probs: t of each cell, float64; all other pairs of words have 0.
        log_likelihoods: Σ log P(y | x) over the training pairs, nats: before the first
            iteration, and after each.
    """

    src_ids: dict[str, int]
    tgt_ids: dict[str, int]
    cells: Tensor
    probs: Tensor
    log_likelihoods: tuple[float, ...]

    @property
    def null(self) -> bool:
        """Whether there is a null word."""
        return NULL in self.src_ids

    def probability(self, tgt_word: str, src_word: str = NULL) -> float:
        """t(tgt_word | src_word); 0 for words never seen together, or never seen."""
        return float(self._lookup([tgt_word], [src_word]))

    def translations(self, src_word: str = NULL, n: int = 5) -> list[tuple[str, float]]:
        """The n target words that `src_word` most probably says.

        Raises:
            KeyError: the word was not in the training pairs.
        """
        if src_word not in self.src_ids:
            raise KeyError(f"the source word {src_word!r} was not in the training pairs")
        first = self.src_ids[src_word] * len(self.tgt_ids)
        ends = torch.tensor([first, first + len(self.tgt_ids)])
        low, high = torch.searchsorted(self.cells, ends).tolist()
        words = list(self.tgt_ids)
        best = self.probs[low:high].argsort(descending=True, stable=True)[:n] + low
        return [(words[int(self.cells[i]) - first], float(self.probs[i])) for i in best.tolist()]

    def posteriors(self, pair: Pair) -> Tensor:
        """P(source token | target token, pair): (T, S), or (T, 1 + S) with the null word first.

        Where a target token was never seen with any of the source tokens, all are as likely.
        """
        joint = self._lookup(pair.tgt, [NULL, *pair.src] if self.null else pair.src)
        total = joint.sum(dim=1, keepdim=True)
        return torch.where(total > 0, joint / total, 1 / joint.shape[1])

    def weights(self, pair: Pair) -> Tensor:
        """Posteriors (T, S) as attention weights: the null word's share is given to the others.

        They get it in proportion; in equal parts where the null word had everything.
        """
        rest = self.posteriors(pair)[:, int(self.null) :]
        total = rest.sum(dim=1, keepdim=True)
        return torch.where(total > 0, rest / total, 1 / len(pair.src)).float()

    def links(self, pair: Pair) -> set[tuple[int, int]]:
        """The most probable alignment ("Viterbi"): at most one link (t, s) a target token.

        None where the null word is as probable as the best source token; of equal source tokens
        the first, so the second *hundred* of a sentence never gets a link.
        """
        best = self.posteriors(pair).argmax(dim=1).tolist()
        null = int(self.null)
        return {(t, i - null) for t, i in enumerate(best) if i >= null}

    def _lookup(self, tgt: Sequence[str], src: Sequence[str]) -> Tensor:
        """t (len(tgt), len(src)), float64."""
        f = torch.tensor([self.tgt_ids.get(word, -1) for word in tgt], dtype=torch.int64)
        e = torch.tensor([self.src_ids.get(word, -1) for word in src], dtype=torch.int64)
        wanted = e * len(self.tgt_ids) + f[:, None]  # (T, S)
        at = torch.searchsorted(self.cells, wanted).clamp(max=len(self.cells) - 1)
        seen = (self.cells[at] == wanted) & (e >= 0) & (f >= 0)[:, None]
        return torch.where(seen, self.probs[at], 0.0)


def train_ibm1(pairs: Sequence[Pair], iterations: int = 5, null: bool = True) -> IBM1:
    """EM from the even start: every source word says every target word with one probability.

    The training pairs' likelihood never falls from one iteration to the next.

    Args:
        pairs: alignments, where they have any, are not looked at.
        iterations: how many; with 0 the table is the even one.
        null: whether there is a null word.

    Raises:
        ValueError: there is no target token in all pairs, a token is empty, or `iterations` is
            not an integer of 0 or more.
    """
    if type(iterations) is not int or iterations < 0:
        raise ValueError(f"iterations must be an integer of 0 or more, got {iterations!r}")
    pairs = [pair for pair in pairs if pair.tgt]
    if not pairs:
        raise ValueError("IBM Model 1 needs at least one pair with a target token, got none")
    empty = [pair for pair in pairs if NULL in (*pair.src, *pair.tgt)]
    if empty:
        raise ValueError(f"a token must not be empty, as one of {empty[0].src} is")
    src_ids = _number([*([[NULL]] if null else []), *(pair.src for pair in pairs)])
    tgt_ids = _number([pair.tgt for pair in pairs])
    seen, row, offset = _candidates(pairs, src_ids, tgt_ids, null)
    cells, cell = seen.unique(return_inverse=True)
    source = cells // len(tgt_ids)  # of each cell
    probs = torch.full((len(cells),), 1 / len(tgt_ids), dtype=torch.float64)
    likelihoods = []
    for i in range(iterations + 1):
        said = torch.bincount(row, probs[cell])  # Σ_i t(y_t | x_i) for every target token
        likelihoods.append(float(said.log().sum()) - offset)
        if i < iterations:
            counts = torch.bincount(cell, probs[cell] / said[row], minlength=len(cells))
            probs = counts / torch.bincount(source, counts)[source]
    return IBM1(src_ids, tgt_ids, cells, probs, tuple(likelihoods))


def _candidates(
    pairs: Sequence[Pair], src_ids: dict[str, int], tgt_ids: dict[str, int], null: bool
) -> tuple[Tensor, Tensor, float]:
    """For every target token and every source token of its pair: the cell, the target token's row.

    And Σ log(S+1) over all target tokens.
    """
    cells, rows, sizes, first = [], [], [], 0
    for pair in pairs:
        e = torch.tensor([src_ids[word] for word in ([NULL] if null else []) + list(pair.src)])
        f = torch.tensor([tgt_ids[word] for word in pair.tgt])
        cells.append((e * len(tgt_ids) + f[:, None]).flatten())
        rows.append(torch.arange(first, first + len(f)).repeat_interleave(len(e)))
        sizes.append(torch.full((len(f),), len(e), dtype=torch.float64))
        first += len(f)
    return torch.cat(cells), torch.cat(rows), float(torch.cat(sizes).log().sum())


def _number(sentences: Sequence[Sequence[str]]) -> dict[str, int]:
    """Words to numbers from 0, in the order in which they come first."""
    return {word: i for i, word in enumerate(dict.fromkeys(itertools.chain(*sentences)))}
