"""What a term means, shown beside it in Chromium: by pointer, keyboard and finger."""

from __future__ import annotations

import build
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from test_site_browser import NARROW, WIDE, Visit, running, site, visit

pytestmark = pytest.mark.browser
__all__ = ["running", "site", "visit"]
CHAPTER = "chapters/04_training"
WORD = 'a.term[href$="#term-teacher-forcing"]'
BOX = "#about-term-teacher-forcing"
SHOWN = ".about:visible"


def word(page: Page) -> Locator:
    link = page.locator(WORD)
    link.evaluate("node => node.scrollIntoView({ block: 'center' })")
    return link


def luminance(colour: str) -> float:
    """Of "rgb(r, g, b)", as WCAG 2 defines it."""
    parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def check_place(page: Page, link: Locator, box: Locator) -> None:
    """The box is near the word, covers no part of it and lies within the window."""
    near, size = box.bounding_box(), page.viewport_size
    first = "node => { const r = node.getClientRects()[0]; return [r.top, r.bottom]; }"
    top, bottom = link.evaluate(first)
    assert near and size
    gap = max(near["y"] - bottom, top - near["y"] - near["height"])
    assert 0 <= gap <= 12
    assert near["x"] >= 0 and near["x"] + near["width"] <= size["width"]
    assert near["y"] >= 0 and near["y"] + near["height"] <= size["height"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pointer_and_keyboard_show_and_escape_hides(running, site, theme):
    context = running.new_context(viewport=WIDE, color_scheme=theme)
    visited = Visit(context)
    page = visited.go(f"{site}/{CHAPTER}.html")
    link, box = word(page), page.locator(BOX)
    expect(page.locator(SHOWN)).to_have_count(0)
    expect(link).to_have_accessible_description(box.text_content() or "nothing")

    link.hover()
    expect(box).to_be_visible()
    expect(box).to_have_role("tooltip")
    check_place(page, link, box)
    style = "node => { const s = getComputedStyle(node); return [s.color, s.backgroundColor]; }"
    dark, light = sorted(map(luminance, box.evaluate(style)))
    assert (light + 0.05) / (dark + 0.05) >= 7
    assert (box.evaluate(style)[1] == "rgb(255, 255, 255)") == (theme == "light")
    box.hover()  # it stays while the pointer is in it
    page.wait_for_timeout(400)
    expect(box).to_be_visible()
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    link.hover()
    page.mouse.move(2, 2)
    expect(box).to_be_hidden()

    link.focus()
    expect(box).to_be_visible()
    check_place(page, link, box)
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(link).to_be_focused()
    link.blur()
    link.focus()
    expect(box).to_be_visible()
    page.keyboard.press("Tab")
    expect(box).to_be_hidden()
    assert visited.problems == []
    context.close()


def test_a_first_tap_shows_and_a_second_follows(running, site):
    context = running.new_context(viewport=NARROW, has_touch=True, is_mobile=True)
    visited = Visit(context)
    page = visited.go(f"{site}/{CHAPTER}.html")
    link, box = word(page), page.locator(BOX)
    link.tap()
    expect(box).to_be_visible()
    check_place(page, link, box)
    page.touchscreen.tap(10, 130)
    expect(box).to_be_hidden()
    assert page.url.endswith("04_training.html")
    link = word(page)
    link.tap()
    expect(box).to_be_visible()
    link.tap()
    page.wait_for_url("**/book/glossary.html#term-teacher-forcing")
    expect(page.locator("dt#term-teacher-forcing")).to_be_in_viewport()
    assert visited.problems == []
    context.close()


def test_the_box_stands_above_a_word_at_the_foot_of_the_window(visit, site):
    page = visit.go(f"{site}/{CHAPTER}.html")
    link, box = page.locator(WORD), page.locator(BOX)
    link.evaluate("node => node.scrollIntoView({ block: 'end' })")
    link.hover()
    check_place(page, link, box)
    foot, head = box.bounding_box(), link.bounding_box()
    assert foot and head and foot["y"] < head["y"]
    page.mouse.move(2, 2)
    link.focus()
    page.mouse.wheel(0, 300)  # the box of a word in focus goes along with it
    page.wait_for_timeout(500)
    check_place(page, link, box)


def test_it_works_from_disk(visit):
    page = visit.go((build.HTML / f"{CHAPTER}.html").as_uri())
    word(page).hover()
    expect(page.locator(BOX)).to_be_visible()
    assert visit.problems == []


def test_without_scripts_the_link_leads_to_the_entry(running: Browser, site: str) -> None:
    context = running.new_context(viewport=WIDE, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/{CHAPTER}.html")
    expect(page.locator(SHOWN)).to_have_count(0)
    page.locator(WORD).click()
    page.wait_for_url("**/book/glossary.html#term-teacher-forcing")
    expect(page.locator("dt#term-teacher-forcing")).to_be_visible()
    context.close()


@pytest.mark.parametrize("name", [p for p in build.toc_pages() if p.startswith("chapters/")])
def test_every_link_has_its_definition(visit, site, name):
    page = visit.go(f"{site}/{name}.html")
    texts = page.evaluate(
        """() => [...document.querySelectorAll('a[href*="glossary.html#term-"]')]
            .filter((a) => a.closest("article"))
            .map((a) => document.getElementById(a.getAttribute("aria-describedby"))?.textContent)"""
    )
    assert len(texts) >= 10
    assert all(text and len(text) > 20 for text in texts)
    ids = page.evaluate("() => [...document.querySelectorAll('.about')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
