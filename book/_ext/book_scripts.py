"""Sphinx extension: leave out what the theme would load for nothing on each page."""

from __future__ import annotations

from typing import Any


def tidy(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Drop the globals of live code (it is off) and scripts that the theme adds twice.

    Declared twice, the same constant is an error in the console of every page.
    """
    launch = app.config.html_theme_options.get("launch_buttons") or {}
    seen, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body")
        if body and (body in seen or ("THEBE_JS_URL" in body and not launch.get("thebe"))):
            continue
        seen.add(body)
        kept.append(script)
    context["script_files"][:] = kept


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", tidy, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
