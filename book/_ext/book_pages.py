"""Sphinx extension: finishes the pages once they are written.

A finished page holds no script and no style of its own: each is a file, so that the site works
under a strict Content-Security-Policy (book/root/_headers). It loads what it uses: no icon
script of 1.5 MB for a dozen icons, no index of the search on other pages, no live code. Each
figure has a second rendering for dark pages, and pictures below the fold are loaded late.

Finishing a finished page changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from base64 import b64decode
from collections.abc import Iterator
from copy import copy
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import weigh
from bs4 import BeautifulSoup, Tag
from PIL import Image

DARK = "image/vnd.seq2seq-attention.dark+png"  # seq2seq_attention.darkness gives it
STATE = "application/vnd.jupyter.widget-state+json"
# of scripts: loaded on every page, but used by live code or by the page of the search alone
UNUSED = re.compile(r"_static/(scripts/fontawesome|sphinx-thebe)\.(js|css)")
SEARCH_ONLY = re.compile(r"(_static/(searchtools|language_data)|searchindex)\.js")
TABS = re.compile(r"_static/design-tabs\.js")
# of inline scripts: read by live code, by a switch between versions and by search as you type
IDLE = re.compile(r"\s*(kernelName =|DOCUMENTATION_OPTIONS\.(pagename|search_as_you_type = false))")
ICON = re.compile(r"^fa-(?!solid$|regular$|brands$|lg$|fw$|sm$|xs$|\dx$)[a-z0-9-]+$")
PALETTE = Path(__file__).resolve().parents[2] / "src/seq2seq_attention/palette.json"
CLICKS = {"window.print()": "print", "toggleFullScreen()": "fullscreen"}
JUNK = (
    "_static/vendor/fontawesome/**/* _static/scripts/fontawesome* _static/**/*.map "
    "_static/*webpack-macros.html _static/sphinx-thebe.* _static/locales/**/*"
).split()


def digest(content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:16]


class Site:
    """The folder of built pages."""

    def __init__(self, html: Path, executed: Path | None = None) -> None:
        self.html = html
        self.static = html / "_static"
        self.icons: set[str] = set()
        self.dark = dict(self._dark_twins(executed)) if executed else {}

    def _dark_twins(self, executed: Path) -> Iterator[tuple[str, bytes]]:
        """For each picture that a chapter drew, by its name in _images, the one for dark pages."""
        for path in sorted(executed.rglob("*.ipynb")):
            for cell in json.loads(path.read_text("utf-8"))["cells"]:
                for output in cell.get("outputs", []):
                    data, dark = output.get("data", {}), output.get("metadata", {}).get(DARK)
                    if dark and "image/png" in data:
                        name = hashlib.sha256(b64decode(data["image/png"])).hexdigest()
                        yield f"{name}.png", b64decode(dark)

    def pages(self) -> list[Path]:
        return sorted(p for p in self.html.rglob("*.html") if "_static" not in p.parts)

    def write(self, folder: str, content: str, suffix: str) -> str:
        """Store content under a name made of itself; the path from the root of the site."""
        name = f"_static/{folder}/{digest(content)}{suffix}"
        path = self.html / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
        return name

    def finish(self) -> None:
        if not (self.static / "icons.css").exists():
            weigh.note(self.html, self.pages())
        shrink(self.html / "_images")
        for path in self.pages():
            text = path.read_text("utf-8")
            root = "../" * (len(path.relative_to(self.html).parts) - 1)
            soup = BeautifulSoup(text, "html.parser")
            Page(self, soup, root, path.stem == "search").finish()
            path.write_text(str(soup), "utf-8")
        (self.static / "palette.css").write_text(palette_style(), "utf-8")
        (self.static / "icons.css").write_text(icon_style(self.icons), "utf-8")
        theme = self.static / "styles" / "pydata-sphinx-theme.css"
        if theme.exists():
            theme.write_text(without_icon_font(theme.read_text("utf-8")), "utf-8")
        for pattern in JUNK:
            for path in self.html.glob(pattern):
                if path.is_file():
                    path.unlink()
        for folder in sorted((p for p in self.static.rglob("*") if p.is_dir()), reverse=True):
            if not any(folder.iterdir()):
                folder.rmdir()


class Page:
    """One page; `finish` changes its soup."""

    def __init__(self, site: Site, soup: BeautifulSoup, root: str, search: bool) -> None:
        self.site, self.soup, self.root, self.search = site, soup, root, search

    def finish(self) -> None:
        if not self.soup.head:
            return  # the redirect of the root
        self.drop_scripts()
        self.scripts_to_files()
        self.figures_to_files()
        self.styles_to_files()
        self.clicks()
        self.pictures()
        self.names()
        self.kinds()
        for node in self.soup.select("[class*=fa-]"):
            self.site.icons.update(c for c in node.get_attribute_list("class") if ICON.match(c))
        self.style_sheet("_static/palette.css")
        self.style_sheet("_static/icons.css")

    def style_sheet(self, name: str) -> None:
        href = self.root + name
        head = self.soup.head
        assert head
        if not head.find("link", href=href):
            # before the book's own, which has the last word
            links = head.find_all("link", rel="stylesheet")
            node = self.soup.new_tag("link", rel="stylesheet", href=href)
            links[-1].insert_before(node) if links else head.append(node)

    def drop_scripts(self) -> None:
        uses_tabs = bool(self.soup.select(".sd-tab-set"))
        uses_maths = bool(self.soup.select("article .math, .mathjax_process .math"))
        for node in self.soup.find_all(["script", "link"]):
            url = str(node.get("src") or node.get("href") or "")
            body = "" if url else node.get_text()
            if (
                UNUSED.search(url)
                or (node.name == "script" and not url and IDLE.match(body))
                or (SEARCH_ONLY.search(url) and not self.search)
                or (TABS.search(url) and not uses_tabs)
                or (not uses_maths and ("mathjax/" in url or "window.MathJax" in body))
                # scripts at the end of the page, or deferred: nothing is gained by announcing them
                or (node.name == "link" and "preload" in node.get_attribute_list("rel"))
            ):
                node.decompose()
        for node in self.soup.select('script[src*="mathjax/"]'):
            name = f"{self.root}_static/maths.js"
            if not self.soup.find("script", src=name):
                node.insert_before(self.soup.new_tag("script", src=name))

    def scripts_to_files(self) -> None:
        """Each script becomes a file; neighbours share one."""
        group: list[Tag] = []
        for node in [*self.soup.find_all("script"), None]:
            inline = node is not None and not node.get("src") and not node.get("type")
            apart = group and (node is None or not inline or next_tag(group[-1]) is not node)
            if apart:
                name = self.site.write("page", "\n".join(n.get_text() for n in group), ".js")
                group[0].attrs = {"src": self.root + name}
                group[0].clear()
                for other in group[1:]:
                    other.decompose()
                group = []
            if inline and node is not None:
                group.append(node)

    def figures_to_files(self) -> None:
        """The modules and styles of live figures, once for the whole site."""
        for node in self.soup.find_all("script", type=STATE):
            document = json.loads(node.get_text())
            models = document["state"]
            for key in [k for k, m in models.items() if idle_model(m)]:
                del models[key]
            for model in models.values():
                state = model["state"]
                module = state.get("_esm")
                if isinstance(module, str) and not module.startswith("file:"):
                    name = self.site.write("figures", module, ".js")
                    # Chromium imports no module from disk: there its text comes as a script
                    text = f"(globalThis.bookFigures ||= {{}})[{json.dumps(digest(module))}] = "
                    twin = self.site.html / name.replace(".js", ".text.js")
                    twin.write_text(text + json.dumps(module) + ";\n", "utf-8")
                    state["_esm"] = f"file:{digest(module)}"
                self.models_to_files(model)
                if isinstance(state.get("_css"), str) and state["_css"]:
                    self.style_sheet(self.site.write("figures", state["_css"], ".css"))
                    state["_css"] = ""
            node.string = json.dumps(document, separators=(",", ":")).replace("</", "<\\/")

    def models_to_files(self, model: dict[str, Any]) -> None:
        """The trained models of a translator that it doesn't begin with, loaded when chosen.

        As scripts, since a page that is opened from disk may load nothing else.
        """
        state, kept = model["state"], []
        for buffer in model.get("buffers", []):
            path, own = buffer["path"], state.get("task")
            if path[0] != "models" or path[1] == own or buffer["encoding"] != "base64":
                kept.append(buffer)
                continue
            name = digest(buffer["data"])
            script = f'(globalThis.bookData ||= {{}})["{name}"] = {json.dumps(buffer["data"])};\n'
            place = self.site.html / f"_static/figures/{name}.data.js"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(script, "utf-8")
            state["models"][path[1]][path[2]] = f"file:{name}"
        if "buffers" in model:
            model["buffers"] = kept

    def styles_to_files(self) -> None:
        for node in self.soup.find_all("style"):
            href = self.root + self.site.write("page", node.get_text().strip() + "\n", ".css")
            node.replace_with(self.soup.new_tag("link", rel="stylesheet", href=href))
        for node in self.soup.find_all(style=True):
            rule = str(node["style"]).strip().rstrip(";")
            name = f"s-{digest(rule)}"
            # twice the class: it has to win over the theme, as the attribute did
            css = f".{name}.{name}.{name} {{ {rule} }}\n"
            del node["style"]
            if rule:
                add_class(node, name)
                self.style_sheet(self.site.write("page", css, ".css"))

    def clicks(self) -> None:
        """What buttons do is in book/assets/site.js."""
        for node in self.soup.find_all(onclick=True):
            action = CLICKS.get(str(node["onclick"]).strip())
            if action is None:
                raise ValueError(f"no rule for the click {node['onclick']!r}")
            del node["onclick"]
            node["data-click"] = action

    def pictures(self) -> None:
        """A size, so that nothing jumps; loaded when near; a twin for dark pages."""
        for node in self.soup.select("article img"):
            path = self.site.html / "_images" / Path(str(node["src"])).name
            if not path.exists() or node.get("width"):
                continue
            if path.suffix == ".png":
                with Image.open(path) as picture:
                    node["width"], node["height"] = (str(n) for n in picture.size)
            node["loading"] = "lazy"
            node["decoding"] = "async"
            if path.name in self.site.dark:
                twin = path.with_name(f"{path.stem}-dark.png")
                if not twin.exists():
                    twin.write_bytes(few_colours(self.site.dark[path.name]))
                other = copy(node)
                other["src"] = str(node["src"]).replace(path.name, twin.name)
                # not the theme's only-light and only-dark, each of which hides the caption too
                add_class(node, "on-light")
                add_class(other, "on-dark")
                node.insert_after(other)

    def names(self) -> None:
        """What the theme leaves without a name for those who don't see it."""
        for node in self.soup.select("button.primary-toggle, button.secondary-toggle"):
            node["aria-label"] = str(node.get("title") or "Toggle sidebar")
        for node in self.soup.select("[data-click]"):
            if not node.get_text(strip=True):
                node["aria-label"] = str(node.get("title") or node["data-click"])
        for node in self.soup.select("#pst-search-dialog"):
            node["aria-label"] = "Search"
        for selector, name in {
            "#pst-primary-sidebar-modal": "Chapters",
            "#pst-secondary-sidebar-modal": "Contents of this page",
        }.items():
            for node in self.soup.select(selector):
                node["aria-label"] = name
        # these have a name in their text, and the attribute gives them another
        for node in self.soup.select(".search-button-field, details.hide > summary"):
            node.attrs.pop("aria-label", None)
        # a role that is no more, and a list whose children aren't its items
        for node in self.soup.select('[role="doc-biblioentry"], .citation-list[role="list"]'):
            del node["role"]
        # an empty advertisement slot
        for node in self.soup.select("#ethical-ad-placement"):
            node.decompose()

    def kinds(self) -> None:
        """Classes for what the style sets apart: predictions, answers, claims that held."""
        for node in self.soup.select("article p > strong:first-child"):
            paragraph = node.parent
            if (
                node.get_text().startswith("Predict")
                and paragraph
                and "predict" not in (paragraph.get_attribute_list("class"))
            ):
                add_class(paragraph, "predict")
        for title in self.soup.select("article .admonition > .admonition-title"):
            kind, box = title.get_text(strip=True).partition(" ")[0].lower(), title.parent
            if box and kind in {"answer", "solution"} - set(box.get_attribute_list("class")):
                add_class(box, kind)
        for pre in self.soup.select("article .cell_output .output.stream pre"):
            for text in pre.find_all(string=re.compile("^✓", re.MULTILINE)):
                if text.parent and "claim" in text.parent.get_attribute_list("class"):
                    continue
                parts: list[str | Tag] = []
                for line in str(text).splitlines(keepends=True):
                    if line.startswith("✓"):
                        claim = self.soup.new_tag("span", attrs={"class": "claim"})
                        claim.string = line.rstrip("\n")
                        parts += [claim, "\n"] if line.endswith("\n") else [claim]
                    else:
                        parts.append(line)
                text.replace_with(*parts)


