"""oracle.js knows what the package knows: the same numbers, dates and sentences, both sides."""

import json
import random
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import playwright
import pytest

from seq2seq_attention.data.dates import FIRST, FORMATS, LAST, LOCALES, date_pair
from seq2seq_attention.data.draw import draw_sentence
from seq2seq_attention.data.english import say_english
from seq2seq_attention.data.grammar import grammar_target
from seq2seq_attention.data.numbers import number_pair
from seq2seq_attention.widgets.bundle import HERE
from seq2seq_attention.widgets.oracle_tables import TABLES, with_table

DRIVER = Path(playwright.__file__).parent / "driver" / "node"
NODE = shutil.which("node") or str(DRIVER)
TESTS = Path(__file__).parent / "js"


def javascript(jobs):
    """Results of the calls, all of one start of node."""
    run = subprocess.run(
        [NODE, str(TESTS / "oracle_cli.mjs")],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("file", TABLES)
def test_tables_are_what_the_data_say(file):
    """If this fails: python -m seq2seq_attention.widgets.oracle_tables"""
    text = (HERE / file).read_text("utf-8")
    name, table = TABLES[file]
    assert with_table(text, name, table()) == text


def test_a_table_needs_one_place():
    with pytest.raises(ValueError, match="0 places for the table 'dates'"):
        with_table("const x = 1;\n", "dates", "")


def test_size_for_numbers_and_dates():
    assert len((HERE / "oracle.js").read_bytes()) < 25_000


def test_numbers():
    rng = random.Random(5)
    numbers = [*range(2000), *(10**k for k in range(12)), 10**12 - 1]
    numbers += [rng.randrange(10 ** rng.randint(1, 12)) for _ in range(9000)]
    numbers += [rng.randrange(1, 1000) * 1000 ** rng.randrange(4) for _ in range(9000)]
    pairs = [number_pair(number) for number in numbers]
    typed = [f"{n:,}" if k % 2 else str(n) for k, n in enumerate(numbers)]
    shown = [["prepare", "numbers", text] for text in typed]
    words = [["prepare", "numbers", " ".join(pair.src)] for pair in pairs]
    answers = [["answer", "numbers", pair.src] for pair in pairs]
    found = javascript(shown + words + answers)
    n = len(pairs)
    for k, pair in enumerate(pairs):
        assert found[k]["tokens"] == list(pair.src), typed[k]
        assert found[n + k] == {
            "tokens": list(pair.src),
            "shown": " ".join(pair.src),
            "notes": [],
            "error": None,
        }
        assert found[2 * n + k] == list(pair.tgt), typed[k]


def test_dates_in_every_way():
    rng = random.Random(6)
    span = (LAST - FIRST).days
    pairs = [
        date_pair(FIRST + timedelta(days=rng.randint(0, span)), locale, form)
        for locale in LOCALES
        for form in FORMATS
        for _ in range(36)
    ]
    assert len(pairs) > 5000
    found = javascript(
        [["prepare", "dates", "".join(pair.src)] for pair in pairs]
        + [["answer", "dates", pair.src] for pair in pairs]
    )
    for pair, ready, right in zip(pairs, found, found[len(pairs) :], strict=False):
        assert (ready["tokens"], ready["notes"], ready["error"]) == (list(pair.src), [], None)
        assert right == list(pair.tgt), "".join(pair.src)


@pytest.fixture(scope="module")
def sentences():
    """English sentences of every length the grammar draws."""
    rng = random.Random(7)
    trees = [draw_sentence(rng, rng.randint(3, 40)) for _ in range(3000)]
    return [[word for word, _ in say_english(tree)] for tree in trees]


@pytest.mark.parametrize("language", ["de", "fr"])
def test_sentences(sentences, language):
    found = javascript([["answer", f"grammar-{language}", words] for words in sentences])
    for words, right in zip(sentences, found, strict=True):
        assert right == list(grammar_target(words, language).tgt), " ".join(words)


def test_sentences_are_read_as_they_are(sentences):
    found = javascript([["prepare", "grammar-fr", " ".join(words)] for words in sentences])
    for words, ready in zip(sentences, found, strict=True):
        assert (ready["tokens"], ready["notes"], ready["error"]) == (words, [], None)


EDGES = {  # sentences at the borders of the grammar, and whether they are inside
    "the brother of two men sleeps": False,
    "the brother of the men sleeps": True,
    "she says that he sleeps and that he sings": True,
    "she says that he sleeps and that he sings and that he works": False,
    "she thinks that he says that he sleeps and that he sings and that they work": True,
    "the man and the woman who sleeps sing": False,
    "he does not see the man and the woman": False,
    "he does not see a man who sleeps": False,
    "he does not see two men": False,
    "he is not often tired": False,
    "he is often tired": True,
    "the man that sleeps sings": False,
    "the man that she thanks sings": True,
    "the man that she sleeps sings": False,
    "the garden of the man who sleeps is old": True,
    "today because he sleeps , she sings": False,
    "he sings because she sleeps , but they work": True,
    "they go without her to the school today": True,
    "the old red cake is in the box in the garden": True,
}


def test_sentences_at_the_borders():
    for language in ("de", "fr"):
        found = javascript([["answer", f"grammar-{language}", text.split()] for text in EDGES])
        assert found == [target_or_none(text.split(), language) for text in EDGES]
        assert dict(zip(EDGES, [right is not None for right in found], strict=True)) == EDGES


def test_damaged_sentences_are_right_or_wrong_on_both_sides(sentences):
    """A word lost, doubled or changed: both sides find the same answer, or both find none."""
    rng = random.Random(8)
    known = sorted({word for words in sentences for word in words})
    damaged = []
    for words in sentences:
        k = rng.randrange(len(words))
        new = rng.choice([[], [words[k]] * 2, [rng.choice(known)]])
        damaged.append([*words[:k], *new, *words[k + 1 :]])
    found = javascript([["answer", "grammar-de", words] for words in damaged])
    rights = [target_or_none(words) for words in damaged]
    assert 100 < sum(right is not None for right in rights) < len(rights) - 100
    assert found == rights


def target_or_none(words, language="de"):
    try:
        return list(grammar_target(words, language).tgt)
    except ValueError:
        return None
