"""The home page's models on 500 unseen numbers, in Chromium with the network blocked."""

from __future__ import annotations

import random

import build
import pytest
from test_site_browser import running, site

from seq2seq_attention.recipes import number_splits

pytestmark = pytest.mark.browser
__all__ = ["running", "site"]
TYPE = """(texts) => {
  const field = (name) => document.querySelector(`[data-testid=translator-${name}]`);
  return texts.map((text) => {
    field("input").value = text;
    field("input").dispatchEvent(new Event("input", { bubbles: true }));
    return [field("output").textContent, field("other").textContent];
  });
}"""


def share(found, pairs, column, shortest=1, longest=23):
    kept = [
        said[column] == " ".join(pair.tgt)
        for said, pair in zip(found, pairs, strict=True)
        if shortest <= len(pair.src) <= longest
    ]
    return sum(kept) / len(kept)


@pytest.mark.parametrize("how", ["http", "file"])
def test_attention_is_right_on_unseen_numbers_and_vanilla_falls(running, site, how):
    pairs = number_splits().test
    pairs = random.Random(0).sample(pairs, 500)
    base = site if how == "http" else build.HTML.as_uri()
    context = running.new_context(offline=how == "file")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{str(base).rstrip('/')}/book/intro.html")
    page.locator("html[data-figures=ready]").wait_for(state="attached")
    found = page.evaluate(TYPE, [" ".join(pair.src) for pair in pairs])
    context.close()
    assert share(found, pairs, 0) >= 0.98
    assert share(found, pairs, 1, 1, 5) > 0.8 > 0.3 > share(found, pairs, 1, 16)
    assert [
        url for url in asked if not url.startswith((str(base).rstrip("/"), "blob:", "data:"))
    ] == []
