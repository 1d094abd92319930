"""exercises: unanswered, right, wrong and broken answers are told apart."""

from seq2seq_attention.exercises import check


def test_each_kind_of_answer(capsys):
    check(..., lambda a: a == 3, "count")
    check(3, lambda a: a == 3, "count")
    check(4, lambda a: a == 3, "count again")
    check(lambda: 1 / 0, lambda f: f() == 3, "divide by more")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("○") and lines[1] == "✓ right"
    assert "count again" in lines[2] and "ZeroDivisionError" in lines[3]
    assert lines[3].endswith("Hint: divide by more")
