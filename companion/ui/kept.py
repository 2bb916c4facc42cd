"""Pages that stay where they are while their screen shows the next change."""

from __future__ import annotations

from typing import Any

from companion.ui.widgets import Pages

__all__ = ["kept_pages"]


def kept_pages(kept: dict[str, int], key: str, **kwargs: Any) -> Any:
    """Return new `Pages` at the page where the last ones of this key stood; `kept` is the screen's own memory."""
    pages = Pages(**kwargs)
    pages.page = kept.get(key, 0)
    pages.bind(page=lambda _w, page: kept.__setitem__(key, int(page)))
    return pages
