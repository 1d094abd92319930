"""axe-core looks for barriers on every page, in both themes, at WCAG 2.2 AA."""

from __future__ import annotations

from collections.abc import Iterator

import browser as chromium
import build
import pytest
import vendor
from test_site_browser import NARROW, PAGES, WIDE, running

pytestmark = pytest.mark.browser
__all__ = ["running"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RUN = "(tags) => axe.run(document, { runOnly: { type: 'tag', values: tags } })"


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with chromium.serve(build.HTML) as address:
        yield address


@pytest.fixture(scope="module")
def axe() -> str:
    return vendor.fetch_axe().read_text("utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_barrier(running, site, axe, name, theme):
    context = running.new_context(color_scheme=theme)
    page = context.new_page()
    page.goto(f"{site}/{name}.html", wait_until="networkidle")
    page.evaluate(axe)
    found: dict[str, list[str]] = {}
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        page.wait_for_timeout(1000)  # the theme and we look for what scrolls, a little later
        result = page.evaluate(RUN, RULES)
        assert len(result["passes"]) > 10, "axe has looked at nothing"
        for rule in result["violations"]:
            found[f"{rule['id']}, {size['width']} px"] = [
                f"{node['target']}: {node['failureSummary']}" for node in rule["nodes"][:5]
            ]
    context.close()
    assert found == {}
