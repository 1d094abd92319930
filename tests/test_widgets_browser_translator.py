"""TranslatorView in a real browser, from disk and without a kernel: whatever readers do to it.

The model is a real one, trained here for seconds on numbers below a hundred, so that it is right
where it should be and a change of its weights changes what it says.
"""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from test_widgets_browser import browser, show

from seq2seq_attention.batch import collate_sources
from seq2seq_attention.beam import beam
from seq2seq_attention.data import Pair, number_pair
from seq2seq_attention.data.dates import date_pairs
from seq2seq_attention.export import export_model, load_model
from seq2seq_attention.model import ModelConfig, build_model
from seq2seq_attention.search import greedy
from seq2seq_attention.train import TrainConfig, fit, seed_everything
from seq2seq_attention.vocab import build_vocab
from seq2seq_attention.widgets import TranslatorView

pytestmark = pytest.mark.browser
__all__ = ["browser", "show"]
PAIRS = [number_pair(n) for n in range(1, 1000)]
VOCABS = build_vocab(p.src for p in PAIRS), build_vocab(p.tgt for p in PAIRS)
SMALL = ModelConfig("additive", "previous", 16, 24, bidirectional=True)


def trained(config: ModelConfig, steps: int) -> bytes:
    seed_everything(0)
    model = build_model(config, *VOCABS)
    fit(model, PAIRS, TrainConfig(steps=steps, lr=1e-2))
    return export_model(model, task="numbers")


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    vanilla = ModelConfig(embed_size=16, hidden_size=24)
    return {"attention": trained(SMALL, 300), "vanilla": trained(vanilla, 60)}


@pytest.fixture(scope="module")
def dates() -> bytes:
    pairs = date_pairs(200)
    seed_everything(1)
    model = build_model(SMALL, build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs))
    fit(model, pairs, TrainConfig(steps=20, lr=1e-2))
    return export_model(model, task="dates")


@pytest.fixture
def page(show, files) -> Page:
    return show(TranslatorView({"numbers": files}, "forty two", title="Try it"))


def said(data: bytes, text: str, search=greedy, **more) -> list[str]:
    model = load_model(data)
    found = search(model, collate_sources([text.split()], model.src_vocab), **more)[0]
    return (found[0] if isinstance(found, list) else found).tokens


def field(page: Page, name: str):
    return page.get_by_test_id(f"translator-{name}")


def output(page: Page) -> str:
    return str(field(page, "output").evaluate("node => node.textContent"))


def told(page: Page, pattern: str) -> None:
    expect(field(page, "message")).to_have_text(re.compile(pattern))
    assert output(page) == ""
    assert field(page, "other").evaluate("node => node.textContent") == ""
    assert page.get_by_test_id("translator-sentence").is_hidden()


def test_what_is_typed_is_translated_at_once(page, files):
    assert output(page) == " ".join(said(files["attention"], "forty two"))
    for n in (7, 21, 60, 99, 345):
        text = " ".join(number_pair(n).src)
        field(page, "input").fill(text)  # read within the same event
        assert output(page) == " ".join(said(files["attention"], text))
        other = " ".join(said(files["vanilla"], text))
        assert field(page, "other").evaluate("node => node.textContent") == other
    field(page, "input").fill("99")
    field(page, "input").press("Enter")
    assert output(page) == " ".join(said(files["attention"], "ninety nine"))
    expect(field(page, "source")).to_have_text("Read as ninety nine (“99” spelled out)")
    field(page, "input").fill("Forty-TWO")
    assert output(page) == " ".join(said(files["attention"], "forty two"))


def test_an_event_alone_is_enough(page, files):
    """No stale word is there when the handler of the input event is done."""
    found = page.evaluate(
        """() => {
          const input = document.querySelector("[data-testid=translator-input]");
          const output = document.querySelector("[data-testid=translator-output]");
          return ["seven", "ninety nine", "", "🙂"].map((text) => {
            input.value = text;
            input.dispatchEvent(new Event("input", { bubbles: true }));
            return output.textContent;
          });
        }"""
    )
    seven, more = (" ".join(said(files["attention"], t)) for t in ("seven", "ninety nine"))
    assert found == [seven, more, "", ""]


