"""The live figures in a running JupyterLab with a kernel: both directions of sync.

The server, its settings and its notebook live in a temporary folder; the browser reaches only it.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect
from test_site_browser import running

pytestmark = pytest.mark.browser
__all__ = ["running"]
PATIENCE = 60_000  # ms: a kernel that imports on a busy machine
IMPORTS = """import numpy as np
from seq2seq_attention.widgets import AlignmentPair, AlignmentView
def figure(**more):
    return AlignmentView([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], ["a", "b"], ["x", "y", "z"],
                         gold=[(0, 0), (1, 1)], **more)"""
FIRST = "view = figure()\nview"
PAIR = 'pair = AlignmentPair(figure(title="A"), figure(title="B"))\npair'
STATE = 'print("state", view.step, view.view, view.threshold, view.show_gold, view.focus)'
MOVE = 'view.step, view.view, view.focus, view.threshold = 1, "matrix", (1, 1), 0.25'
NEW = 'with view.hold_sync():\n    view.src, view.title = ["c", "d"], "New words"'
WRONG = "view.step = 99"
PAIRED = 'print("paired", pair.left.step, pair.right.step, pair.right.view)'
FEWER = """view.step, view.focus = 0, (1, 1)
one = AlignmentView([[1.0]], ["a"], ["z"])
with view.hold_sync():
    for name in ("src", "tgt", "shape", "weights", "gold"):
        setattr(view, name, getattr(one, name))"""
TYPED = """from seq2seq_attention.shipped import shipped_models
from seq2seq_attention.widgets import TranslatorView
typed = TranslatorView(shipped_models("numbers"), text="seven")
typed"""
HEARD = 'print("heard", typed.text, "=", " ".join(typed.output), typed.model)'
SENT = 'typed.text, typed.model = "sixteen", "vanilla"'
CELLS = [IMPORTS, FIRST, "view", PAIR, STATE, MOVE, NEW, WRONG, PAIRED, FEWER, TYPED, HEARD, SENT]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert server.poll() is None, f"JupyterLab stopped:\n{log.read_text('utf-8')[-3000:]}"
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab doesn't answer:\n{log.read_text('utf-8')[-3000:]}")


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[str]:
    """The address of a notebook in a JupyterLab of its own."""
    home = tmp_path_factory.mktemp("lab")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, home / "live.ipynb")
    folders = {f"JUPYTER_{kind}_DIR": str(home / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    settings = {"IPYTHONDIR": str(home / "ipython"), "JUPYTER_PREFER_ENV_PATH": "1"}
    port, token = free_port(), secrets.token_hex(16)
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": home,
        "IdentityProvider.token": token,
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extension_manager": "readonly",
    }
    log = home / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            command + [f"--{name}={value}" for name, value in options.items()],
            env={**os.environ, **folders, **settings},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/api?token={token}", server, log)
            yield f"http://127.0.0.1:{port}/lab/tree/live.ipynb?token={token}&reset"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)


class Notebook:
    """The open notebook: its cells are run one by one, as a reader runs them."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def cell(self, text: str) -> Locator:
        return self.page.locator(".jp-CodeCell").nth(CELLS.index(text))

    def run(self, text: str) -> Locator:
        """Run a cell; returns what it prints and shows once it has finished."""
        cell = self.cell(text)
        prompt = cell.locator(".jp-InputArea-prompt")
        before = prompt.inner_text()
        for _ in range(4):  # the lab may still be arranging itself, and not have heard the keys
            cell.locator(".cm-content").click()
            self.page.keyboard.press("Control+Enter")
            try:
                expect(prompt).not_to_have_text(before, timeout=PATIENCE / 4)
                break
            except AssertionError:
                continue
        expect(prompt).to_have_text(FINISHED, timeout=PATIENCE)
        return cell.locator(".jp-OutputArea")


FINISHED = re.compile(r"\[\d+\]:")


@pytest.fixture(scope="module")
def notebook(running, lab) -> Iterator[Notebook]:
    context = running.new_context(viewport={"width": 1280, "height": 1800})
    asked: list[str] = []
    problems: list[str] = []

    def route(way) -> None:
        if urlsplit(way.request.url).hostname == "127.0.0.1":
            way.continue_()
        else:
            asked.append(way.request.url)
            way.abort()

    context.route("**/*", route)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(lab)
    page.locator(".jp-CodeCell").nth(len(CELLS) - 1).wait_for(timeout=PATIENCE)
    idle = ".jp-Notebook-ExecutionIndicator[data-status='idle']"
    page.locator(idle).first.wait_for(state="attached", timeout=PATIENCE)
    opened = Notebook(page)
    for cell in (IMPORTS, FIRST, "view", PAIR):
        opened.run(cell)
    opened.cell(FIRST).get_by_test_id("alignment").wait_for(timeout=PATIENCE)
    yield opened
    context.close()
    assert asked == [] and problems == []


