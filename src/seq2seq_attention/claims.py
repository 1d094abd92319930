"""A statement in the prose, checked where it stands.

    claim("attention stays above 95 % on the longest numbers", accuracy > 0.95,
          value=accuracy, threshold=0.95, seeds=3)

prints the sentence with a tick, or stops the chapter. While the book is built, the
environment variable BOOK_CLAIMS names a file to which every claim is added as one line of
JSON; the ledger is made from it.
"""

from __future__ import annotations

import json
import math
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch
from torch import Tensor


class ClaimError(AssertionError):
    """A statement of the book that the run just made does not bear out."""


def claim(
    statement: str,
    holds: bool,
    *,
    value: float | Tensor | None = None,
    threshold: float | Tensor | None = None,
    seeds: int = 1,
) -> None:
    """Print `statement` with a tick if it holds, raise if it doesn't, and record it.

    Args:
        statement: a whole sentence, without digits that the run decides.
        holds: the check itself.
        value: the measured number behind it; kept in the ledger, not printed, since it may
            differ between processors.
        threshold: what `value` was compared with.
        seeds: how many independent runs `value` rests on.

    Raises:
        ClaimError: it does not hold; the message gives value and threshold.
        TypeError: `holds` is not one truth value.
        ValueError: the statement is empty, `seeds` is below 1, or a number is not finite.
    """
    if not statement.strip():
        raise ValueError("a claim needs a statement")
    if type(seeds) is not int or seeds < 1:
        raise ValueError(f"seeds must be an integer of at least 1, got {seeds!r}")
    if not isinstance(holds, bool | np.bool_) and not _is_truth_tensor(holds):
        raise TypeError(f"a claim is checked by one True or False, got {holds!r}")
    holds = bool(holds)
    record = {
        "chapter": os.environ.get("BOOK_CHAPTER", Path.cwd().name),
        "statement": statement,
        "value": _number(value),
        "threshold": _number(threshold),
        "seeds": seeds,
        "holds": holds,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count() or 1,
    }
    ledger = os.environ.get("BOOK_CLAIMS")
    if ledger:
        with open(ledger, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    if not holds:
        measured = "" if value is None else f" (measured {value}, compared with {threshold})"
        raise ClaimError(f"does not hold: {statement}{measured}")
    print(f"✓ {statement}")


def _is_truth_tensor(holds: object) -> bool:
    return isinstance(holds, Tensor) and holds.dtype == torch.bool and holds.ndim == 0


def _number(value: float | Tensor | None) -> float | None:
    if value is None:
        return None
    number = float(value.detach() if isinstance(value, Tensor) else value)
    if not math.isfinite(number):
        raise ValueError(f"the measured value and its threshold must be finite, got {number}")
    return number