def test_models_and_decoders(page, files):
    text = "three hundred and forty five"
    field(page, "input").fill(text)
    assert field(page, "model").locator("option").evaluate_all(
        "all => all.map((o) => o.value)"
    ) == [
        "attention",
        "vanilla",
    ]
    assert field(page, "decoder").locator("option").evaluate_all(
        "all => all.map((o) => o.value)"
    ) == ["greedy", "beam", "sampling"]
    field(page, "model").select_option("vanilla")
    assert output(page) == " ".join(said(files["vanilla"], text))
    expect(page.locator(".tr-none")).to_be_visible()
    field(page, "decoder").select_option("beam")
    best = " ".join(said(files["vanilla"], text, beam, width=4))
    expect(field(page, "output")).to_have_text(best)
    expect(field(page, "best").locator("li")).to_have_count(4)
    expect(field(page, "best").locator("li").first).to_contain_text(best)
    field(page, "width").fill("1")
    expect(field(page, "best").locator("li")).to_have_count(1)
    assert output(page) == " ".join(said(files["vanilla"], text))


def test_sampling_draws_anew_and_cold_draws_are_greedy(page, files):
    field(page, "model").select_option("vanilla")
    field(page, "input").fill("three hundred and forty five")
    field(page, "decoder").select_option("sampling")
    field(page, "temperature").fill("2")
    seen = set()
    for _ in range(8):
        field(page, "again").click()
        seen.add(output(page))
    assert len(seen) > 3
    field(page, "topk").fill("1")
    assert output(page) == " ".join(said(files["vanilla"], "three hundred and forty five"))


def test_next_words_are_shown_as_they_are_drawn(page):
    """With top-k 1 one word has all of the probability; the others are cut."""
    field(page, "decoder").select_option("sampling")
    values = page.locator(".tr-candidate .tr-value")
    assert values.first.inner_text() != "1.000" or values.nth(1).inner_text() != "0.000"
    assert page.locator(".tr-candidate small").get_by_text("cut").count() == 0
    field(page, "topk").fill("1")
    assert values.all_inner_texts() == ["1.000", *["0.000"] * 5]
    assert page.locator(".tr-candidate small").get_by_text("cut").count() == 5


def test_the_other_model_is_judged_too(page):
    for n in (345, 42):
        field(page, "input").fill(str(n))
        right = " ".join(number_pair(n).tgt)
        other = field(page, "other").evaluate("node => node.textContent")
        verdict = field(page, "other-verdict")
        expect(verdict).to_have_text(re.compile("^✓ right$" if other == right else "^✗ .* Right: "))


def test_a_link_brings_all_settings_and_keeps_none_of_before(page):
    page.evaluate("location.hash = '#translate?decoder=sampling&temperature=2&topk=3&seed=7'")
    expect(field(page, "temperature")).to_have_value("2")
    expect(field(page, "topk")).to_have_value("3")
    page.evaluate("location.hash = '#translate?text=seven&decoder=sampling'")
    expect(field(page, "input")).to_have_value("seven")
    expect(field(page, "temperature")).to_have_value("1")
    expect(field(page, "topk")).to_have_value("0")
    expect(page.get_by_text("seed 0")).to_be_visible()


def test_of_the_beam_only_right_sentences_are_called_right(page):
    field(page, "decoder").select_option("beam")
    rows = field(page, "best").locator("li")
    expect(rows).to_have_count(4)
    right = " ".join(number_pair(42).tgt)
    found = rows.evaluate_all(
        "all => all.map((row) => [row.querySelector('bdi').textContent, row.textContent])"
    )
    assert [text for text, row in found if row.endswith("✓ right")] == [right]


def test_playing_ends_when_the_text_changes(page):
    page.get_by_test_id("translator-step").fill("0")
    play = field(page, "play")
    play.click()
    expect(play).to_have_attribute("aria-label", "Pause")
    field(page, "input").fill("fifty three")
    expect(play).to_have_attribute("aria-label", re.compile("^Play"))
    steps = len(output(page).split()) + 1
    expect(field(page, "sentence")).to_contain_text(f"Step {steps} of {steps}")


def test_a_link_is_for_the_first_of_two_figures(show, files):
    page = show(*(TranslatorView({"numbers": files}, "forty two") for _ in range(2)))
    page.evaluate("location.hash = '#translate?text=seven'")
    inputs = field(page, "input")
    expect(inputs.first).to_have_value("seven")
    expect(inputs.last).to_have_value("forty two")
    inputs.last.fill("ten")
    outputs = field(page, "output").all_inner_texts()
    assert outputs == [" ".join(said(files["attention"], text)) for text in ("seven", "ten")]


