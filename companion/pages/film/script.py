"""The style of the report, by day and by night, and the script that turns its acts into a film; both stand in files of their own.

The script reads the acts that stand in the page, asks for nothing and writes nothing down. Without it the page is whole.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources

__all__ = ["policy", "script", "style"]


@cache
def style() -> str:
    """Return the style of the page."""
    return _text("film.css")


@cache
def script() -> str:
    """Return the script of the page."""
    return _text("film.js")


def policy() -> str:
    """Return the page's content security policy: its own style and script by their digests, pictures in it, nothing else."""
    return (
        f"default-src 'none'; style-src '{_digest(style())}'; script-src '{_digest(script())}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _text(name: str) -> str:
    return resources.files("companion.pages.film").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
