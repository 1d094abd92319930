"""Every page of the built book in Chromium, with the network blocked but for this machine.

A page may log nothing, fail at nothing and ask nobody else; formulas and figures must work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import browser as chromium
import build
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

pytestmark = pytest.mark.browser
PAGES = [*build.toc_pages(), "search", "genindex"]
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = chromium.chromium()
        instance = playwright.chromium.launch(executable_path=path, args=chromium.FLAGS)
        yield instance
        instance.close()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    assert (build.HTML / "index.html").exists(), "no book is built: run `make book`"
    with chromium.serve(build.HTML) as address:
        yield address


class Visit:
    """A page in a context of its own, and all that went wrong on it."""

    def __init__(self, context: BrowserContext) -> None:
        self.problems: list[str] = []
        context.route("**/*", self._route)
        self.page: Page = context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        self.page.on("requestfailed", lambda r: self.problems.append(f"failed: {r.url}"))
        self.page.on("response", self._response)

    def _route(self, route) -> None:
        url = urlsplit(route.request.url)
        if url.hostname == "127.0.0.1" or url.scheme in {"data", "blob", "file"}:
            route.continue_()
        else:
            self.problems.append(f"asks a third party: {route.request.url}")
            route.abort()

    def _console(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(f"console {message.type}: {message.text}")

    def _response(self, response) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")

    def go(self, url: str) -> Page:
        self.page.goto(url, wait_until="load")
        self.page.evaluate("window.MathJax && MathJax.startup && MathJax.startup.promise")
        return self.page


@pytest.fixture
def visit(running) -> Iterator[Visit]:
    context = running.new_context(viewport=WIDE)
    yield Visit(context)
    context.close()


def check_math(page: Page) -> None:
    """Every formula is drawn, without an error in it."""
    formulas = page.locator("article .math").count()
    if formulas:
        page.wait_for_function(
            "document.querySelectorAll('article .math mjx-container').length >= "
            "document.querySelectorAll('article .math').length"
        )
        assert page.locator("mjx-merror, [data-mjx-error]").count() == 0


@pytest.mark.parametrize("name", PAGES)
def test_page_is_clean_wide_and_narrow(visit, site, name):
    page = visit.go(f"{site}/{name}.html")
    check_math(page)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    for theme in ("light", "dark"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
        hidden = "(all) => all.filter((each) => !each.offsetHeight).map((each) => each.innerText)"
        assert page.eval_on_selector_all("figcaption", hidden) == [], f"no caption when {theme}"
    page.set_viewport_size(NARROW)
    page.wait_for_timeout(200)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW["width"], f"scrolls sideways: {width} px; {widest(page)}"
    assert visit.problems == []


def test_pages_have_an_icon_and_code_wraps_on_paper(visit, site):
    page = visit.go(f"{site}/{CHAPTERS[0]}.html")
    icon = page.locator('link[rel~="icon"]').evaluate("(link) => link.href")
    assert page.request.get(icon).ok
    page.emulate_media(media="print")
    page.set_viewport_size(NARROW)
    wide = page.evaluate(
        """() => [...document.querySelectorAll("article pre")]
            .filter((pre) => pre.scrollWidth > pre.clientWidth + 1).map((pre) => pre.innerText)"""
    )
    assert wide == [], "cut on paper"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    for selector, ink in {
        "p:not(.verified)": "rgb(31, 35, 40)",
        "p.verified": "rgb(95, 103, 112)",
    }.items():
        first = page.locator(f"article {selector}").first
        assert first.evaluate("(p) => getComputedStyle(p).color") == ink, selector
    assert visit.problems == []


def widest(page: Page) -> list[str]:
    """The elements that stick out to the right, for the message."""
    return page.evaluate(
        """() => [...document.querySelectorAll("body *")]
            .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
            .slice(0, 8)
            .map((e) => `${e.tagName}.${e.className} ${e.getBoundingClientRect().right}`)"""
    )


def test_the_address_of_the_site_leads_to_the_first_page(visit, site):
    visit.page.goto(site)
    visit.page.wait_for_url(f"{site}/{PAGES[0]}.html")
    assert visit.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_is_the_readers(running, site, theme):
    context = running.new_context(viewport=WIDE, color_scheme=theme)
    visit = Visit(context)
    page = visit.go(f"{site}/book/notation.html")
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    assert visit.problems == []
    context.close()


@pytest.mark.parametrize("name", CHAPTERS[:1])
def test_a_chapter_opened_from_disk(visit, name):
    page = visit.go((build.HTML / f"{name}.html").as_uri())
    check_math(page)
    for i in range(page.locator("[data-testid=alignment]").count()):
        use_alignment(page, page.locator("[data-testid=alignment]").nth(i))
    assert visit.problems == []


def test_search_finds_attention(visit, site):
    page = visit.go(f"{site}/search.html?q=attention")
    expect(page.locator("#search-results li").first).to_be_visible(timeout=15_000)
    expect(page.locator("#search-results")).to_contain_text("attention", ignore_case=True)
    assert visit.problems == []


def use_alignment(page: Page, figure: Locator) -> None:
    """A figure answers to its slider, to the pointer and to keys, each in words."""
    figure.scroll_into_view_if_needed()
    slider = figure.get_by_test_id("alignment-step")
    sentence = figure.get_by_test_id("alignment-sentence")
    expect(figure.get_by_test_id("alignment-play")).to_be_visible()
    steps = int(slider.get_attribute("max") or 0) + 1
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_value("0")
    first = sentence.inner_text()
    if steps > 1:
        page.keyboard.press("ArrowRight")
        expect(slider).to_have_value("1")
        expect(sentence).not_to_have_text(first)
    page.keyboard.press("End")
    expect(slider).to_have_value(str(steps - 1))

    cells = figure.get_by_test_id("alignment-cell")
    told = set()
    for cell in (cells.first, cells.last):
        cell.hover()
        expect(sentence).to_have_text(re.compile(r"\d"))  # the weight, in words and figures
        told.add(sentence.inner_text())
    assert len(told) == 2 or cells.count() == 1, told
    page.mouse.move(0, 0)

    start = figure.locator("[data-testid=alignment-cell][data-t='0'][data-s='0']")
    start.evaluate("(cell) => cell.focus()")
    told = {sentence.inner_text()}
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        told.add(sentence.inner_text())
    at = page.evaluate("[document.activeElement.dataset.t, document.activeElement.dataset.s]")
    assert at == ["1", "1"], f"the arrow keys lead to {at}"
    assert len(told) == 3, told


def test_live_figures_answer(running, site):
    figures = 0
    for name in CHAPTERS:
        context = running.new_context(viewport=WIDE)
        visit = Visit(context)
        page = visit.go(f"{site}/{name}.html")
        wanted = page.locator('script[type="application/vnd.jupyter.widget-view+json"]').count()
        found = page.locator("[data-testid=alignment]")
        if wanted:
            expect(page.locator(".anywidget-lite")).to_have_count(wanted)
        for i in range(found.count()):
            use_alignment(page, found.nth(i))
        figures += found.count()
        assert visit.problems == [], name
        context.close()
    assert figures, "no chapter has a live alignment"
