"""What the build does to the pages once they are written, on small made-up sites."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import book_archive
import book_figure
import book_pages
import pytest
import serve
import weigh
from bs4 import BeautifulSoup
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
ICON = '<i class="fa-solid fa-bars fa-lg"></i>'
PAGE = """<!DOCTYPE html>
<html data-theme="auto"><head><link rel="stylesheet" href="../_static/book.css"/>
<script>var a = 1;</script> <script>var b = 2;</script>
<script src="../_static/scripts/fontawesome.js?digest=5"></script>
<script src="../_static/searchtools.js"></script><script src="../searchindex.js"></script>
<script async src="../_static/sphinx-thebe.js?v=1"></script>
<script>window.MathJax = {}</script>
<script defer src="../_static/mathjax/tex-mml-chtml.js"></script>
</head><body><button onclick="window.print()" title="Print">@ICON@</button>
<article>@BODY@</article><script>kernelName = 'python3'</script></body></html>"""


def png(color: str) -> bytes:
    file = BytesIO()
    Image.new("RGB", (30, 20), color).save(file, "PNG")
    return file.getvalue()


def finish(folder: Path, body: str = "", name: str = "chapters/one.html") -> BeautifulSoup:
    path = folder / "html" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "html/_static").mkdir(exist_ok=True)
    (folder / "html/_images").mkdir(exist_ok=True)
    path.write_text(PAGE.replace("@ICON@", ICON).replace("@BODY@", body), "utf-8")
    book_pages.Site(folder / "html", folder / "jupyter_execute").finish()
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def sources(soup: BeautifulSoup) -> list[str]:
    return [str(node.get("src", "inline")) for node in soup.find_all("script")]


def test_scripts_are_files_and_only_those_that_the_page_uses(tmp_path):
    soup = finish(tmp_path)
    (only,) = sources(soup)
    assert (tmp_path / "html" / only.removeprefix("../")).read_text() == "var a = 1;\nvar b = 2;"
    with_maths = sources(finish(tmp_path, '<span class="math">x</span>'))
    assert with_maths[0].startswith("../_static/page/")
    assert with_maths[1:] == ["../_static/maths.js", "../_static/mathjax/tex-mml-chtml.js"]
    assert any("searchtools" in url for url in sources(finish(tmp_path, name="search.html")))


def test_finishing_twice_changes_nothing(tmp_path):
    body = '<p style="color: red">a</p><style>p { margin: 0 }</style><span class="math">x</span>'
    first = str(finish(tmp_path, body))
    book_pages.Site(tmp_path / "html", tmp_path / "jupyter_execute").finish()
    assert (tmp_path / "html/chapters/one.html").read_text("utf-8") == first


def test_styles_are_files_and_clicks_have_names(tmp_path):
    soup = finish(tmp_path, '<p class="x" style="color: red;">a</p><style>p { margin: 0 }</style>')
    assert not soup.find_all("style") and not soup.find_all(style=True)
    name = soup.p["class"][1]
    css = [path.read_text() for path in (tmp_path / "html/_static/page").glob("*.css")]
    assert f".{name}.{name}.{name} {{ color: red }}\n" in css and "p { margin: 0 }\n" in css
    assert soup.button["data-click"] == "print" and not soup.button.get("onclick")
    assert soup.button["aria-label"] == "Print"
    with pytest.raises(ValueError, match="no rule for the click"):
        finish(tmp_path, '<a onclick="alert(1)">b</a>')


def test_icons_are_masks_from_the_themes_own_shapes(tmp_path):
    finish(tmp_path)
    css = (tmp_path / "html/_static/icons.css").read_text("utf-8")
    assert re.findall(r"^\.(\S+) \{ --icon", css, re.MULTILINE) == ["fa-bars"]
    # a former name, and a solid shape where there is a regular one too
    shapes = book_pages.icon_shapes({"fa-search", "fa-magnifying-glass", "fa-sun"})
    assert shapes["fa-search"] == shapes["fa-magnifying-glass"]
    assert shapes["fa-sun"][2].startswith("M361.5")
    with pytest.raises(ValueError, match="no icon fa-nonesuch"):
        book_pages.icon_shapes({"fa-nonesuch"})


def test_the_icon_font_goes_and_other_rules_stay():
    css = "@font-face{font-family:Awesome;src:url(a)}.fa-sun:before,.fa-x{content:'a'}"
    css += ".b .fa{color:red}"
    assert book_pages.without_icon_font(css + "@media print{.c{d:e}}") == (
        ".b .fa{color:red}@media print{.c{d:e}}"
    )


def test_a_live_figure_is_a_file_that_several_pages_share(tmp_path):
    esm, css = "export default { render() {} } // </script>", ".a{}"
    model = {"model_module": "anywidget", "model_name": "AnyModel"}
    layout = {"model_module": "@jupyter-widgets/base", "model_name": "LayoutModel", "state": {}}
    state = {"a": model | {"state": {"_esm": esm, "_css": css, "text": "</b>"}}, "b": layout}
    text = json.dumps({"state": state}).replace("</", "<\\/")
    soup = finish(tmp_path, f'<script type="{book_pages.STATE}">{text}</script>')
    kept = json.loads(soup.find("script", type=book_pages.STATE).string)["state"]
    assert list(kept) == ["a"]
    name = hashlib.sha256(esm.encode()).hexdigest()[:16]
    assert kept["a"]["state"] == {"_esm": f"file:{name}", "_css": "", "text": "</b>"}
    figures = tmp_path / "html/_static/figures"
    assert (figures / f"{name}.js").read_text() == esm
    assert json.dumps(esm) in (figures / f"{name}.text.js").read_text()
    assert [path.read_text() for path in figures.glob("*.css")] == [css]
    assert any("figures/" in link["href"] for link in soup.find_all("link"))


def test_models_that_a_translator_does_not_begin_with_are_files_that_pages_share(tmp_path):
    def buffer(task: str) -> dict[str, object]:
        data = b64encode(task.encode()).decode()
        return {"path": ["models", task, "attention"], "encoding": "base64", "data": data}

    model = {
        "model_module": "anywidget",
        "model_name": "AnyModel",
        "state": {"task": "numbers", "models": {"numbers": {}, "dates": {}}},
        "buffers": [buffer("numbers"), buffer("dates")],
    }
    body = f'<script type="{book_pages.STATE}">{json.dumps({"state": {"a": model}})}</script>'
    first = finish(tmp_path, body)
    kept = json.loads(first.find("script", type=book_pages.STATE).string)["state"]["a"]
    assert kept["buffers"] == [buffer("numbers")]
    found = kept["state"]["models"]
    assert found["numbers"] == {}
    name = found["dates"]["attention"].removeprefix("file:")
    script = (tmp_path / f"html/_static/figures/{name}.data.js").read_text()
    assert script.endswith(f'["{name}"] = "{buffer("dates")["data"]}";\n')
    book_pages.Site(tmp_path / "html").finish()
    assert (tmp_path / "html/chapters/one.html").read_text("utf-8") == str(first)


def test_the_translator_on_the_home_page_is_the_same_in_each_build():
    html = book_figure.markup(["numbers"], "<b>two</b>", "</script>", "translator0")
    assert html == book_figure.markup(["numbers"], "<b>two</b>", "</script>", "translator0")
    soup = BeautifulSoup(html, "html.parser")
    assert len(soup.find_all("script")) == 2 and not soup.b
    state = json.loads(soup.find("script", type=book_pages.STATE).string)["state"]
    assert list(state) == ["translator0"]
    assert state["translator0"]["state"]["title"] == "</script>"
    with pytest.raises(ValueError, match="got 'cooking'"):
        book_figure.markup(["cooking"], None, "", "translator0")


def test_a_picture_has_a_size_and_its_twin_for_dark_pages(tmp_path):
    light, dark = png("white"), png("black")
    name = hashlib.sha256(light).hexdigest()
    output = {"data": {"image/png": b64encode(light).decode()}}
    output["metadata"] = {book_pages.DARK: b64encode(dark).decode()}
    (tmp_path / "jupyter_execute/chapters").mkdir(parents=True)
    cells = [{"outputs": [output]}]
    (tmp_path / "jupyter_execute/chapters/one.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "html/_images").mkdir(parents=True)
    (tmp_path / f"html/_images/{name}.png").write_bytes(light)
    soup = finish(tmp_path, f'<img alt="A." src="../_images/{name}.png"/>')
    first, second = soup.find_all("img")
    assert (first["class"], second["class"]) == (["on-light"], ["on-dark"])
    assert first["alt"] == second["alt"] == "A."
    assert first["loading"] == "lazy" and (first["width"], first["height"]) == ("30", "20")
    twin = Image.open(tmp_path / "html/chapters" / second["src"]).convert("RGB")
    assert twin.getpixel((0, 0)) == (0, 0, 0)


def test_weights_leave_maths_and_fonts_aside_and_count_a_file_once(tmp_path):
    for name in ("a.html", "b.css", "mathjax/c.js", "d.woff2"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x" * 10_000)
    (tmp_path / "e.png").write_bytes(bytes(500))
    paths = [p for p in tmp_path.rglob("*") if p.is_file()] * 2
    found = weigh.weights(paths)
    assert found["pictures"] == 500 and found["scripts"] == 0
    assert 0 < found["page"] == found["styles"] < 200


def test_headers_are_read_as_hosts_read_them(tmp_path):
    (tmp_path / "_headers").write_text("# note\n/*\n  A: b: c\n\n  D: e\n")
    assert serve.headers(tmp_path / "_headers") == [("A", "b: c"), ("D", "e")]
    (tmp_path / "_headers").write_text("/one\n  A: b\n")
    with pytest.raises(ValueError, match="only rules for"):
        serve.headers(tmp_path / "_headers")


def test_the_policy_is_strict():
    policy = dict(serve.headers(ROOT / "book/root/_headers"))["Content-Security-Policy"]
    rules = {name: values for name, *values in (part.split() for part in policy.split(";"))}
    assert rules["default-src"] == ["'none'"] and rules["script-src"] == ["'self'"]
    assert "unsafe" not in policy and "http" not in policy and "*" not in policy


def test_claims_predictions_and_answers_have_classes(tmp_path):
    body = '<p><strong>Predict.</strong> What?</p><div class="admonition">'
    body += '<p class="admonition-title">Answer</p></div><div class="cell_output">'
    body += (
        '<div class="output stream"><pre><span></span>a ✓\n✓ It holds &lt;5.\nb\n</pre></div></div>'
    )
    soup = finish(tmp_path, body)
    assert soup.article.p["class"] == ["predict"]
    assert soup.select_one(".admonition")["class"] == ["admonition", "answer"]
    assert [node.get_text() for node in soup.select(".claim")] == ["✓ It holds <5."]
    assert soup.pre.get_text() == "a ✓\n✓ It holds <5.\nb\n"
    again = str(soup)
    book_pages.Site(tmp_path / "html").finish()
    assert (tmp_path / "html/chapters/one.html").read_text("utf-8") == again


def test_the_sites_colours_are_those_of_the_palette():
    css, palette = book_pages.palette_style(), json.loads(book_pages.PALETTE.read_text("utf-8"))
    for theme in ("light", "dark"):
        block = css.partition(f'[data-theme="{theme}"] {{')[2].partition("}")[0]
        found = dict(re.findall(r"--book-([\w-]+): (#\w+);", block))
        assert found == {key.replace("_", "-"): value for key, value in palette[theme].items()}


def test_the_archive_holds_the_site_and_is_the_same_each_time(tmp_path):
    (tmp_path / "chapters").mkdir()
    for name in ("index.html", "chapters/one.html", ".buildinfo"):
        (tmp_path / name).write_text(name)
    first = book_archive.pack(tmp_path).read_bytes()
    (tmp_path / "index.html").touch()
    assert book_archive.pack(tmp_path).read_bytes() == first
    with zipfile.ZipFile(tmp_path / book_archive.NAME) as archive:
        names = ["attention-measured/chapters/one.html", "attention-measured/index.html"]
        assert archive.namelist() == names
