"""The files that every phone loads: the same for all, without a secret, packed once when the gateway starts.

Documents and streams are never packed: what is secret stands in them, and the length of what is packed tells of it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["files", "given", "plain", "sprite", "tight"]

_STATIC = Path(__file__).parent / "static"
_UNITS = Path(__file__).parent.parent / "ui" / "art" / "units"
_SVG = "{http://www.w3.org/2000/svg}"
_KEPT = {"cache-control": "max-age=600", "vary": "accept-encoding"}
_REMARKS = re.compile(r"^[ \t]+|^//.*\n|[ \t]+//(?= ).*$", re.MULTILINE)
"""Indents, and remarks that begin a line or follow a blank; no text of a script holds two strokes behind a blank."""


_BLANKS = re.compile(
    r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|/(?:[^/\\\n]|\\.)+/)|[ ]*([=<>&|?:,(){};!])[ ]*"""
)
"""Blanks around signs that need none; a text, and whatever may be a pattern, is left as it is."""


def sprite() -> bytes:
    """Return every symbol as one file: the icons, and a unit's under ``unit.NAME``. The style sheet fills and strokes them all."""
    ElementTree.register_namespace("", _SVG.strip("{}"))
    root = ElementTree.parse(_STATIC / "icons.svg").getroot()
    for path in sorted(_UNITS.glob("*.svg")):
        drawn = ElementTree.parse(path).getroot()
        symbol = ElementTree.SubElement(
            root, f"{_SVG}symbol", {"id": f"unit.{path.stem}", "viewBox": drawn.attrib["viewBox"]}
        )
        symbol.extend(drawn)
    for part in root.iter():
        part.tail = ""  # nothing here is text
    root[:] = sorted(
        root, key=lambda one: one.get("viewBox", "")
    )  # those that are alike pack better together
    return ElementTree.tostring(root)


def plain(script: str) -> str:
    """Return a script without its remarks and most of its blanks, which a phone has no use for."""
    lines = re.sub(r"\n+", "\n", _REMARKS.sub("", _REMARKS.sub("", script)))
    lines = _BLANKS.sub(lambda found: found[1] or found[2], lines)
    return re.sub(r"\n(?=})", "", re.sub(r"(?<=[;{])\n", "", lines))


def tight(style: str) -> str:
    """Return a style sheet without its remarks and blanks; no text in it holds any of these signs."""
    style = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
    return re.sub(r" ?([{};>]) ?", r"\1", style).replace(": ", ":").replace(", ", ",").strip()


def files() -> Mapping[str, tuple[bytes, str]]:
    """Return what every phone may load, and of which kind it is, by its path."""
    found = {"/symbols.svg": (sprite(), "image/svg+xml")}
    for name in ("phone.js", "seal.js"):
        script = (_STATIC / name).read_text(encoding="utf-8")
        found[f"/{name}"] = plain(script).encode(), "text/javascript"
    for name in ("phone.css", "tv.css"):
        found[f"/{name}"] = tight((_STATIC / name).read_text(encoding="utf-8")).encode(), "text/css"
    for name in ("/favicon.svg", "/favicon.ico"):
        found[name] = (_STATIC / "favicon.svg").read_bytes(), "image/svg+xml"
    return found


def given(data: bytes, kind: str) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers with a file, packed where the browser takes that."""
    packed = gzip.compress(data, mtime=0)

    async def give(request: Request) -> Response:
        taken = [one.strip().lower() for one in request.headers.get("accept-encoding", "").split(",")]
        if "gzip" in taken:
            return Response(packed, media_type=kind, headers={**_KEPT, "content-encoding": "gzip"})
        return Response(data, media_type=kind, headers=_KEPT)

    return give
