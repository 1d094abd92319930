"""The live figures in a real browser, on a static page opened from disk, with no kernel.

Every test also demands that the page asked the network for nothing and logged no error.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import ipywidgets
import numpy as np
import pytest
from ipywidgets.embed import dependency_state, embed_data
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from seq2seq_attention.widgets import AlignmentView

pytestmark = pytest.mark.browser

RUNTIME = Path(__file__).parents[1] / "book/assets/widgets/anywidget-lite.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PLAIN_PAGE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Figures</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><script src="runtime.js"></script></head><body>{views}
<script type="application/vnd.jupyter.widget-state+json">{state}</script></body></html>"""

SRC = ["three", "hundred", "and", "twenty", "seven", "<eos>"]
TGT = ["drei", "hundert", "sieben", "und", "zwanzig", "<eos>"]
GOLD = [(0, 0), (1, 1), (2, 4), (3, 2), (4, 3)]


def peaked(sharp: float = 0.95) -> np.ndarray:
    """Weights (6, 6) with `sharp` on each gold link and on the final pair, the rest spread."""
    weights = np.full((6, 6), (1 - sharp) / 5)
    for t, s in [*GOLD, (5, 5)]:
        weights[t, s] = sharp
    return weights


def numbers(**more) -> AlignmentView:
    return AlignmentView(np.stack([peaked(0.5), peaked()]), SRC, TGT, gold=GOLD, **more)


@pytest.fixture(scope="module")
def browser():
    if not Path(CHROMIUM).exists():
        pytest.fail(f"no browser at {CHROMIUM}: install Chromium or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


def write_page(folder: Path, *figures: ipywidgets.Widget) -> str:
    """A page as a built book has it: one script per view, one with every widget's state."""
    shutil.copy(RUNTIME, folder / "runtime.js")
    data = embed_data(views=figures, state=dependency_state(figures, drop_defaults=False))
    script = '<div><script type="application/vnd.jupyter.widget-view+json">{}</script></div>'
    views = "".join(script.format(json.dumps(spec)) for spec in data["view_specs"])
    state = json.dumps(data["manager_state"]).replace("</", "<\\/")
    page = folder / "index.html"
    page.write_text(PLAIN_PAGE.format(views=views, state=state), encoding="utf-8")
    return page.as_uri()


@pytest.fixture
def show(browser: Browser, tmp_path: Path):
    """Open figures on a page of their own; afterwards the page must have been quiet."""
    contexts, noise, requests = [], [], []

    def open_page(*figures: ipywidgets.Widget, width: int = 1000, **context) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **context))
        page = contexts[-1].new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("dialog", lambda dialog: noise.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(write_page(tmp_path, *figures))
        page.locator("html[data-figures=ready]").wait_for(state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert noise == []
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []


def cell(page: Page | Locator, t: int, s: int) -> Locator:
    return page.locator(f'[data-testid="alignment-cell"][data-t="{t}"][data-s="{s}"]')


def heading(page: Page, t: int, s: int) -> Locator:
    return page.locator(f'th[data-t="{t}"][data-s="{s}"]')


def says(page: Page | Locator, text: str) -> None:
    expect(page.get_by_test_id("alignment-sentence")).to_have_text(text)


def drawn(item: Locator) -> float:
    """The side of a cell's square as a share of the cell, 0 if it isn't drawn."""
    item.page.evaluate("document.getAnimations().forEach(a => a.finish())")
    return item.evaluate("e => parseFloat(getComputedStyle(e).backgroundSize)")


def test_at_the_last_step_everything_is_shown(show):
    page = show(numbers(title="Numbers"))
    expect(page.get_by_role("group", name="Numbers")).to_be_visible()
    expect(page.get_by_role("grid", name="Numbers")).to_be_visible()
    assert page.get_by_test_id("alignment-cell").count() == 36
    assert page.get_by_role("columnheader").all_text_contents() == SRC
    assert page.get_by_role("rowheader").all_text_contents() == TGT
    says(page, "Step 6 of 6: “<eos>” looks most at “<eos>” (0.950), then at “three” (0.010).")
    assert drawn(cell(page, 2, 4)) > 5 * drawn(cell(page, 2, 0)) > 0
    expect(cell(page, 2, 4)).to_have_attribute("aria-label", "0.950, gold link")


def test_slider_and_buttons_step_through(show):
    page = show(numbers(step=0))
    says(page, "Step 1 of 6: “drei” looks most at “three” (0.950), then at “hundred” (0.010).")
    assert drawn(cell(page, 1, 1)) == 0
    slider = page.get_by_test_id("alignment-step")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.locator(".att-now th")).to_have_text("hundert")
    assert drawn(cell(page, 1, 1)) > 50
    assert slider.get_attribute("aria-valuetext") == "step 2 of 6: hundert"
    page.get_by_label("One step forward").click()
    expect(slider).to_have_value("2")
    page.get_by_label("One step back").click(click_count=2)
    expect(slider).to_have_value("0")
    expect(page.get_by_label("One step back")).to_be_disabled()
    cell(page, 3, 2).hover()
    says(page, "“und” is not produced yet: the decoder is at step 1 of 6.")


def test_play_runs_to_the_end_and_can_be_paused(show):
    page = show(numbers(step=2))
    page.clock.install()
    play, slider = page.get_by_test_id("alignment-play"), page.get_by_test_id("alignment-step")
    sentence = page.get_by_test_id("alignment-sentence")
    play.click()
    expect(play).to_have_attribute("aria-label", "Pause")
    expect(sentence).to_have_attribute("aria-live", "off")
    page.clock.run_for(1000)
    expect(slider).to_have_value("3")
    play.click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("3")
    play.click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("5")
    expect(play).to_have_attribute("aria-label", "Play the decoder steps")
    expect(sentence).to_have_attribute("aria-live", "polite")
    play.click()  # from the end it starts over
    expect(slider).to_have_value("0")


def test_hover_lights_a_cell_a_row_or_a_column_and_leaves_no_trace(show):
    page = show(numbers())
    at_rest = page.get_by_test_id("alignment-sentence").text_content()
    cell(page, 2, 4).hover()
    says(page, "“sieben” looks 0.950 at “seven” — gold link.")
    expect(page.locator("tr.att-lit th")).to_have_text("sieben")
    expect(page.locator("th.att-lit")).to_have_text("seven")
    heading(page, 4, -1).hover()
    says(page, "“zwanzig” looks most at “twenty” (0.950), then at “three” (0.010).")
    heading(page, -1, 3).hover()
    says(page, "“twenty” is looked at most by “zwanzig” (0.950).")
    assert page.locator(".att-column").count() == 6
    page.mouse.move(0, 0)
    says(page, at_rest)
    assert page.locator(".att-lit, .att-column, .att-cell").count() == 0


def test_the_grid_is_one_tab_stop_with_arrow_keys(show):
    page = show(numbers())
    assert page.locator('.att-grid [tabindex="0"]').count() == 1
    page.get_by_label("Training snapshot").focus()
    page.keyboard.press("Tab")
    expect(cell(page, 0, 0)).to_be_focused()
    for key, (t, s) in {
        "ArrowDown": (1, 0), "ArrowRight": (1, 1), "End": (1, 5), "PageDown": (5, 5),
        "Home": (5, 0), "PageUp": (0, 0), "Control+End": (5, 5), "Control+Home": (0, 0),
    }.items():  # fmt: skip
        page.keyboard.press(key)
        expect(cell(page, t, s)).to_be_focused()
    says(page, "“drei” looks 0.950 at “three” — gold link.")
    page.keyboard.press("ArrowLeft")
    expect(heading(page, 0, -1)).to_be_focused()
    assert page.locator('.att-grid [tabindex="0"]').count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".att-lit").count() == 0
    expect(page.get_by_test_id("alignment-sentence")).to_contain_text("Step 6 of 6")