def test_the_table_says_what_the_sentence_says(page):
    page.get_by_text("Table of the steps").click()
    rows = page.locator(".att-numbers tbody tr")
    for step in range(rows.count()):
        page.get_by_test_id("translator-step").fill(str(step))
        sentence = field(page, "sentence").inner_text()
        number, word, probability, place, weight = (
            rows.nth(step).locator("th, td").all_inner_texts()
        )
        assert number == str(step + 1)
        (most,) = re.findall(rf"looks most at “{place}” \((\S+)\)", sentence)
        (sure,) = re.findall(rf"says “{word}” with probability (\S+)\.$", sentence)
        assert float(most) == pytest.approx(float(weight), abs=6e-4)
        assert float(sure) == pytest.approx(float(probability), abs=6e-4)


def test_the_csv_has_the_numbers_of_every_step(page, files):
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.get_by_test_id("translator-copy-csv").click()
    page.wait_for_function("window.copied")
    head, *rows = [line.split(",") for line in page.evaluate("copied").splitlines()]
    model = load_model(files["attention"])
    hyp = greedy(model, collate_sources([["forty", "two"]], model.src_vocab))[0]
    assert head == ["step", "word", "log_prob", "1 forty", "2 two"]
    assert [row[1] for row in rows] == [*hyp.tokens, "<eos>"]
    assert sum(float(row[2]) for row in rows) == pytest.approx(hyp.log_prob, abs=1e-4)
    for row, weights in zip(rows, hyp.weights, strict=True):
        assert [float(w) for w in row[3:]] == pytest.approx(weights.tolist(), abs=1e-4)


def test_a_file_that_is_too_large_is_not_read(page):
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(64e6 + 1)], "huge.s2s"));
          const root = document.querySelector("[data-testid=translator]");
          root.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
    )
    expect(field(page, "message")).to_contain_text("huge.s2s can't be used: it has 64 MB")
    assert output(page) != ""


def test_errors_are_marked_word_by_word(page):
    field(page, "input").fill("forty two")
    expect(field(page, "output-verdict")).to_have_text("✓ right")
    field(page, "model").select_option("vanilla")
    for n in range(100, 1000, 37):
        field(page, "input").fill(str(n))
        right, now = " ".join(number_pair(n).tgt), output(page)
        verdict = field(page, "output-verdict").inner_text()
        wrong = page.locator("[data-testid=translator-output] .tr-wrong")
        if now == right:
            assert verdict == "✓ right"
            assert wrong.count() == 0
        else:
            assert verdict.startswith("✗") and verdict.endswith(f"Right: {right}")
            mark = re.match(r"✗ (\d+) wrong", verdict)
            assert wrong.count() == (int(mark[1]) if mark else 0)
            return
    pytest.fail("a model of 60 steps was always right")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Type something"),
        ("   \n ", "Type something"),
        ("forty two bananas", "“bananas”"),
        ("fourty two", "Did you mean “forty”"),
        ("million", "doesn't know “million”"),
        ("🙂🙃", "."),
        ("<img src=x onerror=alert(1)><b>two</b>", "."),
        ("-5", "negative"),
        ("3.14", "whole number"),
        ("9" * 40, "bigger"),
        (" ".join(["one"] * 500), "That is"),
        ("seven " * 20_000, "That is 120000 characters"),
        ("\u202eevif\u0000\ufffe", "."),
        ("__proto__", "."),
    ],
)
def test_bad_input_gets_a_helpful_message(page, text, says):
    field(page, "input").fill(text)
    told(page, says)
    assert page.locator(".att img, .att script").count() == 0
    field(page, "input").fill("seven")  # and the page lives
    assert output(page) != ""
    expect(field(page, "message")).to_be_hidden()


def test_the_decoder_is_stepped_through(page):
    field(page, "input").fill("forty two")
    steps = len(output(page).split()) + 1
    slider, sentence = page.get_by_test_id("translator-step"), field(page, "sentence")
    slider.fill("0")
    expect(sentence).to_contain_text(f"Step 1 of {steps}: the decoder looks most at")
    expect(page.locator("[data-testid=translator-output] .tr-now")).to_have_count(1)
    slider.press("ArrowRight")
    expect(sentence).to_contain_text(f"Step 2 of {steps}, after “")
    expect(field(page, "next").get_by_role("listitem")).to_have_count(6)
    expect(field(page, "next")).to_contain_text("said")
    field(page, "play").click()
    expect(sentence).to_contain_text(f"Step {steps} of {steps}")
    field(page, "matrix").focus()
    page.keyboard.press("ArrowUp")
    expect(sentence).to_contain_text("looks at")
    page.keyboard.press("Escape")
    expect(sentence).to_contain_text("Step")
    page.locator("[data-testid=translator-output] [data-t='0']").click()
    expect(sentence).to_contain_text("Step 1 of")


