"""Every live figure of every page answers to pointer, keyboard and touch, in light and dark.

Two rules for all figures, whatever they show. Each control changes something that the reader sees
or hears, or saves a file: one that does nothing is a defect. And each place in a figure that can be
pointed at, pressed or reached by keys is put into words.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import browser as chromium
import build
import pytest
from playwright.sync_api import Locator, Page, expect
from test_site_browser import CHAPTERS, NARROW, WIDE, Visit, running

pytestmark = pytest.mark.browser
__all__ = ["running"]
CONTROLS = (  # a choice of one has nothing to do
    "button:not([tabindex='-1']):not([data-t]), input, select:has(option + option), summary"
)
LIVE = ["book/intro", *CHAPTERS]
VIEW = "script[type='application/vnd.jupyter.widget-view+json']"
# kind of figure -> what in it can be pointed at
PLACES = {
    "alignment": "[data-t]",
    "batch": "[data-place]",
    "beam": "[data-place]",
    "length": "[data-place]",
    "map": "[data-testid=map-area]",
    "probability": "[role=option]",
    "prototypes": None,  # its steps are its places, and they are controls
    "recurrent": "[data-testid=recurrent-map]",
    "translator": "[data-place]",
}
LOOK = """(root) => JSON.stringify([
  root.outerHTML, getComputedStyle(root).color,
  ...[...root.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
  ...[...root.querySelectorAll("input, select, details")].map((c) => [c.value, c.checked, c.open]),
])"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# what plays is stopped: its next step must not be taken for the work of the next control
AT_REST = f"""async (root) => {{
  root.querySelectorAll("button[aria-label^=Pause]").forEach((button) => button.click());
  await {FRAMES};
  return ({LOOK})(root);
}}"""
CHANGED = f"""async (root, before) => {{
  const look = {LOOK};
  if (look(root) !== before) return true;
  await {FRAMES};
  return look(root) !== before;
}}"""
USABLE = """([node]) => {
  if (!node) return false;  // gone, as another control decided
  const box = node.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(node).visibility === "visible"
    && !node.matches(":disabled") && !(node.type === "radio" && node.checked);
}"""
JSON = r'<script type="application/vnd\.jupyter\.widget-{}\+json">(.*?)</script>'
STATE, SHOWN = (re.compile(JSON.format(part), re.DOTALL) for part in ("state", "view"))


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with chromium.serve(build.HTML) as address:
        yield address


class Hand:
    """One way of using a page: a mouse, a keyboard, or a finger on a narrow screen."""

    def __init__(self, kind: str, page: Page) -> None:
        self.kind, self.page = kind, page

    def press(self, node: Locator) -> None:
        if self.kind == "keyboard":
            node.focus()
            self.page.keyboard.press("Enter" if node.evaluate(IS_PRESSED) else "Space")
        elif self.kind == "touch":
            node.tap()
        else:
            node.click()

    def use(self, control: Locator) -> None:
        """Press a button; move a slider or a choice to another value."""
        kind = control.evaluate("node => node.type || node.localName")
        if kind == "range":
            self._slide(control)
        elif kind == "number":
            control.focus()
            self.page.keyboard.press("ArrowUp")
        elif kind.startswith("select"):
            count, now = control.evaluate("node => [node.length, node.selectedIndex]")
            control.select_option(index=(now + 1) % count)
        elif kind == "radio" and self.kind == "keyboard":
            control.focus()
            self.page.keyboard.press("ArrowRight" if control.is_checked() else "Space")
        else:
            self.press(control)

    def _slide(self, slider: Locator) -> None:
        low = slider.evaluate("node => (+node.value - node.min) / (node.max - node.min) < 0.5")
        if self.kind == "keyboard":
            slider.focus()
            self.page.keyboard.press("End" if low else "Home")
            return
        box = slider.bounding_box()
        assert box is not None
        place = {"x": box["width"] * (0.9 if low else 0.1), "y": box["height"] / 2}
        slider.tap(position=place) if self.kind == "touch" else slider.click(position=place)


IS_PRESSED = "node => node.localName === 'button' || node.localName === 'summary'"


@functools.cache
def declared(name: str) -> Counter[str]:
    """How many figures of each kind the file of a page promises."""
    text = (build.HTML / f"{name}.html").read_text("utf-8")
    models: dict[str, Any] = {}
    for part in STATE.findall(text):
        models |= json.loads(part)["state"]

    def kinds(key: str) -> Iterator[str]:
        state = models[key]["state"]
        what = str(state.get("_anywidget_id", "")).rpartition(".")[2]
        if what.endswith("View"):
            yield what.removesuffix("View").lower()
            return
        for inner in re.findall("IPY_MODEL_([0-9a-f]+)", json.dumps(state)):
            if inner in models:  # a layout as it always is has none
                yield from kinds(inner)

    roots = [json.loads(view)["model_id"] for view in SHOWN.findall(text)]
    return Counter(kind for root in roots for kind in kinds(root))


@pytest.fixture(params=["mouse", "keyboard", "touch"])
def hand(request) -> str:
    return request.param


@pytest.fixture(params=["light", "dark"])
def opened(request, running, site, hand) -> Iterator:
    contexts = []

    def go(name: str) -> tuple[Page, Visit]:
        touch = hand == "touch"
        size = NARROW if touch else WIDE
        context = running.new_context(viewport=size, has_touch=touch, color_scheme=request.param)
        contexts.append(context)
        visit = Visit(context)
        page = visit.go(f"{site}/{name}.html")
        if page.locator(VIEW).count():
            page.locator("html[data-figures=ready]").wait_for(state="attached", timeout=10_000)
        assert page.locator("html").get_attribute("data-theme") == request.param
        shown = Counter(figure.get_attribute("data-testid") for figure in figures_of(page))
        assert shown == declared(name), "not every figure of the page is there"
        return page, visit

    yield go
    for context in contexts:
        context.close()


def figures_of(page: Page) -> list[Locator]:
    return page.locator(".att[data-testid]").all()


@pytest.mark.parametrize("name", LIVE)
def test_every_control_does_something(opened, hand, name):
    page, visit = opened(name)
    downloads: list[str] = []
    page.on("download", lambda file: downloads.append(file.suggested_filename))
    for figure in figures_of(page):
        for control in figure.locator(CONTROLS).all():
            before, saved = figure.evaluate_handle(AT_REST), len(downloads)
            if not control.evaluate_all(USABLE):
                continue
            saves = "-save-" in (control.get_attribute("data-testid") or "")
            Hand(hand, page).use(control)
            deadline = 1200  # a minute: a busy machine draws a PNG slowly
            while len(downloads) == saved and (saves or not figure.evaluate(CHANGED, before)):
                deadline -= 1
                if not deadline:
                    said = control.evaluate("node => node.outerHTML.slice(0, 200)")
                    pytest.fail(f"nothing happens on {said}")
                page.wait_for_timeout(50)
    assert visit.problems == []


@pytest.mark.parametrize("name", LIVE)
def test_every_place_is_put_into_words(opened, hand, name):
    page, visit = opened(name)
    for figure in figures_of(page):
        kind = str(figure.get_attribute("data-testid"))
        if (where := PLACES[kind]) is None:  # a new kind of figure needs a line above
            continue
        places = figure.locator(where)
        sentence = figure.locator(".att-sentence")
        if not places.count():
            continue
        said = {sentence.inner_text()}
        for i in sorted({places.count() // 2, places.count() - 1}):
            place = places.nth(i)
            if hand == "keyboard":
                place.focus()
                page.keyboard.press("ArrowLeft")
                page.keyboard.press("ArrowUp")
            elif hand == "touch":
                place.scroll_into_view_if_needed()
                place.tap()
            else:
                place.hover()
            expect(sentence).not_to_have_text("")
            said.add(sentence.inner_text())
        assert len(said) > 1, f"{kind} says the same whatever is pointed at: {said}"
        assert sentence.get_attribute("aria-live") in {"polite", "off"}
    assert visit.problems == []


def test_the_book_has_figures_of_every_kind():
    """Else the tests above, which find all that is declared, could pass on pages without any."""
    assert {kind for name in LIVE for kind in declared(name)} == set(PLACES)
