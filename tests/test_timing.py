"""timing: readings come from the clock that was given, in rounds, and ratios within them."""

import gc

import pytest

from seq2seq_attention.timing import Quartiles, clock, measure, quartiles, ratios


class Machine:
    """A clock that moves only when a contestant runs, and a record of who ran."""

    def __init__(self):
        self.now, self.ran = 0.0, []

    def time(self):
        return self.now

    def contestant(self, name, *seconds):
        """Takes the given seconds in turn, then the last of them for good."""
        left = list(seconds)

        def run():
            self.ran.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return run


def test_a_reading_is_the_mean_of_as_many_calls_as_fill_the_time():
    machine = Machine()
    fast, slow = machine.contestant("fast", 1.0), machine.contestant("slow", 16.0)
    readings = measure({"fast": fast, "slow": slow}, 3, min_seconds=8.0, timer=machine.time)
    assert readings == {"fast": [1.0] * 3, "slow": [16.0] * 3}
    last_round = machine.ran[-9:]
    assert last_round == ["fast"] * 8 + ["slow"]


def test_the_slow_first_call_is_in_no_reading():
    machine = Machine()
    run = machine.contestant("a", 15.0, 1.0)
    assert measure({"a": run}, 2, min_seconds=2.0, timer=machine.time) == {"a": [1.0, 1.0]}


def test_what_takes_very_long_is_called_once_before_the_rounds():
    machine = Machine()
    measure({"a": machine.contestant("a", 30.0)}, 2, min_seconds=2.0, timer=machine.time)
    assert machine.ran == ["a"] * 3


def test_rounds_alternate_their_order():
    machine = Machine()
    contestants = {name: machine.contestant(name, 1.0) for name in "abc"}
    measure(contestants, repeats=3, min_seconds=0, timer=machine.time)
    assert "".join(machine.ran[-9:]) == "abccbaabc"


def test_ratios_are_taken_within_a_round():
    readings = {"a": [1.0, 10.0, 2.0], "b": [2.0, 20.0, 4.0]}  # the machine was slow in the second
    assert ratios(readings, "b", "a") == [2.0, 2.0, 2.0]
    assert ratios(readings, "a", "b") == [0.5, 0.5, 0.5]


def test_quartiles_say_middle_and_spread():
    assert quartiles([5, 1, 4, 2, 3]) == Quartiles(2, 3, 4)
    assert quartiles([7.0]) == Quartiles(7, 7, 7)
    assert str(quartiles([5, 1, 4, 2, 3])) == "3.00 (middle half: 2.00 to 4.00)"


def test_the_collector_waits_and_is_as_before_afterwards():
    seen = []
    for enabled in (True, False):
        gc.enable() if enabled else gc.disable()
        try:
            measure({"a": lambda: seen.append(gc.isenabled())}, 1, min_seconds=0)
            assert gc.isenabled() is enabled
        finally:
            gc.enable()
    assert seen and not any(seen)
    with pytest.raises(ZeroDivisionError):
        measure({"a": lambda: 1 / 0}, 1)
    assert gc.isenabled()


def test_the_clock_of_this_machine_counts_work():
    start = clock()
    while clock() == start:
        sum(range(1000))
    assert measure({"a": lambda: sum(range(100))}, 2, min_seconds=1e-3)["a"][1] > 0


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ValueError, match="contestants is empty"):
        measure({})
    for repeats in (0, 2.0, True):
        with pytest.raises(ValueError, match=f"repeats must be .* got {repeats}"):
            measure({"a": int}, repeats)
    for seconds in (-1, float("inf"), float("nan")):
        with pytest.raises(ValueError, match=f"min_seconds must be .* got {seconds}"):
            measure({"a": int}, min_seconds=seconds)
    with pytest.raises(ValueError, match="'b' took less than a tick"):
        ratios({"a": [1.0], "b": [0.0]}, "a", "b")
    with pytest.raises(KeyError):
        ratios({"a": [1.0]}, "a", "b")
    for values in ([], [1.0, float("nan")]):
        with pytest.raises(ValueError, match="finite values, at least one"):
            quartiles(values)
