"""Tells a reader whether an exercise is solved. Imported by chapters, used by nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def check(answer: Any, is_right: Callable[[Any], bool], hint: str) -> None:
    """Print whether `answer` solves the exercise.

    Args:
        answer: the reader's value or function; `...` while it is not answered.
        is_right: looks at the answer; an error it raises counts as "not yet" and is shown.
        hint: printed when the answer is not right or raises.
    """
    if answer is ...:
        print("○ not answered yet: replace the ... above and run this cell again")
        return
    try:
        right = bool(is_right(answer))
    except Exception as error:  # whatever the reader's code raises, the reader should see it
        print(f"✗ not yet, your answer raised {type(error).__name__}: {error}. Hint: {hint}")
        return
    print("✓ right" if right else f"✗ not yet. Hint: {hint}")