def test_deleting_the_attended_word_changes_what_is_said(page, files):
    before = output(page)
    page.get_by_test_id("translator-step").fill("0")
    weights = field(page, "weight")
    values = weights.evaluate_all("all => all.map((bar) => +bar.ariaValueNow)")
    assert sum(values) == pytest.approx(1, abs=2e-3)
    field(page, "source-word").nth(values.index(max(values))).click()
    now = weights.evaluate_all("all => all.map((bar) => +bar.ariaValueNow)")
    assert now[values.index(max(values))] == 0 and sum(now) == pytest.approx(1, abs=2e-3)
    assert output(page) != before
    expect(field(page, "changed")).to_have_text(f"Without your changes: {before}")
    expect(field(page, "sentence")).to_contain_text("was made to look most at")
    field(page, "reset").click()
    assert output(page) == before
    expect(field(page, "changed")).to_be_hidden()


def test_a_word_deleted_in_every_step(page, files):
    before = output(page)
    field(page, "everywhere").check()
    field(page, "source-word").nth(1).click()
    for step in range(2):
        page.get_by_test_id("translator-step").fill(str(step))
        expect(field(page, "weight").nth(1)).to_have_attribute("aria-valuenow", "0.000")
    assert output(page) != before
    field(page, "source-word").nth(0).click()
    expect(field(page, "message")).to_contain_text("One word has to stay")
    field(page, "source-word").nth(1).click()
    assert output(page) == before
    expect(field(page, "changed")).to_be_hidden()  # nothing is changed any more
    expect(field(page, "reset")).to_be_disabled()


def test_weights_are_dragged_by_pointer_and_keys(page):
    before = output(page)
    page.get_by_test_id("translator-step").fill("0")
    bar = field(page, "weight").nth(0)
    box = bar.bounding_box()
    x = box["x"] + box["width"] / 2
    page.mouse.move(x, box["y"] + box["height"] - 4)
    page.mouse.down()
    for part in (0.7, 0.4, 0.02):
        page.mouse.move(x, box["y"] + box["height"] * part)
    page.mouse.up()
    assert float(bar.get_attribute("aria-valuenow")) > 0.95
    dragged = output(page)
    page.keyboard.press("End")
    expect(bar).to_have_attribute("aria-valuenow", "1.000")
    expect(field(page, "weight").nth(1)).to_have_attribute("aria-valuenow", "0.000")
    page.keyboard.press("PageDown")
    expect(bar).to_have_attribute("aria-valuenow", "0.750")
    page.keyboard.press("ArrowRight")
    expect(field(page, "weight").nth(1)).to_be_focused()
    page.keyboard.press("Home")
    expect(bar).to_have_attribute("aria-valuenow", "1.000")
    page.keyboard.press("Delete")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    expect(field(page, "message")).to_contain_text("One word has to stay")
    assert before != dragged or before != output(page)


def weights_at(page: Page, step: int) -> list[float]:
    page.get_by_test_id("translator-step").fill(str(step))
    return field(page, "weight").evaluate_all("all => all.map((bar) => +bar.ariaValueNow)")


def test_a_deleted_word_stays_deleted_whatever_else_is_changed(page):
    field(page, "input").fill("three hundred and forty five")
    field(page, "everywhere").check()
    field(page, "source-word").nth(0).click()
    field(page, "everywhere").uncheck()
    page.get_by_test_id("translator-step").fill("0")
    field(page, "source-word").nth(1).click()  # in this step
    assert weights_at(page, 0)[:2] == [0, 0] and sum(weights_at(page, 0)) > 0.99
    field(page, "weight").nth(2).press("End")
    assert weights_at(page, 0) == [0, 0, 1, 0, 0]
    field(page, "weight").nth(2).press("PageDown")  # what it gives away goes to those that stay
    assert weights_at(page, 0) == [0, 0, 0.75, 0.125, 0.125]


