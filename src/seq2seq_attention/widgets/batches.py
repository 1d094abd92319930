"""A padded batch as a live figure: tokens, ids and masks, the shift by one, what padding costs.

Python collates the pairs as in training; `batches.js` draws. No kernel is needed once shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from ..batch import collate
from ..data.pairs import Pair
from ..vocab import Vocab
from . import bundle

_MOST = 32  # sentences: more don't fit on a page


class BatchView(anywidget.AnyWidget):
    """A batch that the reader points into, regroups and walks through.

    Args:
        pairs: 1 to 32 pairs, in the order of the batch.
        src_vocab: gives the source's ids.
        tgt_vocab: gives the target's ids.
        title: shown above the figure.
        view: "source", or "target": what the decoder reads above what it must say.

    Synced with the page: `view`, `show` ("tokens", "ids" or "mask"), `ordered` (sorted by
    length), `groups` (cut into so many batches) and `focus`: None or (sentence, position).

    Raises:
        ValueError: there are no pairs or too many, or a trait is outside its range.
        KeyError: a token is unknown and its vocabulary has no `<unk>`.
    """

    _esm = bundle.module("batches")
    _css = bundle.style("batches")

    src: traitlets.List[Any] = traitlets.List().tag(sync=True)  # B rows of [token, id]
    tgt_in: traitlets.List[Any] = traitlets.List().tag(sync=True)  # <sos> y_1 .. y_m
    tgt_out: traitlets.List[Any] = traitlets.List().tag(sync=True)  # y_1 .. y_m <eos>
    pad: traitlets.List[Any] = traitlets.List().tag(sync=True)  # [token, id] of padding
    title = traitlets.Unicode().tag(sync=True)
    view = traitlets.Enum(["source", "target"], "source").tag(sync=True)
    show = traitlets.Enum(["tokens", "ids", "mask"], "tokens").tag(sync=True)
    ordered = traitlets.Bool(False).tag(sync=True)
    groups = traitlets.Int(1).tag(sync=True)
    focus = traitlets.Tuple(
        traitlets.Int(), traitlets.Int(), allow_none=True, default_value=None
    ).tag(sync=True)

    def __init__(
        self,
        pairs: Sequence[Pair],
        src_vocab: Vocab,
        tgt_vocab: Vocab,
        title: str = "",
        view: str = "source",
    ) -> None:
        pairs = list(pairs)
        if not 1 <= len(pairs) <= _MOST:
            raise ValueError(f"pairs must be from 1 to {_MOST} sentences, got {len(pairs)}")
        batch = collate(pairs, src_vocab, tgt_vocab)
        kept = {
            "src": (batch.src_ids, batch.src_valid, src_vocab),
            "tgt_in": (batch.tgt_in, batch.tgt_valid, tgt_vocab),
            "tgt_out": (batch.tgt_out, batch.tgt_valid, tgt_vocab),
        }
        rows = {
            name: [
                [[vocab.tokens[i], i] for i in ids[real].tolist()]
                for ids, real in zip(all_ids, valid, strict=True)
            ]
            for name, (all_ids, valid, vocab) in kept.items()
        }
        pad = [src_vocab.tokens[src_vocab.pad_id], src_vocab.pad_id]
        super().__init__(**rows, pad=pad, title=title, view=view)

    def __repr__(self) -> str:
        return f"BatchView({len(self.src)} sentences, {self.view})"

    @traitlets.validate("groups")
    def _valid_groups(self, proposal: Any) -> int:
        if not 1 <= proposal["value"] <= len(self.src):
            raise ValueError(
                f"groups is {proposal['value']}, but must be from 1 to {len(self.src)}, "
                "the number of sentences"
            )
        return int(proposal["value"])

    @traitlets.validate("focus")
    def _valid_focus(self, proposal: Any) -> tuple[int, int] | None:
        value: tuple[int, int] | None = proposal["value"]
        if value is None:
            return None
        longest = max(len(row) for row in [*self.src, *self.tgt_in])
        if not (0 <= value[0] < len(self.src) and 0 <= value[1] < longest):
            raise ValueError(
                f"focus is {value}, but must be None or (sentence, position) with a sentence "
                f"from 0 to {len(self.src) - 1} and a position from 0 to {longest - 1}"
            )
        return value
