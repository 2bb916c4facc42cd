"""Where games lie and which recordings come with the app: what ``companion run`` needs of it before there is a picture."""

from __future__ import annotations

from pathlib import Path

__all__ = ["BATTLE_DEMO", "DEMO", "HOME_HELP", "default_data_folder"]

DEMO = Path(__file__).parent / "session" / "demo" / "italy.jsonl"
"""The recording of a whole Italy tournament game that comes with the app."""
BATTLE_DEMO = DEMO.with_name("april.jsonl")
"""What the pictures of the demo show after it: a battle, a change of hands, a resupply."""
HOME_HELP = "the data folder: games, settings, printed values, reports, photos (default: %(default)s)"


def default_data_folder() -> Path:
    """Return where this user's games, settings and printed values lie."""
    import platformdirs

    return Path(platformdirs.user_data_dir("table-companion", appauthor=False))
