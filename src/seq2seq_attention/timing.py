"""How long one thing takes against another, measured in one run.

A time says something about the machine, its neighbours and the hour; the ratio of two times
taken side by side says something about what was timed. So contestants run in rounds, each once a
round, every second round in the opposite order, and are compared within their round.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

Readings = dict[str, list[float]]  # seconds a call, one reading a round


class Quartiles(NamedTuple):
    """The middle of some readings, and the middle half of them: their spread."""

    low: float  # a quarter of the readings lie below
    median: float
    high: float  # a quarter lie above

    def __str__(self) -> str:
        return f"{self.median:.2f} (middle half: {self.low:.2f} to {self.high:.2f})"


def clock() -> float:
    """Seconds of processor time of this process: waiting for other processes doesn't count.

    Where that clock ticks coarsely (Windows), the time on the wall. With one thread on a machine
    with nothing else to do the two go equally fast.
    """
    if time.get_clock_info("process_time").resolution <= 1e-5:
        return time.process_time()
    return time.perf_counter()


def measure(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int = 7,
    min_seconds: float = 0.01,
    timer: Callable[[], float] = clock,
) -> Readings:
    """Let the contestants run in turn, `repeats` rounds.

    A reading is the mean of as many calls as take about `min_seconds` (at least one). How many
    that is, is found before the first round, which also warms everything up.

    Args:
        contestants: a name for each, and what to call; what it returns is thrown away.
        repeats: rounds, and so readings for each contestant.
        min_seconds: how long a reading should take at least.
        timer: the clock, in seconds.

    Raises:
        ValueError: there is no contestant, `repeats` is not an integer above 0, or
            `min_seconds` is negative or not finite.
    """
    if not contestants:
        raise ValueError("there is nothing to measure: contestants is empty")
    if type(repeats) is not int or repeats < 1:
        raise ValueError(f"repeats must be an integer of at least 1, got {repeats!r}")
    if not 0 <= min_seconds < float("inf"):
        raise ValueError(f"min_seconds must be finite and not negative, got {min_seconds}")
    readings: Readings = {name: [] for name in contestants}
    with _no_collection():
        calls = {name: _calls(run, min_seconds, timer) for name, run in contestants.items()}
        names = list(contestants)
        for turn in range(repeats):
            for name in names if turn % 2 == 0 else reversed(names):
                readings[name].append(_seconds(contestants[name], calls[name], timer))
    return readings


def ratios(readings: Readings, of: str, to: str) -> list[float]:
    """How many times as long `of` took as `to`, round by round.

    Raises:
        KeyError: a name is unknown.
        ValueError: a reading of `to` is 0: it took less than a tick of the clock.
    """
    if 0 in readings[to]:
        raise ValueError(f"{to!r} took less than a tick of the clock; raise min_seconds")
    return [a / b for a, b in zip(readings[of], readings[to], strict=True)]


def quartiles(values: Sequence[float]) -> Quartiles:
    """Median and middle half of some readings or ratios.

    Raises:
        ValueError: there are no values, or one is not finite.
    """
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(f"quartiles need finite values, at least one, got {list(values)}")
    return Quartiles(*(float(q) for q in np.percentile(values, [25, 50, 75])))


def _calls(run: Callable[[], object], min_seconds: float, timer: Callable[[], float]) -> int:
    """How many calls take about `min_seconds`; the first, often slow, counts only if very long."""
    if _seconds(run, 1, timer) > 10 * min_seconds > 0:
        return 1
    calls = 1
    while (taken := _seconds(run, calls, timer) * calls) < min_seconds:
        wanted = calls * min_seconds / taken if taken > 0 else 0.0
        calls = min(10 * calls, max(2 * calls, round(wanted)))
    return calls


def _seconds(run: Callable[[], object], calls: int, timer: Callable[[], float]) -> float:
    start = timer()
    for _ in range(calls):
        run()
    return (timer() - start) / calls


@contextmanager
def _no_collection() -> Iterator[None]:
    """Python's garbage collector waits, so that it doesn't strike one contestant by chance."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
