"""The figure of three prototypes in a real browser, on a static page with no kernel.

Every test also demands that the page asked the network for nothing and logged no error.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect
from test_widgets_browser import browser, show  # noqa: F401  (fixtures)

from seq2seq_attention.data import number_pair
from seq2seq_attention.widgets import PrototypesView

pytestmark = pytest.mark.browser

PAIR = number_pair(342)  # n = 5, m = 6, and <eos>
TGT = (*PAIR.tgt, "<eos>")
KINDS = ("vector", "attention", "transformer")


def view(**more) -> PrototypesView:
    return PrototypesView(PAIR.src, TGT, **{"gold": PAIR.alignment, "word": 2, **more})


def choose(page: Page, kind: str) -> None:
    page.get_by_test_id(f"prototypes-kind-{kind}").check(force=True)


def says(page: Page, text: str) -> None:
    expect(page.get_by_test_id("prototypes-sentence")).to_contain_text(text)


def box(page: Page, label: str) -> Locator:
    return page.locator(f'[data-mark="{label}"]')


def state(page: Page, label: str) -> str | None:
    return box(page, label).get_attribute("data-state")


def test_the_three_prototypes_keep_the_moment(show):  # noqa: F811
    page = show(view())
    says(page, "s₃ is made from s₂ and the last word, “hundert”")
    assert [state(page, h) for h in ("h₁", "h₅", "s₂", "s₃", "s₄")] == [
        "lost", "past", "past", "now", "future"
    ]  # fmt: skip
    choose(page, "attention")
    says(page, "most at “two”")
    says(page, "(Weights drawn by hand.)")
    assert [state(page, label) for label in ("h₁", "c₂", "c₃", "c₄")] == [
        "past", "past", "now", "future"
    ]  # fmt: skip
    choose(page, "transformer")
    says(page, "from all 3 words so far, “<sos>” to “hundert”")
    expect(page.get_by_test_id("prototypes-step")).to_have_value("3")
    choose(page, "vector")
    expect(page.get_by_test_id("prototypes-step")).to_have_value("8")


def test_step_by_slider_keys_buttons_and_pointer(show):  # noqa: F811
    page = show(view())
    slider = page.get_by_test_id("prototypes-step")
    slider.focus()
    slider.press("Home")
    says(page, "The encoder reads “three” and makes h₁ from it.")
    assert slider.get_attribute("aria-valuetext") == (
        "step 1 of 13: The encoder reads “three” and makes h₁ from it."
    )
    page.get_by_label("One step forward").click()
    says(page, "h₂ from it and h₁")
    slider.fill("5")
    says(page, "Only the last state, h₅, is handed on, as the context c. The other 4 are thrown")
    box(page, "s₄").click()  # a box leads to the step that makes it
    says(page, "s₄ is made from s₃")
    page.get_by_label("One step back").click()
    says(page, "s₃ is made from s₂")


def test_counts_in_words(show):  # noqa: F811
    page = show(view())
    facts = page.get_by_test_id("prototypes-facts")
    expect(facts).to_contain_text("Way from x₁ to y₃10 arrows")
    expect(facts).to_contain_text("Reading5 steps, one after another")
    choose(page, "attention")
    expect(facts).to_contain_text("Way from x₁ to y₃4 arrows")
    choose(page, "transformer")
    expect(facts).to_contain_text("Reading1 step, all words at once")
    expect(facts).to_contain_text("Writing in training1 step, all words at once")


def test_the_way_is_dotted_on_demand(show):  # noqa: F811
    page = show(view(kind="attention"))
    dotted = """() => [...document.querySelectorAll(".att-way")].filter(
      (e) => getComputedStyle(e).display !== "none").length"""
    assert page.evaluate(dotted) == 0
    page.get_by_test_id("prototypes-way").check()
    assert page.evaluate(dotted) == 4
    choose(page, "vector")
    assert page.evaluate(dotted) == 10


def test_play_runs_to_the_end_and_stops_when_the_reader_takes_over(show):  # noqa: F811
    page = show(view())
    page.clock.install()
    play = page.get_by_test_id("prototypes-play")
    play.click()
    sentence = page.get_by_test_id("prototypes-sentence")
    expect(sentence).to_have_attribute("aria-live", "off")
    page.clock.run_for(1600)
    says(page, "s₄ is made from s₃")
    page.get_by_test_id("prototypes-step").fill("0")
    expect(play).to_have_attribute("aria-label", "Play the steps")
    play.click()
    page.clock.run_for(20_000)
    says(page, "the decoder says “<eos>”")
    expect(play).to_have_attribute("aria-label", "Play the steps")
    expect(sentence).to_have_attribute("aria-live", "polite")
    play.click()  # starts over
    says(page, "The encoder reads “three”")


def test_nothing_moves_before_the_reader_asks_and_nothing_ever_with_reduced_motion(show):  # noqa: F811
    page = show(view(), reduced_motion="reduce")
    moving = """document.getAnimations().length + [...document.querySelectorAll(".att *")].filter(
      (e) => getComputedStyle(e).transitionDuration !== "0s").length"""
    page.get_by_test_id("prototypes-step").fill("3")
    assert page.evaluate(moving) == 0
    choose(page, "transformer")
    assert page.evaluate(moving) == 0


def test_without_a_press_on_play_the_step_stays(show):  # noqa: F811
    page = show(view())
    page.clock.install()
    page.clock.run_for(10_000)
    expect(page.get_by_test_id("prototypes-step")).to_have_value("8")


def test_the_drawing_is_described_and_the_steps_are_a_table(show):  # noqa: F811
    page = show(view(title="342"))
    drawing = page.get_by_test_id("prototypes-drawing")
    expect(drawing).to_have_attribute("role", "img")
    assert "342, One vector, step 9 of 13: s₃" in (drawing.get_attribute("aria-label") or "")
    page.get_by_test_id("prototypes-table").locator("summary").click()
    rows = page.get_by_test_id("prototypes-table").locator("tbody tr")
    expect(rows).to_have_count(13)
    expect(rows.nth(5)).to_contain_text("Only the last state")
    choose(page, "transformer")
    expect(rows).to_have_count(9)


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_phone_by_touch_without_scrolling_sideways(show, kind):  # noqa: F811
    tokens = [f"word{i}" for i in range(12)]
    large = PrototypesView(tokens, tokens, kind=kind)
    page = show(view(kind=kind), large, width=390, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for figure in page.get_by_test_id("prototypes").all():
        drawing = figure.get_by_test_id("prototypes-drawing").bounding_box()
        assert drawing["x"] >= 0
        assert drawing["x"] + drawing["width"] <= 390
        for mark in figure.locator(".att-box, .att-word").all():
            place = mark.bounding_box()
            assert place["x"] >= -1, mark.text_content()
            assert place["x"] + place["width"] <= 391, mark.text_content()
    first = page.get_by_test_id("prototypes").first
    first.get_by_test_id("prototypes-kind-attention").tap(force=True)
    expect(first.get_by_test_id("prototypes-sentence")).to_contain_text("“")
    for target in first.locator("button:visible, summary, .att-switch label").all():
        assert target.bounding_box()["height"] >= 24


def test_follows_the_theme_of_the_page_live(show):  # noqa: F811
    page = show(view())
    fill = """() => getComputedStyle(
      document.querySelector('[data-mark="s₃"] path:not(.att-back)')).fill"""
    assert page.evaluate(fill) == "rgb(138, 96, 0)"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function(f"({fill})() === 'rgb(227, 185, 74)'")


@pytest.mark.parametrize("kind", KINDS)
def test_save_as_picture(show, kind, tmp_path: Path):  # noqa: F811
    page = show(view(kind=kind, title="342"))
    page.get_by_test_id("prototypes-way").check()
    with page.expect_download(timeout=60_000) as saved:
        page.get_by_test_id("prototypes-save-svg").click()
    root = ElementTree.parse(saved.value.path()).getroot()
    words = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"three", "zwei", "s₃", "decoder"} <= set(words)
    assert "vier" not in words
    with page.expect_download(timeout=60_000) as saved:
        page.get_by_test_id("prototypes-save-png").click()
    assert saved.value.suggested_filename == "342.png"
    pixels = np.asarray(Image.open(BytesIO(Path(saved.value.path()).read_bytes())).convert("RGB"))
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50


def test_odd_tokens_are_text_and_one_word_is_enough(show):  # noqa: F811
    odd = PrototypesView(["<b>bold</b>"], ["<img src=x onerror=alert(1)>"])
    page = show(odd, PrototypesView([" "], ["שלום"]))
    first = page.get_by_test_id("prototypes").first
    assert first.locator("img, .att-sentence b").count() == 0
    expect(first.get_by_test_id("prototypes-sentence")).to_contain_text(
        "“<img src=x onerror=alert(1)>”"
    )


def test_a_strict_content_security_policy_stops_nothing(show):  # noqa: F811
    policy = "default-src 'none'; script-src 'self' file: blob:; style-src 'self'; img-src data:"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = show(view(), head=head)
    assert page.get_by_label("One step back").bounding_box()["width"] == 32  # it has its style
    choose(page, "attention")
    assert state(page, "s₃") == "now"
    with page.expect_download(timeout=20_000):
        page.get_by_test_id("prototypes-save-png").click()
