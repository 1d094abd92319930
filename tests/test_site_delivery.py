"""The built site as others get it: light, under a strict policy, in a folder, from disk."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator

import book_archive
import browser as chromium
import build
import pytest
import serve
import weigh
from playwright.sync_api import Page, expect
from test_site_browser import CHAPTERS, PAGES, Visit, check_math, running, use_alignment, visit

pytestmark = pytest.mark.browser
__all__ = ["running", "visit"]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with chromium.serve(build.HTML) as address:
        yield address


def figures_work(page: Page) -> None:
    for i in range(page.locator("[data-testid=alignment]").count()):
        use_alignment(page, page.locator("[data-testid=alignment]").nth(i))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_light_before_it_is_touched(visit, site, name):
    found = weigh.loaded(visit.page, site, build.HTML, f"{name}.html")
    assert found["page"] and found["scripts"] and found["styles"]
    assert sum(found.values()) <= weigh.LIMIT, found


def test_pages_without_formulas_load_no_maths(visit, site):
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    visit.go(f"{site}/book/how_to_run.html")
    assert not [url for url in asked if "mathjax" in url]
    visit.go(f"{site}/book/notation.html")
    assert [url for url in asked if "mathjax" in url]


def test_the_policy_is_sent_and_bites(visit, site):
    page = visit.page
    response = page.goto(f"{site}/{PAGES[0]}.html")
    policy = dict(serve.headers(build.HTML / "_headers"))["Content-Security-Policy"]
    assert response.headers["content-security-policy"] == policy
    script = "var s = document.createElement('script'); s.textContent = 'window.ran = 1'; "
    page.evaluate(script + "document.head.append(s)")
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in problem for problem in visit.problems)


@pytest.mark.parametrize("name", [CHAPTERS[0], "search"])
def test_the_themes_buttons_work(visit, site, name):
    """Icons, theme, sidebars, search, full screen, downloads; nothing in the console."""
    page = visit.go(f"{site}/{name}.html")
    for icon in page.locator("[class*=fa-]:visible").all():
        box = icon.bounding_box()
        assert box and box["width"] > 5 and box["height"] > 5
        assert "data:image/svg" in icon.evaluate("e => getComputedStyle(e).maskImage")
    themes = set()
    for _ in range(3):
        page.locator(".theme-switch-button:visible").first.click()
        themes.add(page.locator("html").get_attribute("data-mode"))
    assert themes == {"auto", "light", "dark"}
    sidebar = page.locator("#pst-primary-sidebar")
    expect(sidebar).to_be_visible()
    page.locator(".primary-toggle").click()
    expect(sidebar).not_to_be_in_viewport()
    page.locator(".primary-toggle").click()
    expect(sidebar).to_be_in_viewport()
    page.locator("[data-click=fullscreen]").click()
    page.wait_for_function("document.fullscreenElement !== null")
    page.evaluate("document.exitFullscreen()")
    if name != "search":
        page.keyboard.press("Control+k")
        box = page.locator("#pst-search-dialog input")
        box.fill("attention")
        page.keyboard.press("Escape")
        page.evaluate("window.print = () => { window.printed = true }")
        page.get_by_label("Download this page").click()
        page.locator("[data-click=print]").click()
        assert page.evaluate("window.printed")
        with page.expect_download() as download:
            page.get_by_label("Download this page").click()
            page.locator(".dropdown-dropdown, .dropdown-download-buttons a").first.click(
                modifiers=["Alt"]
            )
        assert download.value.suggested_filename.endswith(".ipynb")
    assert visit.problems == []


def test_the_copy_button_of_code(running, site):
    context = running.new_context(permissions=["clipboard-read", "clipboard-write"])
    visit = Visit(context)
    page = visit.go(f"{site}/{CHAPTERS[0]}.html")
    code = page.locator(".cell_input .highlight:visible").first
    code.hover()
    code.locator("button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()").strip()
    assert visit.problems == []
    context.close()


@pytest.fixture(scope="module")
def below(tmp_path_factory) -> Iterator[str]:
    """The site two folders below the root of a server, as the pages of a project are."""
    root = tmp_path_factory.mktemp("server")
    (root / "some" / "sub").mkdir(parents=True)
    (root / "some" / "sub" / "path").symlink_to(build.HTML, target_is_directory=True)
    with chromium.serve(root, site=build.HTML) as address:
        yield f"{address}/some/sub/path"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_works_under_a_sub_path(visit, below, name):
    page = visit.go(f"{below}/{name}.html")
    check_math(page)
    figures_work(page)
    assert visit.problems == []


def test_the_root_and_the_search_work_under_a_sub_path(visit, below):
    visit.page.goto(f"{below}/")
    visit.page.wait_for_url(f"{below}/{PAGES[0]}.html")
    visit.page.wait_for_load_state("networkidle")  # a request cut off would count as failed
    page = visit.go(f"{below}/search.html?q=attention")
    page.wait_for_load_state("networkidle")
    page.locator("#search-results li a").first.click()
    page.wait_for_url(lambda url: url.startswith(below) and "search.html" not in url)
    page.wait_for_load_state("networkidle")
    assert visit.problems == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_works_from_disk(visit, name):
    page = visit.go((build.HTML / f"{name}.html").as_uri())
    check_math(page)
    figures_work(page)
    assert visit.problems == []


def test_the_search_works_from_disk(visit):
    page = visit.go((build.HTML / "search.html").as_uri() + "?q=attention")
    expect(page.locator("#search-results li").first).to_be_visible(timeout=15_000)
    assert visit.problems == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_each_figure_has_a_rendering_for_either_theme(running, site, name):
    for theme, other in (("light", "dark"), ("dark", "light")):
        context = running.new_context(color_scheme=theme)
        visit = Visit(context)
        page = visit.go(f"{site}/{name}.html")
        drawn = page.locator("article .cell_output img, article figure img")
        shown = page.locator(f"article img.on-{theme}")
        assert drawn.count() == 2 * shown.count()
        for picture in shown.all():
            picture.scroll_into_view_if_needed()
            expect(picture).to_be_visible()
            expect(picture).to_have_js_property("complete", True)
            assert picture.evaluate("e => e.naturalWidth") > 50
            assert picture.evaluate("e => getComputedStyle(e).filter") == "none"
        assert page.locator(f"article img.on-{other}:visible").count() == 0
        for caption in page.locator("article figcaption").all():
            expect(caption).to_be_visible()
        assert visit.problems == []
        context.close()


@pytest.mark.parametrize("name", [CHAPTERS[0], "book/notation"])
def test_the_archive_works_unpacked_with_the_network_off(visit, site, tmp_path, name):
    page = visit.go(f"{site}/book/how_to_run.html")
    with page.expect_download() as download:
        page.locator(f"a[href$='{book_archive.NAME}']").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    page = visit.go((tmp_path / f"attention-measured/{name}.html").as_uri())
    check_math(page)
    figures_work(page)
    assert visit.problems == []
