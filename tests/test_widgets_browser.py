"""The live figures in a real browser, on a static page opened from disk, with no kernel.

Every test also demands that the page asked the network for nothing and logged no error.
"""

from __future__ import annotations

import json
import os
import shutil
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
import pytest
from ipywidgets.embed import dependency_state, embed_data
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from seq2seq_attention.widgets import AlignmentPair, AlignmentView

pytestmark = pytest.mark.browser

RUNTIME = Path(__file__).parents[1] / "book/assets/widgets/anywidget-lite.js"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PLAIN_PAGE = """<!doctype html>
<html lang="en" data-theme="light"><head><meta charset="utf-8">{head}<title>Figures</title>
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


def large(peaked: bool, view: str = "matrix") -> AlignmentView:
    """60 x 60 words and 100 snapshots: a diagonal that forms, or noise in every cell."""
    tokens = [f"word{i}" for i in range(60)]
    noise = np.random.default_rng(0).gumbel(size=(100 if not peaked else 1, 60, 60))
    if not peaked:
        scores = noise
    else:
        distance = np.abs(np.arange(60)[:, None] - np.arange(60))
        sharp = np.linspace(0, 1, 100)[:, None, None]  # (N, 1, 1)
        scores = (1 - sharp) * noise - 3 * sharp * distance  # (N, T, S)
    weights = np.exp(scores)
    return AlignmentView(weights / weights.sum(2, keepdims=True), tokens, tokens, view=view)


CHANGE = """async ([kind, i]) => {
  const view = document.querySelector(".att-view");
  const slide = (name, value) => {
    const slider = document.querySelector(`[data-testid=alignment-${name}]`);
    slider.value = value;
    slider.dispatchEvent(new Event("input"));
  };
  if (kind === "step") slide("step", (i * 7) % 60);
  if (kind === "snapshot") slide("snapshot", (i * 37) % 100);
  if (kind === "hover") {
    const places = view.querySelectorAll("[data-t]");
    const event = new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" });
    places[(i * 977) % places.length].dispatchEvent(event);
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


def frame_times(page: Page, count: int) -> dict[str, list[float]]:
    """Milliseconds the page's thread works on each change, from the event to the painted frame.

    Processor time, not time on the wall: other work on this machine must not count.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    times: dict[str, list[float]] = {}
    for kind in ("step", "snapshot", "hover"):
        for i in range(count):
            before = spent()
            page.evaluate(CHANGE, [kind, i])
            times.setdefault(kind, []).append(spent() - before)
    return times


@pytest.fixture(scope="module")
def browser():
    if not Path(CHROMIUM).exists():
        pytest.fail(f"no browser at {CHROMIUM}: install Chromium or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


def write_page(folder: Path, *figures: ipywidgets.Widget, head: str = "") -> str:
    """A page as a built book has it: one script per view, one with every widget's state."""
    shutil.copy(RUNTIME, folder / "runtime.js")
    data = embed_data(views=figures, state=dependency_state(figures, drop_defaults=False))
    script = '<div><script type="application/vnd.jupyter.widget-view+json">{}</script></div>'
    views = "".join(script.format(json.dumps(spec)) for spec in data["view_specs"])
    state = json.dumps(data["manager_state"]).replace("</", "<\\/")
    page = folder / "index.html"
    page.write_text(PLAIN_PAGE.format(views=views, state=state, head=head), encoding="utf-8")
    return page.as_uri()


@pytest.fixture
def show(browser: Browser, tmp_path: Path):
    """Open figures on a page of their own; afterwards the page must have been quiet."""
    contexts, noise, requests = [], [], []

    def open_page(
        *figures: ipywidgets.Widget, width: int = 1000, head: str = "", **context
    ) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **context))
        page = contexts[-1].new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("dialog", lambda dialog: noise.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(write_page(tmp_path, *figures, head=head))
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
    """The side of a cell's square as a percentage of the cell, 0 if it isn't drawn."""
    return item.evaluate(
        """async (cell) => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          const canvas = cell.closest(".att-stage").querySelector("canvas");
          const [box, at] = [canvas.getBoundingClientRect(), cell.getBoundingClientRect()];
          const scale = canvas.width / box.width, wide = Math.round(at.width * scale);
          const line = new OffscreenCanvas(wide, 1).getContext("2d", { willReadFrequently: true });
          line.drawImage(canvas, (box.left - at.left) * scale,
            (box.top - at.top - at.height / 2) * scale);
          const solid = line.getImageData(0, 0, wide, 1).data
            .filter((alpha, i) => i % 4 === 3 && alpha > 128);
          return 100 * solid.length / wide;
        }"""
    )


def picture(page: Page | Locator) -> str:
    """What the first figure's canvas shows, as a data URL."""
    return page.locator("canvas").first.evaluate(
        """async (canvas) => {
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          return canvas.toDataURL();
        }"""
    )


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
    expect(page.locator("th.att-lit")).to_have_text("twenty")
    page.mouse.move(0, 0)
    says(page, at_rest)
    assert page.locator(".att-lit, .att-cell").count() == 0


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
    bare = picture(page)
    box.focus()
    page.keyboard.press("Space")
    marked = picture(page)
    assert marked != bare
    page.keyboard.press("Space")
    assert picture(page) == bare


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


def test_on_paper_a_dark_page_is_light_and_keeps_its_shades(show):
    page = show(numbers(), color_scheme="dark")
    figure = page.get_by_test_id("alignment")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(figure).to_have_attribute("data-att-theme", "dark")
    page.emulate_media(media="print")
    assert figure.evaluate("e => getComputedStyle(e).color") == "rgb(31, 35, 40)"
    for part in (figure.locator("canvas"), figure.locator(".att-sample i").first):
        assert part.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"
    square = Image.open(BytesIO(cell(page, 0, 0).screenshot())).convert("L")
    ground = square.getpixel((1, 1))
    corner = square.getpixel((square.width // 4, square.height // 4))  # beside the digits
    assert corner < 110 < 230 < ground, "a large weight is dark on white"


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
    page.get_by_test_id("alignment-step").fill("2")
    moving = """document.getAnimations().length + [...document.querySelectorAll(".att *")].filter(
      (e) => getComputedStyle(e).transitionDuration !== "0s").length"""
    assert page.evaluate(moving) == 0


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


@pytest.mark.parametrize("view", ["matrix", "flow"])
def test_smallest_figures(show, view):
    figures = [([[1.0]], ["a"], ["b"]), ([], ["a"], []), ([], [], [])]
    page = show(*[AlignmentView(*figure, view=view) for figure in figures])
    one, *empty = page.get_by_test_id("alignment").all()
    says(one, "Step 1 of 1: “b” looks most at “a” (1.000).")
    expect(one.get_by_test_id("alignment-play")).to_be_disabled()
    for figure in empty:
        says(figure, "There are no target words, so nothing is looked at.")
        expect(figure.get_by_test_id("alignment-step")).to_be_disabled()
        expect(figure.get_by_test_id("alignment-save-png")).to_be_disabled()
        figure.get_by_test_id("alignment-view-flow").check()
        figure.get_by_test_id("alignment-view-matrix").check()


@pytest.mark.parametrize("view", ["matrix", "flow"])
def test_a_large_figure_is_drawn_within_a_frame(show, view):
    page = show(large(peaked=True, view=view))
    for kind, times in frame_times(page, count=20).items():
        assert np.median(times) < 1000 / 60, kind


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
    sheets = (
        "document.adoptedStyleSheets.filter((s) => s.cssRules[0].selectorText === '.att').length"
    )
    assert page.evaluate(sheets) == 1


def word(page: Page | Locator, t: int, s: int) -> Locator:
    return page.locator(f'[data-testid="alignment-word"][data-t="{t}"][data-s="{s}"]')


def test_the_switch_shows_the_flow_by_keyboard_and_keeps_the_place(show):
    page = show(numbers())
    cell(page, 2, 4).click()
    page.mouse.move(0, 0)
    page.get_by_test_id("alignment-view-matrix").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("alignment-view-flow")).to_be_focused()
    says(page, "“sieben” looks 0.950 at “seven” — gold link.")
    expect(page.locator(".att-item.att-lit")).to_have_text(["seven", "sieben"])
    expect(page.get_by_role("grid")).to_have_count(0)
    page.get_by_test_id("alignment-view-matrix").click()
    expect(page.get_by_role("grid")).to_be_visible()


def test_flow_answers_to_pointer_and_keys(show):
    page = show(numbers(view="flow", step=4))
    assert page.get_by_role("group", name="Source words").get_by_role("button").count() == 6
    blank = picture(page)
    word(page, 2, -1).hover()
    said = "“sieben” looks most at “seven” (0.950), then at “three” (0.010)."
    says(page, said)
    assert picture(page) != blank
    page.mouse.move(0, 0)
    assert picture(page) == blank
    assert page.locator('.att-flow [tabindex="0"]').count() == 1
    word(page, 0, -1).focus()
    for key, (t, s) in {
        "ArrowRight": (1, -1), "End": (5, -1), "Home": (0, -1), "ArrowLeft": (0, -1),
        "ArrowUp": (-1, 0), "ArrowDown": (0, -1),
    }.items():  # fmt: skip
        page.keyboard.press(key)
        expect(word(page, t, s)).to_be_focused()
    word(page, 2, -1).focus()
    page.keyboard.press("ArrowUp")  # to the word it looks at most
    expect(word(page, -1, 4)).to_be_focused()
    expect(word(page, -1, 4)).to_have_attribute("aria-pressed", "true")
    says(page, "“seven” is looked at most by “sieben” (0.950).")
    page.keyboard.press("Escape")
    expect(page.locator('[aria-pressed="true"]')).to_have_count(0)
    expect(word(page, 5, -1)).to_have_class("att-item att-future")


def test_flow_stands_upright_where_rows_do_not_fit(show):
    tokens = [f"word{i}" for i in range(30)]
    page = show(AlignmentView(np.eye(30), tokens, tokens, view="flow"), width=390, has_touch=True)
    expect(page.locator(".att-flow")).to_have_attribute("data-lay", "columns")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    word(page, 3, -1).tap()
    says(page, "“word3” looks most at “word3” (1.000).")
    page.keyboard.press("ArrowLeft")
    expect(word(page, -1, 3)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(word(page, -1, 4)).to_be_focused()


def test_threshold_hides_small_weights_in_both_views(show):
    page = show(numbers())
    threshold = page.get_by_test_id("alignment-threshold")
    assert drawn(cell(page, 2, 0)) > 0
    threshold.fill("0.5")
    expect(threshold).to_have_attribute("aria-valuetext", "weights below 0.50 are hidden")
    assert drawn(cell(page, 2, 0)) == 0 < drawn(cell(page, 2, 4))
    page.get_by_test_id("alignment-view-flow").check()
    few = picture(page)
    threshold.fill("0")
    assert picture(page) != few


def test_watch_the_alignment_form_while_stepping(show):
    weights = np.stack([peaked(sharp) for sharp in (0.3, 0.5, 0.7, 0.9)])
    page = show(AlignmentView(weights, SRC, TGT))
    page.clock.install()
    play, snapshot = (
        page.get_by_label("Watch the alignment form"),
        page.get_by_label("Training snapshot"),
    )
    expect(snapshot).to_have_value("3")
    cell(page, 2, 4).click()
    play.click()  # from the end it starts over
    expect(snapshot).to_have_value("0")
    says(page, "“sieben” looks 0.300 at “seven”.")
    expect(page.get_by_test_id("alignment-sentence")).to_have_attribute("aria-live", "off")
    page.clock.run_for(750)
    expect(snapshot).to_have_value("1")
    says(page, "“sieben” looks 0.500 at “seven”.")
    page.get_by_test_id("alignment-step").fill("2")
    page.clock.run_for(700)
    expect(snapshot).to_have_value("2")
    says(page, "Step 3 of 6: “sieben” looks most at “seven” (0.700), then at “three” (0.060).")
    page.clock.run_for(5000)
    expect(snapshot).to_have_value("3")
    expect(page.get_by_test_id("alignment-sentence")).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("view", ["matrix", "flow"])
def test_save_as_picture(show, view):
    page = show(numbers(title="Two & <three>", view=view))
    with page.expect_download(timeout=20_000) as saved:
        page.get_by_test_id("alignment-save-svg").click()
    assert saved.value.suggested_filename == "two-three.svg"
    root = ElementTree.parse(saved.value.path()).getroot()  # well-formed
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Two & <three>", *SRC, *TGT} <= set(texts)
    assert "looks most at" in root.findtext("{http://www.w3.org/2000/svg}desc")
    with page.expect_download(timeout=20_000) as saved:
        page.get_by_test_id("alignment-save-png").click()
    assert saved.value.suggested_filename == "two-three.png"
    image = plt.imread(saved.value.path())  # (height, width, 4)
    assert image.shape[:2] == (
        round(2 * float(root.get("height"))),
        round(2 * float(root.get("width"))),
    )
    assert len(np.unique(image.reshape(-1, 4), axis=0)) > 20
    expect(page.get_by_test_id("alignment-status")).to_have_text("Saved as two-three.png.")


def test_copy_the_numbers_with_or_without_a_clipboard(show):
    page = show(AlignmentView([[0.25, 0.75]], ['a,"b"', "c"], ["x"]))
    lines = 'target \\ source,"a,""b""",c\nx,0.250,0.750\n'
    copied = "void (navigator.clipboard.writeText = async (text) => { window.copied = text; })"
    page.evaluate(copied)
    button = page.get_by_test_id("alignment-copy-csv")
    button.click()
    expect(page.get_by_test_id("alignment-status")).to_contain_text("on the clipboard")
    assert page.evaluate("window.copied") == lines
    page.evaluate(
        "void (navigator.clipboard.writeText = async () => { throw new Error('denied'); })"
    )
    button.click()
    area = page.get_by_label("The numbers as CSV")
    expect(area).to_be_focused()
    assert area.evaluate("(a) => a.value.slice(a.selectionStart, a.selectionEnd)") == lines
    with page.expect_download(timeout=20_000) as saved:
        page.get_by_text("Save as CSV").click()
    assert saved.value.path().read_text() == lines


def test_a_strict_content_security_policy_stops_nothing(show):
    policy = "default-src 'none'; script-src 'self' file: blob:; style-src 'self'; img-src data:"
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = show(AlignmentPair(numbers(title="A"), numbers(title="B")), numbers(), head=head)
    assert page.get_by_test_id("alignment").count() == 3
    figure = page.get_by_test_id("alignment").last
    assert figure.get_by_label("One step back").bounding_box()["width"] == 32  # it has its style
    with page.expect_download(timeout=20_000):
        figure.get_by_test_id("alignment-save-png").click()
    figure.get_by_test_id("alignment-view-flow").check()
    expect(figure.locator(".att-flow")).to_be_visible()


def test_targets_are_large_enough_for_a_finger(show):
    page = show(numbers(), numbers(view="flow"), width=390, has_touch=True, is_mobile=True)
    small = page.evaluate(
        """[...document.querySelectorAll(".att :is(button,summary,label,[data-t],[type=range])")]
          .map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
          .filter(([, box]) => box.width < 24 || box.height < 24).map(([html]) => html)"""
    )
    assert small == []


def test_a_pair_moves_together(show):
    page = show(AlignmentPair(numbers(title="A"), numbers(title="B", step=0)), width=1200)
    first, second = page.get_by_test_id("alignment").all()
    expect(second.get_by_test_id("alignment-step")).to_have_value("5")  # the left one leads
    second.get_by_test_id("alignment-step").fill("3")
    expect(first.get_by_test_id("alignment-step")).to_have_value("3")
    cell(first, 2, 4).click()
    said = "“sieben” looks 0.950 at “seven” — gold link."
    says(second, f"B: {said}")  # which one speaks is told to those who listen
    says(first, f"A: {said}")
    cell(second, 1, 1).hover()  # pointing lights both, too
    expect(first.locator("tr.att-lit th")).to_have_text("hundert")
    page.mouse.move(0, 0)
    expect(first.locator("tr.att-lit th")).to_have_text("sieben")
    first.get_by_test_id("alignment-view-flow").check()
    expect(second.get_by_test_id("alignment-view-flow")).to_be_checked()
    a, b = first.bounding_box(), second.bounding_box()
    assert a["y"] == b["y"] and a["x"] + a["width"] <= b["x"]


def test_a_pair_on_a_phone(show):
    page = show(AlignmentPair(numbers(title="A"), numbers(title="B")), width=390, has_touch=True)
    first, second = page.get_by_test_id("alignment").all()
    a, b = first.bounding_box(), second.bounding_box()
    assert a["x"] == b["x"] and a["y"] + a["height"] <= b["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    cell(first, 2, 4).tap()
    expect(second.locator("tr.att-lit th")).to_have_text("sieben")


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