def test_a_change_undoes_those_of_later_steps(page):
    field(page, "input").fill("three hundred and forty five")
    for step, s in ((2, 0), (0, 4)):
        page.get_by_test_id("translator-step").fill(str(step))
        field(page, "weight").nth(s).press("End")
        field(page, "weight").nth(s).press("End")
        expect(field(page, "sentence")).to_contain_text(f"Step {step + 1} of")
    assert weights_at(page, 0)[4] == 1
    assert weights_at(page, 1)[4] < 1 and weights_at(page, 2)[0] < 1


def test_changes_end_with_what_they_changed(page, files):
    def delete() -> None:
        page.get_by_test_id("translator-step").fill("0")
        field(page, "source-word").nth(0).click()
        expect(field(page, "changed")).to_be_visible()

    delete()
    field(page, "input").fill("fifty three")
    assert output(page) == " ".join(said(files["attention"], "fifty three"))
    expect(field(page, "changed")).to_be_hidden()
    delete()
    for model in ("vanilla", "attention"):
        field(page, "model").select_option(model)
        assert output(page) == " ".join(said(files[model], "fifty three"))
        expect(field(page, "changed")).to_be_hidden()
    delete()
    for decoder in ("beam", "greedy"):
        field(page, "decoder").select_option(decoder)
        expect(field(page, "changed")).to_be_hidden()
    assert output(page) == " ".join(said(files["attention"], "fifty three"))


def test_a_bar_is_dragged_only_while_the_main_button_is_held(page):
    page.get_by_test_id("translator-step").fill("0")
    weights = field(page, "weight")
    values = weights.evaluate_all("all => all.map((bar) => bar.ariaValueNow)")
    weights.nth(0).click(button="right", position={"x": 5, "y": 5})
    assert weights.evaluate_all("all => all.map((bar) => bar.ariaValueNow)") == values
    page.evaluate(
        """() => {  // the button is let go where the page doesn't hear it
          const bar = document.querySelector("[data-testid=translator-weight]");
          const { x, y, height } = bar.getBoundingClientRect();
          const send = (kind, buttons, at) => bar.dispatchEvent(new PointerEvent(kind,
            { bubbles: true, buttons, clientX: x + 2, clientY: y + at * height, pointerId: 1 }));
          Element.prototype.setPointerCapture = () => {};
          send("pointerdown", 1, 0.5);
          send("pointermove", 1, 0.25);
          send("pointermove", 0, 0.9);
        }"""
    )
    assert float(weights.nth(0).get_attribute("aria-valuenow")) == pytest.approx(0.75, abs=0.02)


def test_longer_and_longer(page):
    field(page, "input").fill("seven")
    lengths = []
    for _ in range(4):
        field(page, "longer").click()
        lengths.append(len(field(page, "input").input_value().split()))
    assert lengths == [2, 3, 4, 5]


def test_how_far_each_model_gets(show, files):
    """These models know numbers below a thousand only."""
    page = show(TranslatorView({"numbers": files}, "seven"))
    field(page, "measure").click()
    expect(field(page, "message")).to_contain_text('could not be tried: "thousand" is not')
    counts = page.locator("tr[data-kind=attention] td[title]").all_inner_texts()
    assert len(counts) == 3 and int(counts[0]) >= 4
    expect(field(page, "measure")).to_have_text("Try 60 new numbers")
    field(page, "input").fill("forty two")
    assert output(page) != ""


def test_how_far_goes_on_while_another_task_is_shown(show, files, dates):
    page = show(TranslatorView({"numbers": files, "dates": {"attention": dates}}, "seven"))
    page.evaluate("() => { let now = 0; performance.now = () => now += 50; }")  # a word a slice
    field(page, "measure").click()
    field(page, "task").select_option("dates")
    expect(field(page, "message")).to_contain_text('could not be tried: "thousand" is not')
    assert page.locator("tr[data-kind=attention] td[title]").count() == 3


def test_a_refused_link_leaves_no_step_behind(page):
    page.evaluate("location.hash = '#translate?text=bananas&step=1'")
    told(page, "bananas")
    field(page, "input").fill("forty two")
    steps = len(output(page).split()) + 1
    expect(field(page, "sentence")).to_contain_text(f"Step {steps} of {steps}")


def test_printed_bars_have_their_words(page):
    page.emulate_media(media="print")
    expect(field(page, "source-word").nth(1)).to_be_visible()
    expect(field(page, "reset")).to_be_hidden()


