"""BatchView and LengthView in a real browser, as quiet as test_widgets_browser demands."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect
from test_widgets_browser import browser, show

from seq2seq_attention.data import number_pair
from seq2seq_attention.results import load_results
from seq2seq_attention.vocab import build_vocab
from seq2seq_attention.widgets import BatchView, LengthView

pytestmark = pytest.mark.browser
__all__ = ["browser", "show"]
PAIRS = [number_pair(n) for n in (327_000, 7, 21, 345)]
VOCABS = build_vocab(p.src for p in PAIRS), build_vocab(p.tgt for p in PAIRS)


def batch(**more) -> BatchView:
    return BatchView(PAIRS, *VOCABS, **more)


def place(page: Page, i: int, t: int) -> Locator:
    return page.locator(f'[data-i="{i}"][data-place="{t}"]')


def says(page: Page, text: str) -> None:
    expect(page.get_by_test_id("batch-sentence")).to_contain_text(text)


def test_a_batch_is_padded_and_padding_says_what_it_is(show):
    page = show(batch())
    assert page.locator(".att-pad").count() == 6 * 4 - sum(len(p.src) for p in PAIRS)
    place(page, 1, 3).hover()
    says(page, "Sentence 2, position 4 of 6: padding. The mask is False")
    page.get_by_test_id("batch-show-mask").check()
    expect(place(page, 1, 3)).to_have_text("False")
    page.get_by_test_id("batch-show-ids").check()
    expect(place(page, 0, 0)).to_have_text(str(VOCABS[0].id("three")))
    expect(place(page, 1, 3)).to_have_text("0")


def test_sorting_into_batches_saves_padding(show):
    page = show(batch())
    cost = page.get_by_test_id("batch-cost")
    total = sum(len(p.src) for p in PAIRS)
    expect(cost).to_contain_text(f"One batch: {total} tokens and {24 - total} cells of padding")
    said = cost.inner_text()
    page.get_by_test_id("batch-groups").fill("2")
    page.get_by_test_id("batch-ordered").check()
    expect(cost).not_to_have_text(said)
    expect(page.locator("table.att-cells")).to_have_count(2)
    expect(cost).to_contain_text("2 batches:")


def test_the_target_is_shifted_by_one_and_the_past_is_lit(show):
    page = show(batch(view="target"))
    reads, must_say = place(page, 0, 2).all()
    must_say.click()
    says(page, "the decoder reads “hundert” and must say “sieben”, the word it reads next. It has")
    for node in (reads, must_say):
        assert "att-lit" in str(node.get_attribute("class"))
    assert page.locator(".att-seen").all_inner_texts() == ["<sos>", "drei"]
    assert page.locator(".att-next").all_inner_texts() == ["sieben"]


def test_a_batch_by_keyboard(show):
    page = show(batch(view="target"))
    assert page.locator('.att-cells [tabindex="0"]').count() == 1
    place(page, 0, 0).first.focus()
    for key, text in {
        "ArrowRight": "position 2 of 7: the decoder reads “drei”",
        "ArrowDown": "must say “hundert”",
        "End": "must say “<eos>”",
        "Home": "It has read nothing before",
    }.items():
        page.keyboard.press(key)
        says(page, text)
    page.keyboard.press("Escape")
    says(page, "Point at a cell")


def test_a_sentence_is_walked_through(show):
    page = show(batch(view="target"))
    page.get_by_test_id("batch-step-next").click()
    says(page, "position 1 of 7: the decoder reads “<sos>”")
    page.get_by_test_id("batch-step-next").click()
    says(page, "position 2 of 7")
    page.get_by_test_id("batch-play").click()
    says(page, "position 4 of 7")
    page.get_by_role("button", name="Pause").click()


def test_a_batch_on_a_phone(show):
    page = show(batch(), width=390, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    place(page, 3, 1).tap()
    says(page, "Sentence 4, position 2")


def explorer(**more) -> LengthView:
    return LengthView(load_results("length"), **more)


def told(page: Page) -> Locator:
    return page.get_by_test_id("length-sentence")


def picture(page: Page) -> str:
    page.wait_for_timeout(50)
    return str(page.evaluate("document.querySelector('.att-plot canvas').toDataURL()"))


def test_the_explorer_answers_to_pointer_and_keys(show):
    page = show(explorer())
    expect(told(page)).to_contain_text("Sources of 20–23 words")
    box = page.locator(".att-plot canvas").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 100)
    expect(told(page)).to_contain_text("Sources of 1–5 words")
    page.mouse.move(0, 0)
    expect(told(page)).to_contain_text("Sources of 20–23 words")
    page.get_by_test_id("length-group").nth(1).focus()
    page.keyboard.press("ArrowRight")
    expect(told(page)).to_contain_text("Sources of 11–15 words")
    page.get_by_test_id("length-position").fill("3")
    expect(told(page)).to_contain_text("Sources of 16–19 words")


def test_models_and_seeds_are_chosen(show):
    page = show(explorer(models=["vanilla"]))
    expect(told(page)).not_to_contain_text("attention")
    before = picture(page)
    page.get_by_label("attention (general)").check()
    expect(told(page)).to_contain_text("attention (general) 100.0 %")
    both = picture(page)
    page.get_by_test_id("length-seeds-each").check()
    assert len({before, both, picture(page)}) == 3
    for name in ("vanilla", "attention (general)"):
        page.get_by_label(name, exact=True).uncheck()
    expect(told(page)).to_contain_text("no model is chosen")


def test_the_hidden_size_is_chosen(show):
    runs = load_results("length")
    narrow = [
        {**r, "model": "vanilla, 16 wide", "config": {"model": {"hidden_size": 16}}}
        for r in runs
        if r["model"] == "vanilla"
    ]
    page = show(LengthView(runs + narrow, models=["vanilla"]))
    expect(told(page)).to_contain_text("vanilla, H = 128")
    page.get_by_label("Hidden size of vanilla").select_option("16")
    expect(told(page)).to_contain_text("vanilla, H = 16")
    page.get_by_label("Hidden size of vanilla").select_option("all sizes")
    expect(told(page)).to_contain_text("H = 128")
    page.get_by_text("Table of accuracies").click()
    assert page.locator(".att-numbers thead th").all_inner_texts() == [
        "words", "sources", "vanilla, H = 128", "vanilla, H = 16",
    ]  # fmt: skip


def test_the_explorer_on_a_phone_and_in_the_dark(show):
    page = show(explorer(), width=390, has_touch=True)
    light = picture(page)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert picture(page) != light
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_test_id("length-group").first.tap()
    expect(told(page)).to_contain_text("Sources of 1–5 words")