def test_gold_marks_on_demand(show):
    page = show(numbers(), AlignmentView([[1.0]], ["a"], ["b"]))
    box = page.get_by_test_id("alignment-gold")
    assert box.count() == 1  # none where no gold is known
    border = "e => getComputedStyle(e, '::after').borderTopStyle"
    assert cell(page, 2, 4).evaluate(border) == "none"
    box.focus()
    page.keyboard.press("Space")
    assert cell(page, 2, 4).evaluate(border) == "solid"
    assert cell(page, 2, 3).evaluate(border) == "none"


def test_snapshots_and_the_table_of_numbers(show):
    page = show(numbers(snapshots=["early", "late"]))
    table, slider = page.get_by_test_id("alignment-table"), page.get_by_label("Training snapshot")
    expect(table.locator("table")).to_have_count(0)  # built when opened
    table.locator("summary").click()
    row = table.get_by_role("row").nth(3)
    expect(row).to_have_text("sieben" + "0.010" * 4 + "0.950 ●0.010")
    slider.press("Home")
    expect(row).to_have_text("sieben" + "0.100" * 4 + "0.500 ●0.100")
    expect(table.locator("caption")).to_contain_text("early")
    cell(page, 2, 4).hover()
    says(page, "“sieben” looks 0.500 at “seven” — gold link.")


def test_sentence_is_a_polite_live_region_and_the_figure_does_not_jump(show):
    page = show(numbers())
    sentence = page.get_by_test_id("alignment-sentence")
    expect(sentence).to_have_attribute("aria-live", "polite")
    height = page.get_by_test_id("alignment").bounding_box()["height"]
    for t, s in [(0, 0), (2, 3), (5, 5)]:
        cell(page, t, s).click()
        assert page.get_by_test_id("alignment").bounding_box()["height"] == height
    page.get_by_test_id("alignment-step").fill("0")
    assert page.get_by_test_id("alignment").bounding_box()["height"] == height