def test_a_link_carries_the_state(page, files):
    field(page, "input").fill("three hundred and forty five")
    field(page, "model").select_option("vanilla")
    field(page, "decoder").select_option("sampling")
    field(page, "temperature").fill("1.5")
    field(page, "again").click()
    page.get_by_test_id("translator-step").fill("1")
    was, hash_ = output(page), field(page, "link").get_attribute("href")
    address = page.url.split("#")[0] + hash_
    page.goto("about:blank")
    page.goto(address)
    expect(field(page, "output")).to_have_text(was)
    expect(field(page, "input")).to_have_value("three hundred and forty five")
    expect(field(page, "model")).to_have_value("vanilla")
    expect(field(page, "decoder")).to_have_value("sampling")
    expect(field(page, "sentence")).to_contain_text("Step 2 of")
    page.evaluate("location.hash = '#translate?task=numbers&text=seven'")
    expect(field(page, "output")).to_have_text(" ".join(said(files["attention"], "seven")))
    field(page, "link").click()
    expect(page.locator(".tr-take")).to_contain_text("The ")
    assert "text=seven" in page.url


@pytest.mark.parametrize(
    "bad",
    [
        "task=cooking",
        "model=huge",
        "decoder=magic",
        "text=" + "x" * 3000,
        "step=-4",
        "temperature=hot",
        "width=1e9",
        "task=%E0%A4%A",
    ],
)
def test_a_bad_link_gets_a_message(page, bad):
    before = output(page)
    page.evaluate("hash => { location.hash = hash; }", f"#translate?{bad}")
    expect(field(page, "message")).to_contain_text("This link")
    assert output(page) == before
    page.evaluate("location.hash = '#elsewhere'")
    address = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{address}#translate?{bad}")
    expect(field(page, "message")).to_contain_text("This link")
    assert output(page) == before
    page.goto("about:blank")
    page.goto(f"{address}#translate?text={quote('<b>two</b> 🙂')}")
    told(page, ".")


def give(page: Page, name: str, data: bytes) -> None:
    field(page, "file").set_input_files({"name": name, "mimeType": "", "buffer": data})


def test_a_model_of_the_readers_own(page, files, dates):
    give(page, "mine.s2s", files["vanilla"])
    expect(field(page, "message")).to_contain_text("mine.s2s is loaded: no attention, task numbers")
    expect(field(page, "model")).to_have_value("own")
    assert output(page) == " ".join(said(files["vanilla"], "forty two"))
    give(page, "dates.s2s", dates)  # another task, of characters
    expect(field(page, "task")).to_have_value("dates")
    text = "4 Mar 2021"
    field(page, "input").fill(text)
    model = load_model(dates)
    tokens = greedy(model, collate_sources([list(text)], model.src_vocab))[0].tokens
    assert output(page) == "".join(tokens)
    field(page, "task").select_option("numbers")
    expect(field(page, "model")).to_have_value("attention")
    field(page, "input").fill("seven")
    assert output(page) == " ".join(said(files["attention"], "seven"))


def test_a_model_of_an_unknown_task_takes_words_as_they_are(page):
    vocab = build_vocab([["a", "dog"], ["the", "cat"], ["a", "the", "cat", "dog"]], min_count=2)
    seed_everything(0)
    data = export_model(build_model(SMALL, vocab, vocab), task="mine")
    give(page, "mine.s2s", data)
    field(page, "input").fill("The dog")
    assert output(page) == " ".join(said(data, "the dog"))
    field(page, "input").fill("the zebra")
    expect(field(page, "source")).to_contain_text("“zebra” is new to this model")
    expect(field(page, "output-verdict")).to_contain_text("No oracle")


def test_a_model_brings_examples_and_their_answers(page):
    """Words on one side, signs on the other, as a reader's own task may have."""
    pairs = [Pair(tuple("MCM"), ("nineteen", "hundred")), Pair(tuple("IV"), ("four",))]
    vocabs = build_vocab(p.src for p in pairs), build_vocab(p.tgt for p in pairs)
    seed_everything(0)
    model = build_model(SMALL, *vocabs)
    fit(model, pairs, TrainConfig(steps=80, lr=2e-2, batch_size=2))
    give(page, "roman.s2s", export_model(model, task="roman", examples=pairs))
    expect(field(page, "input")).to_have_value("MCM")
    expect(field(page, "output")).to_have_text("nineteen hundred")
    expect(field(page, "output-verdict")).to_have_text("✓ right")
    chips = page.get_by_test_id("translator-example")
    expect(chips).to_have_text(["MCM", "IV"])
    chips.nth(1).click()
    expect(field(page, "output")).to_have_text("four")
    field(page, "input").fill("VI")
    expect(field(page, "output-verdict")).to_contain_text("No oracle")


