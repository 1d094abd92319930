"""Sphinx extension: repository and launch buttons, and the address in downloaded chapters.

All from the one address of `book_bootstrap.repository_address`; without one, no buttons.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from book_bootstrap import repository_address, settings, stamp_file
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
SERVICES = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
COLAB = {"colab_url": "https://colab.research.google.com"}


def web_address(address: str) -> str:
    """The address as a web page on GitHub or GitLab, or "" if it is neither."""
    for host in ("github.com", "gitlab.com"):
        for start in (f"https://{host}/", f"git@{host}:", f"ssh://git@{host}/"):
            if address.startswith(start):
                return f"https://{host}/" + address.removeprefix(start).removesuffix(".git")
    return ""


def theme_options(address: str, branch: str) -> dict[str, Any]:
    """What the theme has to be told so that its buttons lead to this repository."""
    page = web_address(address)
    if not page:
        return {"launch_buttons": {}, "use_repository_button": False, "repository_url": ""}
    return {
        "repository_url": page,
        "repository_branch": branch,
        "use_repository_button": True,
        # Colab opens notebooks from GitHub alone
        "launch_buttons": SERVICES | (COLAB if "//github.com/" in page else {}),
    }


def set_buttons(app: Any, config: Any) -> None:
    address = repository_address(os.environ)
    branch = os.environ.get("BOOK_BRANCH") or settings()["branch"]
    if address and not web_address(address):
        LOGGER.info(f"no launch buttons: {address} is not on GitHub or GitLab")
    config.html_theme_options.update(theme_options(address, branch))


def stamp_downloads(app: Any, exception: Exception | None) -> None:
    """Write the address into the copies that readers download, once the pages are done."""
    if exception is None and app.builder.name == "html":
        for path in sorted(Path(app.outdir, "_sources", "chapters").glob("*.ipynb")):
            stamp_file(path, repository_address(os.environ))


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", set_buttons, priority=100)
    app.connect("build-finished", stamp_downloads)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