def test_follows_the_theme_of_the_page_live(show):
    page = show(numbers(), color_scheme="light")
    figure = page.get_by_test_id("alignment")
    ink = "e => getComputedStyle(e).color"
    light = figure.evaluate(ink)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(figure).to_have_attribute("data-att-theme", "dark")
    assert figure.evaluate(ink) != light
    page.evaluate("document.documentElement.dataset.theme = 'auto'")
    expect(figure).to_have_attribute("data-att-theme", "light")
    page.emulate_media(color_scheme="dark")
    expect(figure).to_have_attribute("data-att-theme", "dark")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")  # JupyterLab
    expect(figure).to_have_attribute("data-att-theme", "light")


def test_phone_by_touch(show):
    tokens = [f"word{i}" for i in range(30)]
    wide = AlignmentView(np.eye(30), tokens, tokens, step=0)
    page = show(numbers(), wide, width=390, has_touch=True, is_mobile=True)
    first, second = page.get_by_test_id("alignment").all()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    cell(first, 2, 4).tap()
    says(first, "“sieben” looks 0.950 at “seven” — gold link.")
    first.locator('th[data-s="3"]').tap()
    says(first, "“twenty” is looked at most by “zwanzig” (0.950).")
    assert cell(second, 0, 0).bounding_box()["width"] >= 24
    second.get_by_test_id("alignment-step").fill("29")  # its box scrolls to what is looked at
    box = cell(second, 29, 29).bounding_box()
    assert 0 < box["x"] < box["x"] + box["width"] <= 390


def test_no_motion_for_those_who_ask_for_none(show):
    page = show(numbers(), reduced_motion="reduce")
    durations = "e => getComputedStyle(e).transitionDuration"
    assert cell(page, 0, 0).evaluate(durations) == "0s"


def test_odd_tokens_are_text(show):
    src = ["<b>bold</b>", " ", "", "Donaudampfschifffahrtsgesellschaftskapitän" * 2]
    tgt = ["<img src=x onerror=alert(1)>", "שלום", "und", "und"]
    page = show(AlignmentView(np.eye(4), src, tgt, title="</script><i>"))
    shown = page.get_by_role("columnheader").all_text_contents()
    assert shown == ["<b>bold</b>", "␣", "∅", src[3]]
    assert page.get_by_test_id("alignment").locator("b, img, p i").count() == 0
    direction = "e => getComputedStyle(e).direction"
    assert heading(page, 1, -1).locator("bdi").evaluate(direction) == "rtl"
    cell(page, 0, 0).click()
    says(page, "“<img src=x onerror=alert(1)>” looks 1.000 at “<b>bold</b>”.")
    cell(page, 3, 3).click()
    says(page, f"“und” (2nd) looks 1.000 at “{src[3]}”.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000


def test_smallest_figures(show):
    page = show(AlignmentView([[1.0]], ["a"], ["b"]), AlignmentView([], ["a"], []))
    one, empty = page.get_by_test_id("alignment").all()
    says(one, "Step 1 of 1: “b” looks most at “a” (1.000).")
    expect(one.get_by_test_id("alignment-play")).to_be_disabled()
    says(empty, "There are no target words, so nothing is looked at.")
    expect(empty.get_by_test_id("alignment-step")).to_be_disabled()


def test_two_figures_are_independent_two_views_of_one_are_not(show):
    a, b = numbers(title="A"), numbers(title="B")
    page = show(a, b, a)
    first, other, second = page.get_by_test_id("alignment").all()
    first.get_by_test_id("alignment-step").fill("1")
    expect(second.get_by_test_id("alignment-step")).to_have_value("1")
    expect(other.get_by_test_id("alignment-step")).to_have_value("5")
    cell(second, 0, 0).click()
    says(first, "“drei” looks 0.950 at “three” — gold link.")
    expect(other.get_by_test_id("alignment-sentence")).to_contain_text("Step 6 of 6")
    first_rules = "document.adoptedStyleSheets.map((sheet) => sheet.cssRules[0].cssText)"
    assert len(page.evaluate(first_rules)) == 1, "two figures share one sheet"


def test_boxes_links_and_controls_that_need_python(show):
    a, b = numbers(), numbers()
    link = ipywidgets.jslink((a, "focus"), (b, "focus"))
    page = show(ipywidgets.VBox([a, b]), ipywidgets.VBox([ipywidgets.IntSlider()]), link)
    first, second = page.get_by_test_id("alignment").all()
    cell(first, 2, 4).click()
    says(second, "“sieben” looks 0.950 at “seven” — gold link.")
    note = page.locator("p.needs-kernel")  # one, for the slider; a link has nothing to show
    expect(note).to_have_text(
        "This control needs a running notebook; open this chapter in Jupyter to use it."
    )


def test_a_figure_that_breaks_says_so_and_the_next_still_works(browser, tmp_path):
    broken = numbers()
    broken.weights = b"odd"
    page = browser.new_page()
    page.goto(write_page(tmp_path, broken, numbers()))
    page.locator("html[data-figures=ready]").wait_for(state="attached")
    expect(page.locator("p.figure-error")).to_have_text(
        "This interactive figure could not start: 3 bytes of weights cannot hold 72 values"
    )
    expect(page.get_by_test_id("alignment-play").last).to_be_enabled()
    page.close()
