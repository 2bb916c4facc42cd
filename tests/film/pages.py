"""Take a written page apart: tags that close, what is asked from elsewhere, texts of one part."""

from __future__ import annotations

import base64
import hashlib
from html.parser import HTMLParser

__all__ = ["Page"]

_EMPTY = {"img", "meta", "input", "br", "line", "rect", "use", "path", "polyline", "circle"}
_LEADS = ("href", "src", "action", "formaction", "data", "poster", "srcset", "xlink:href", "background")


class Page(HTMLParser):
    """A page that was read whole; AssertionError where its tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.leads: list[str] = []
        self.handlers: list[str] = []
        self.styled: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.inside: dict[str, str] = {}
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append((tag, given))
        self.leads += [value for name, value in given.items() if name in _LEADS]
        self.handlers += [name for name in given if name.startswith("on")]
        self.styled += [name for name in given if name == "style"]
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _EMPTY:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1:] == [tag], f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.inside[self.open[-1]] = self.inside.get(self.open[-1], "") + data
        else:
            self.text += data

    def having(self, tag: str, **wanted: str) -> list[dict[str, str]]:
        """Return the attributes of every tag with such attributes; `kind` is its class."""
        kind = wanted.pop("kind", "")
        return [
            given
            for name, given in self.tags
            if name == tag
            and kind in ("", *given.get("class", "").split())
            and all(given.get(key) == value for key, value in wanted.items())
        ]

    @property
    def policy(self) -> str:
        """The content security policy."""
        (found,) = (
            g["content"] for g in self.having("meta") if g.get("http-equiv") == "Content-Security-Policy"
        )
        return found

    def digest(self, tag: str) -> str:
        """Return the digest of a style or script as a policy names it."""
        return f"sha256-{base64.b64encode(hashlib.sha256(self.inside[tag].encode()).digest()).decode()}"
