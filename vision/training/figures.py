"""Tables for the README from the scorer's ``--json`` files: counts, shares and 95 % intervals, by condition.

``python -m vision.training.figures NAME=SCORE.json [NAME=SCORE.json …]`` prints Markdown.
"""

from __future__ import annotations

__all__ = ["figures", "main"]

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from vision.training.evaluate import interval

_ROWS = (
    # (what, right, of)
    ("detection precision", "tp", "pred"),
    ("detection recall", "tp", "truth"),
    ("colour", "col_ok", "matched"),
    ("value, upright", "val_ok", "m_up"),
    ("wrong among confident (value)", "conf_val_wrong", "conf"),
    ("wrong among confident (value or colour)", "conf_wrong", "conf"),
    ("leaning dice not read", "cocked_flagged", "cocked_found"),
    ("whole photo right", "img_ok", "images"),
)
_CONDITIONS = (
    "surface",
    "light",
    "tilt",
    "size",
    "count",
    "touching",
    "blur",
    "noise",
    "has_distractors",
    "low_contrast_ink",
)


def _share(right: int, of: int) -> str:
    if not of:
        return "-"
    low, high = interval(right, of)
    return f"{100 * right / of:.1f} % ({right}/{of}; {100 * low:.1f} to {100 * high:.1f})"


def _asked(r: Mapping[str, int]) -> tuple[int, int]:
    """Count upright dice that were found but not read with confidence (a tap), of those found."""
    return max(
        0, r.get("m_up", 0) - (r.get("conf", 0) - r.get("conf_fp", 0) - r.get("conf_cocked", 0))
    ), r.get("m_up", 0)


def figures(totals: Mapping[str, Mapping[str, int]], tags: Mapping[str, Mapping[str, int]]) -> str:
    """Return a table of all sets and one by condition."""
    names = list(totals)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    lines.append(
        "| photos, dice | "
        + " | ".join(f"{r.get('images', 0)}, {r.get('truth', 0)}" for r in totals.values())
        + " |"
    )
    for what, right, of in _ROWS:
        lines.append(
            f"| {what} | " + " | ".join(_share(r.get(right, 0), r.get(of, 0)) for r in totals.values()) + " |"
        )
    lines.append("| asked for a tap | " + " | ".join(_share(*_asked(r)) for r in totals.values()) + " |")
    if tags:
        lines += [
            "",
            "| condition | dice | found | colour | value | wrong among confident |",
            "|---|---|---|---|---|---|",
        ]
        for condition in _CONDITIONS:
            for key, r in sorted(tags.items()):
                name, _, value = key.partition("=")
                if name == condition:
                    pairs = (
                        ("tp", "truth"),
                        ("col_ok", "matched"),
                        ("val_ok", "m_up"),
                        ("conf_val_wrong", "conf"),
                    )
                    shares = " | ".join(_share(r.get(a, 0), r.get(b, 0)) for a, b in pairs)
                    lines.append(f"| {name} {value} | {r.get('truth', 0)} | {shares} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; the conditions come from the first file."""
    totals, tags = {}, {}
    for i, item in enumerate(sys.argv[1:] if argv is None else argv):
        name, _, path = item.partition("=")
        data = json.loads(Path(path).read_text("utf-8"))
        totals[name] = data["total"]
        if i == 0:
            tags = data["tags"]
    if not totals:
        print("usage: python -m vision.training.figures NAME=SCORE.json …", file=sys.stderr)
        return 2
    print(figures(totals, tags))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