def add_class(node: Tag, name: str) -> None:
    node["class"] = " ".join([*filter(None, node.get_attribute_list("class")), name])


def next_tag(node: Tag) -> Tag | None:
    """The tag right after another, if nothing but white space is between them."""
    other = node.next_sibling
    while other is not None and not isinstance(other, Tag):
        if str(other).strip():
            return None
        other = other.next_sibling
    return other


def idle_model(model: dict[str, Any]) -> bool:
    """Whether a widget's model is a layout or style, of which the static page makes no use."""
    name = model["model_name"]
    own = model["model_module"].startswith("@jupyter-widgets/")
    return own and name.endswith(("LayoutModel", "StyleModel"))


def few_colours(png: bytes) -> bytes:
    """The picture with at most 256 colours, if that makes it smaller: no visible difference."""
    picture = Image.open(BytesIO(png))
    if picture.mode == "P":
        return png
    if picture.convert("RGBA").getchannel("A").getextrema() != (255, 255):
        return png
    small = BytesIO()
    few = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return min(png, small.getvalue(), key=len)


def shrink(folder: Path) -> None:
    for path in sorted(folder.glob("*.png")):
        path.write_bytes(few_colours(path.read_bytes()))


def icon_shapes(names: set[str]) -> dict[str, tuple[int, int, str]]:
    """Width, height and path of icons, from the script that the theme ships.

    The icons are of Font Awesome Free 6, CC BY 4.0, https://fontawesome.com/license/free
    """
    theme = files("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static/scripts"
    script = (theme / "fontawesome.js").read_text("utf-8")
    shapes = {}
    for name in sorted(names):
        key = re.escape(name.removeprefix("fa-"))
        found = re.findall(rf'[{{,]"?{key}"?:\[(\d+),(\d+),\[[^\]]*\],"[^"]*","([^"]+)"\]', script)
        if not found:
            found = alias(script, key)
        if found:
            width, height, path = found[-1]  # regular shapes come first, solid ones last
            shapes[name] = (int(width), int(height), path)
    missing = names - set(shapes)
    if missing:
        raise ValueError(f"the theme's script has no icon {', '.join(sorted(missing))}")
    return shapes


def alias(script: str, key: str) -> list[tuple[str, str, str]]:
    """The shape of an icon's former name."""
    pattern = rf'\[(\d+),(\d+),\[[^\]]*"{key}"[^\]]*\],"[^"]*","([^"]+)"\]'
    return re.findall(pattern, script)


def icon_style(names: set[str]) -> str:
    """Icons as masks in the colour of the text."""
    rules = [
        "/* Font Awesome Free 6 by @fontawesome, CC BY 4.0, fontawesome.com/license/free */",
        ".fa-solid, .fas, .fa-regular, .far, .fa-brands, .fab {",
        "  display: inline-block; height: 1em; width: 1.25em; vertical-align: -0.125em;",
        "  background: currentColor; mask: var(--icon) center / contain no-repeat;",
        "}",
        ".fa-lg { font-size: 1.25em; line-height: 0.05em; vertical-align: -0.075em; }",
        "@media (forced-colors: active) {",
        "  .fa-solid, .fas, .fa-regular, .far, .fa-brands, .fab {",
        "    forced-color-adjust: none; background: ButtonText;",
        "  }",
        "}",
    ]
    for name, (width, height, path) in icon_shapes(names).items():
        svg = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>"
        svg += f"<path d='{path}'/></svg>"
        quoted = svg.replace("<", "%3C").replace(">", "%3E").replace("#", "%23")
        rules.append(f'.{name} {{ --icon: url("data:image/svg+xml,{quoted}"); }}')
    return "\n".join(rules) + "\n"


def palette_style() -> str:
    """The book's one palette as custom properties, and the theme's colours in terms of them."""
    palette = json.loads(PALETTE.read_text("utf-8"))
    rules = []
    for theme in ("light", "dark"):
        own = [f"  --book-{k.replace('_', '-')}: {v};" for k, v in palette[theme].items()]
        rules += [f'html[data-theme="{theme}"] {{', f"  color-scheme: {theme};", *own, "}"]
    mix = "color-mix(in oklab, var(--book-{}) {}%, var(--book-background))"
    theirs = {
        "background on-background": "var(--book-background)",
        "surface": "var(--book-surface)",
        "text-base on-surface heading": "var(--book-ink)",
        "text-muted": "var(--book-muted)",
        "primary link": "var(--book-source)",
        "secondary link-hover accent": "var(--book-attention)",
        "inline-code": "var(--book-ink)",
        "border": mix.format("muted", 35),
        "primary-bg": mix.format("source", 14),
        "target": mix.format("attention", 22),
    }
    lines = [f"  --pst-color-{n}: {v};" for names, v in theirs.items() for n in names.split()]
    return "\n".join([*rules, "html[data-theme] {", *lines, "}"]) + "\n"


def without_icon_font(css: str) -> str:
    """The theme's style without the rules of its icon font, a quarter of it."""

    def icons_only(selectors: str) -> bool:
        parts = re.sub(r"/\*.*?\*/", "", selectors, flags=re.DOTALL).split(",")
        return all(re.fullmatch(r"\s*\.fa[\w.-]*(::?(before|after))?\s*", part) for part in parts)

    def keep(match: re.Match[str]) -> str:
        font = "@font-face" in match[1] and "Awesome" in match[2]
        return "" if font or icons_only(match[1]) else match[0]

    return re.sub(r"([^{}]+)\{([^{}]*)\}", keep, css)


def finish(app: Any, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        html = Path(app.outdir)
        # from the cache: the copies of Sphinx have lost what outputs say of themselves
        Site(html, html.parent / ".jupyter_cache" / "executed").finish()


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", finish, priority=800)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
