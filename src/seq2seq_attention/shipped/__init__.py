"""The trained models that travel with the package, as the bytes that a page is given.

`experiments/browser_models.py` makes them; `export` says what is in a file.
"""

from __future__ import annotations

from pathlib import Path

SHIPPED = Path(__file__).resolve().parent


def shipped_names() -> list[tuple[str, str]]:
    """Task and kind ("attention" or "vanilla") of every file, in the order of their names."""
    names = sorted(path.stem for path in SHIPPED.glob("*.s2s"))
    return [(task, kind) for task, _, kind in (name.rpartition("-") for name in names)]


def shipped_models(*tasks: str) -> dict[str, dict[str, bytes]]:
    """The files of these tasks, or of all: {task: {kind: bytes}}.

    Args:
        tasks: such as "numbers", "dates", "grammar-de", "grammar-fr".

    Raises:
        ValueError: a task is unknown or given twice.
    """
    known = list(dict.fromkeys(task for task, _ in shipped_names()))
    for task in tasks:
        if task not in known:
            raise ValueError(f"task must be one of {known}, got {task!r}")
    if len(set(tasks)) != len(tasks):
        raise ValueError(f"each task can be asked for once, got {list(tasks)}")
    return {
        task: {
            kind: (SHIPPED / f"{task}-{kind}.s2s").read_bytes()
            for name, kind in shipped_names()
            if name == task
        }
        for task in tasks or known
    }
