"""BeamView and MapView in a real browser, as quiet as test_widgets_browser demands."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect
from test_widgets_beam import NODES
from test_widgets_browser import browser, show

from seq2seq_attention.explore import Node, Tree
from seq2seq_attention.widgets import BeamView, MapView

pytestmark = pytest.mark.browser
__all__ = ["browser", "show"]
LONGER = [
    Node(0, 1, "<eos>", -0.6, -0.6, "finished"),
    Node(1, 2, "b", -0.65, -0.3, "kept"),
    Node(5, 3, "<eos>", -0.66, -0.22, "finished"),
]


def tree() -> BeamView:
    return BeamView(Tree([*NODES, *LONGER], [], []), ["one", "<b>two</b>"], ["a", "b"], "A search")


def node(page: Page, i: int) -> Locator:
    return page.locator(f'[data-place="{i}"]')


def says(page: Page, kind: str, text: str) -> None:
    expect(page.get_by_test_id(f"{kind}-sentence")).to_contain_text(text)


def test_the_search_is_walked_through(show):
    page = show(tree())
    page.get_by_test_id("beam-step").fill("0")
    assert page.get_by_test_id("beam-node").locator("visible=true").count() == 3
    says(page, "beam", "Step 1: the best of 1 finished is “<eos>”")
    page.get_by_test_id("beam-play").click()
    says(page, "beam", "Step 3: the best of 3")
    expect(page.locator(".beam-src")).to_have_text("one <b>two</b>")


def test_nodes_answer_to_pointer_and_keys(show):
    page = show(tree())
    node(page, 2).hover()
    says(page, "beam", "“b”, step 1: log P −1.50, rank 3 of the 3 shown; cut.")
    page.mouse.move(0, 0)
    node(page, 1).click()
    for key, text in {
        "ArrowRight": "“a b”, step 2",
        "ArrowDown": "“a <eos>”, step 2",
        "ArrowLeft": "“a”, step 1",
        "Escape": "Step 3: the best of",
    }.items():
        page.keyboard.press(key)
        says(page, "beam", text)


def test_the_penalty_changes_the_winner(show):
    page = show(tree())
    first = page.get_by_test_id("beam-board").locator("li").first
    expect(first).to_have_text("<eos> −0.60")
    page.get_by_test_id("beam-penalty").fill("1")
    expect(first).to_have_text("a b <eos> −0.22 ● right")
    assert "beam-best" in str(node(page, 6).get_attribute("class"))


def test_a_tree_on_a_phone_in_the_dark(show):
    page = show(tree(), width=390, has_touch=True)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    node(page, 1).tap()
    says(page, "beam", "“a”, step 1: log P −0.50")


def cloud() -> MapView:
    states = {"one": np.array([[0, 0], [4, 0], [0, 2], [5, 5]]), "two": np.eye(4)}
    return MapView(states, ["p", "q", "r", "s"], list("pqrs"), neighbours=1, title="Points")


def another_is_pointed_at(page: Page, said: str) -> bool:
    """Move the pointer over the map until the sentence tells of another point."""
    box = page.get_by_test_id("map-area").bounding_box()
    sentence = page.get_by_test_id("map-sentence")
    for x in range(10, int(box["width"]), 12):
        for y in range(10, int(box["height"]), 24):
            page.mouse.move(box["x"] + x, box["y"] + y)
            if sentence.inner_text() != said:
                return True
    return False


def test_a_map_answers_to_pointer_and_keys(show):
    page = show(cloud())
    page.get_by_test_id("map-shown-0").check()
    says(page, "map", "p: nearest in all dimensions are r.")
    area = page.get_by_test_id("map-area")
    area.focus()
    page.keyboard.press("End")
    says(page, "map", "s: nearest in all dimensions are q.")
    page.get_by_test_id("map-chosen").fill("1")
    said = page.get_by_test_id("map-sentence").inner_text()
    assert said.startswith("q:")
    assert another_is_pointed_at(page, said), "nowhere on the map another point is told of"
    page.mouse.move(0, 0)
    says(page, "map", said)


def test_a_map_on_a_phone(show):
    page = show(cloud(), width=390, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_text("Table of neighbours").tap()
    expect(page.locator(".att-numbers tbody tr")).to_have_count(4)