def altered(data: bytes, **header: bytes) -> bytes:
    """A file whose header says something else, its checksum right."""
    size, payload = struct.unpack("<II", data[12:20])
    text = data[24 : 24 + size]
    for old, new in header.values():
        assert old in text
        text = text.replace(old, new)
    rest = text + data[24 + size :]
    numbers = struct.pack("<III", len(text), payload, zlib.crc32(rest))
    return data[:12] + numbers + rest


def bad_files(data: bytes) -> dict[str, tuple[bytes, str]]:
    return {
        "cut.s2s": (data[: len(data) // 2], "was cut off"),
        "damaged.s2s": (data[:-9] + b"x" + data[-8:], "damaged"),
        "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(3000), "not a model file"),
        "newer.s2s": (data[:8] + struct.pack("<I", 9) + data[12:], "newer program"),
        "empty.s2s": (b"", "."),
        "kind.s2s": (altered(data, a=(b'"additive"', b'"telepath"')), "."),
        "sizes.s2s": (altered(data, a=(b'"hidden_size":24', b'"hidden_size":25')), "expected"),
        "pairs.s2s": (
            altered(data, a=(b'"task":', b'"examples":[["one",["eins"]]],"task":')),
            "examples are not pairs",
        ),
        "words.s2s": (altered(data, a=(b'"<eos>"', b'"<end>"')), "don't begin with"),
    }


BAD = (
    "cut.s2s damaged.s2s picture.png newer.s2s empty.s2s kind.s2s sizes.s2s words.s2s pairs.s2s"
).split()


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_leaves_the_page_working(page, files, name):
    before, (data, why) = output(page), bad_files(files["attention"])[name]
    give(page, name, data)
    expect(field(page, "message")).to_have_text(re.compile(f"{name} can't be used: .*{why}"))
    assert output(page) == before
    assert field(page, "model").locator("option").count() == 2
    field(page, "input").fill("seven")
    assert output(page) == " ".join(said(files["attention"], "seven"))


def test_a_file_is_dropped(page, files):
    page.evaluate(
        """(numbers) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(numbers)], "drop.s2s"));
          const root = document.querySelector("[data-testid=translator]");
          for (const kind of ["dragenter", "dragover", "drop"]) {
            const event = new DragEvent(kind, { dataTransfer: data, bubbles: true });
            root.dispatchEvent(event);
          }
        }""",
        list(files["vanilla"]),
    )
    expect(field(page, "model")).to_have_value("own")
    expect(field(page, "message")).to_contain_text("drop.s2s is loaded")


DROP = """(files) => {
  const data = new DataTransfer();
  for (const [name, numbers] of files) data.items.add(new File([new Uint8Array(numbers)], name));
  const root = document.querySelector("[data-testid=translator]");
  root.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


def test_of_two_files_dropped_at_once_none_is_taken(page, files):
    before = output(page)
    page.evaluate(DROP, [[name, list(files["vanilla"])] for name in ("a.s2s", "b.s2s")])
    expect(field(page, "message")).to_contain_text("2 files were dropped")
    assert field(page, "model").locator("option").count() == 2
    assert output(page) == before


def test_the_file_chosen_last_is_the_one_that_stays(page, files):
    page.evaluate(
        """() => {
          const read = File.prototype.arrayBuffer;
          File.prototype.arrayBuffer = async function () {
            if (this.name === "slow.s2s") await new Promise((go) => { window.letGo = go; });
            return read.call(this);
          };
        }"""
    )
    page.evaluate(DROP, [["slow.s2s", list(files["attention"])]])
    page.evaluate(DROP, [["quick.s2s", list(files["vanilla"])]])
    expect(field(page, "message")).to_contain_text("quick.s2s is loaded: no attention")
    page.evaluate("async () => { letGo(); await new Promise((go) => setTimeout(go, 50)); }")
    expect(field(page, "message")).to_contain_text("quick.s2s is loaded")
    assert output(page) == " ".join(said(files["vanilla"], "forty two"))


@pytest.mark.parametrize("task", ["constructor", "__proto__", "toString", "<b>x</b>" * 900])
def test_a_task_may_have_any_name(page, task):
    vocab = build_vocab([["a", "dog", "cat"]])
    seed_everything(0)
    data = export_model(build_model(SMALL, vocab, vocab), task=task)
    give(page, "mine.s2s", data)
    expect(field(page, "message")).to_contain_text("mine.s2s is loaded")
    chosen = field(page, "task").locator("option:checked")
    name = chosen.inner_text()
    assert name == task or (len(name) < 80 and name.startswith("<b>x</b><b>"))
    expect(field(page, "input")).to_have_value("a cat dog")
    field(page, "input").fill("dog a")
    assert output(page) == " ".join(said(data, "dog a"))
    expect(field(page, "output-verdict")).to_contain_text("No oracle")


def test_a_large_model_gives_way_and_shows_nothing_stale(show, files):
    seed_everything(0)
    large = ModelConfig("additive", "previous", 128, 320, bidirectional=True)
    data = export_model(build_model(large, *VOCABS))
    page = show(TranslatorView({"numbers": {"attention": data}}, "seven"))
    expect(field(page, "output")).to_have_attribute("aria-busy", "false", timeout=60_000)
    texts = [" ".join(number_pair(n).src) for n in (345, 999)]
    seen = page.evaluate(
        """async (texts) => {
          const input = document.querySelector("[data-testid=translator-input]");
          const output = document.querySelector("[data-testid=translator-output]");
          const seen = [];
          for (const text of texts) {
            input.value = text;
            input.dispatchEvent(new Event("input", { bubbles: true }));
            seen.push([output.textContent, output.getAttribute("aria-busy")]);
            await new Promise((done) => setTimeout(done));
          }
          return seen;
        }""",
        texts,
    )
    assert seen == [["", "true"]] * 2
    expect(field(page, "output")).to_have_attribute("aria-busy", "false", timeout=60_000)
    assert output(page) == " ".join(said(data, texts[1]))


def test_models_of_other_tasks_come_from_files_when_they_are_chosen(show, files, dates, tmp_path):
    """As book_pages leaves them: a name in the state, the bytes in a script of the site."""
    figure = TranslatorView({"numbers": files}, "forty two")
    name = "0123456789abcdef"
    figure.models = {"numbers": files, "dates": {"attention": f"file:{name}"}}
    figure.models |= {"grammar-de": {"attention": "nowhere"}}
    page = show(figure)
    field(page, "task").select_option("grammar-de")
    expect(field(page, "message")).to_contain_text("could not be loaded")
    assert output(page) == ""
    folder = tmp_path.parent / "figures"
    folder.mkdir()
    script = f'(globalThis.bookData ||= {{}})["{name}"] = "{b64encode(dates).decode()}";'
    (folder / f"{name}.data.js").write_text(script)
    field(page, "task").select_option("numbers")
    assert output(page) == " ".join(said(files["attention"], "seven"))
    field(page, "task").select_option("dates")
    expect(field(page, "output")).to_have_attribute("aria-busy", "false")
    expect(field(page, "message")).to_be_hidden()
    field(page, "input").fill("4 Mar 2021")
    model = load_model(dates)
    right = greedy(model, collate_sources([list("4 Mar 2021")], model.src_vocab))[0].tokens
    assert output(page) == "".join(right)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone(show, files, theme):
    page = show(TranslatorView({"numbers": files}, "forty two"), width=390, has_touch=True)
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    for decoder in ("greedy", "beam", "sampling"):
        field(page, "decoder").select_option(decoder)
        field(page, "input").fill("three hundred and forty five")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    field(page, "decoder").select_option("greedy")
    page.get_by_test_id("translator-step").fill("0")
    before = output(page)
    field(page, "source-word").nth(0).tap()
    expect(field(page, "changed")).to_have_text(f"Without your changes: {before}")
    box = field(page, "input").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_numbers_and_pictures_are_handed_over(page):
    field(page, "input").fill("forty two")
    page.get_by_text("Table of the steps").click()
    steps = len(output(page).split()) + 1
    expect(page.locator(".att-numbers tbody tr")).to_have_count(steps)
    for kind in ("svg", "png"):
        with page.expect_download() as download:
            page.get_by_test_id(f"translator-save-{kind}").click()
        assert download.value.suggested_filename == f"try-it.{kind}"


def test_python_and_page_hold_the_same(page):
    """A figure that changes its traits in the page, as from a kernel's side."""
    expect(page.get_by_role("group", name="Try it")).to_be_visible()
    for name in ("Text to translate", "Model", "Decoder"):
        expect(page.get_by_label(name).first).to_be_visible()
    expect(page.get_by_role("slider", name="Weight of forty")).to_have_count(1)
    assert field(page, "sentence").get_attribute("aria-live") == "polite"
