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
# of what is in order, axe need only name the rules: to describe each place takes half its time
RUN = """(tags) => axe.run(document, {
  runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] })"""
# The theme (300 ms after a change) and we (100 ms) look for what scrolls, to let keys reach it.
# A timer set later for a longer time goes off after theirs, however busy the machine is.
SETTLED = """async (width) => {
  await window.MathJax?.startup?.promise;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (innerWidth !== width) await frame();
  await frame();
  await frame();  // the event that tells of the new size comes before a frame
  await new Promise((done) => setTimeout(done, 450));
  const moving = document.getAnimations().filter((a) => a.effect.getTiming().iterations < 1e6);
  await Promise.allSettled(moving.map((animation) => animation.finished));
}"""


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
        page.evaluate(SETTLED, size["width"])
        result = page.evaluate(RUN, RULES)
        assert len(result["passes"]) > 10, "axe has looked at nothing"
        for rule in result["violations"]:
            found[f"{rule['id']}, {size['width']} px"] = [
                f"{node['target']}: {node['failureSummary']}" for node in rule["nodes"][:5]
            ]
    context.close()
    assert found == {}