def test_what_the_reader_does_reaches_python(notebook):
    figure = notebook.cell(FIRST).get_by_test_id("alignment")
    figure.get_by_test_id("alignment-step").fill("1")
    figure.locator('[data-t="0"][data-s="1"]').click()
    figure.get_by_test_id("alignment-gold").check()
    figure.get_by_test_id("alignment-threshold").fill("0.5")
    figure.get_by_test_id("alignment-view-flow").check()
    said = notebook.run(STATE)
    expect(said).to_contain_text("state 1 flow 0.5 True (0, 1)")


def test_what_python_sets_reaches_the_page_in_every_view_of_it(notebook):
    notebook.run(MOVE)
    for cell in (FIRST, "view"):
        figure = notebook.cell(cell).get_by_test_id("alignment")
        expect(figure.get_by_test_id("alignment-step")).to_have_value("1")
        expect(figure.get_by_test_id("alignment-view-matrix")).to_be_checked()
        expect(figure.get_by_test_id("alignment-threshold")).to_have_value("0.25")
        sentence = figure.get_by_test_id("alignment-sentence")
        expect(sentence).to_have_text("“y” looks 0.800 at “b” — gold link.")
    notebook.run(NEW)
    expect(notebook.cell(FIRST).locator(".att-title")).to_have_text("New words")
    expect(sentence).to_have_text("“y” looks 0.800 at “d” — gold link.")


def test_a_wrong_value_is_an_error_in_the_notebook_and_the_figure_lives_on(notebook):
    expect(notebook.run(WRONG)).to_contain_text("ValueError: step is 99, but must be from 0 to 2")
    figure = notebook.cell(FIRST).get_by_test_id("alignment")
    figure.get_by_test_id("alignment-step").fill("2")
    expect(notebook.run(STATE)).to_contain_text("state 2 ")


def test_a_pair_moves_together_here_and_in_python(notebook):
    first, second = notebook.cell(PAIR).get_by_test_id("alignment").all()
    first.get_by_test_id("alignment-step").fill("1")
    second.get_by_test_id("alignment-view-flow").check()
    expect(second.get_by_test_id("alignment-step")).to_have_value("1")
    expect(first.get_by_test_id("alignment-view-flow")).to_be_checked()
    expect(notebook.run(PAIRED)).to_contain_text("paired 1 1 flow")


def test_the_theme_of_the_lab_is_followed(notebook):
    page, figure = notebook.page, notebook.cell(FIRST).get_by_test_id("alignment")
    expect(figure).to_have_attribute("data-att-theme", "light")
    page.get_by_role("menuitem", name="Settings").click()
    page.locator(".lm-Menu-itemLabel", has_text="Theme").first.hover()
    page.locator(".lm-Menu-itemLabel", has_text="JupyterLab Dark").first.click()
    expect(figure).to_have_attribute("data-att-theme", "dark", timeout=PATIENCE)


def test_arrow_keys_work_the_control_and_leave_the_notebook_alone(notebook):
    figure = notebook.cell(PAIR).get_by_test_id("alignment").first
    matrix, flow, slider = (
        figure.get_by_test_id(f"alignment-{name}") for name in ("view-matrix", "view-flow", "step")
    )
    matrix.check()
    slider.fill("2")
    slider.press("ArrowLeft")
    expect(slider).to_have_value("1")
    slider.press("ArrowDown")
    expect(slider).to_have_value("0")
    expect(slider).to_be_focused()
    matrix.focus()
    matrix.press("ArrowDown")
    expect(flow).to_be_focused()
    expect(flow).to_be_checked()


def test_a_focus_beyond_new_data_lights_nothing(notebook):
    notebook.run(FEWER)
    sentence = notebook.cell(FIRST).get_by_test_id("alignment-sentence")
    expect(sentence).to_have_text("Step 1 of 1: “z” looks most at “a” (1.000).")


def test_the_translator_translates_and_the_kernel_hears_of_it(notebook):
    figure = notebook.run(TYPED).get_by_test_id("translator")
    output = figure.get_by_test_id("translator-output")
    expect(output).to_have_text("sieben", timeout=PATIENCE)
    figure.get_by_test_id("translator-input").fill("twenty one")
    expect(output).to_have_text("ein und zwanzig")
    expect(notebook.run(HEARD)).to_contain_text("heard twenty one = ein und zwanzig attention")
    notebook.run(SENT)
    expect(figure.get_by_test_id("translator-model")).to_have_value("vanilla", timeout=PATIENCE)
    expect(output).to_have_text("sech zehn")
    expect(notebook.run(HEARD)).to_contain_text("heard sixteen = sech zehn vanilla")
