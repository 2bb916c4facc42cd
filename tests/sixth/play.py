"""Play the sixth game through the real screens over the real shell: ``play.py FOLDER``."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path

os.environ.update(KIVY_NO_ARGS="1", KIVY_NO_CONFIG="1", KIVY_NO_FILELOG="1", SDL_VIDEODRIVER="offscreen")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from companion import games  # noqa: E402

games.__path__.append(str(HERE / "games"))

from companion.games.nim.rules import Guess  # noqa: E402

from companion.adapters.catalogue import GameCatalogue  # noqa: E402
from companion.adapters.shell import ShellDesk  # noqa: E402
from companion.core.ids import Side  # noqa: E402
from companion.games.registry import games_by_key  # noqa: E402
from companion.pages.labels import entry_label  # noqa: E402
from companion.pages.report import report_html  # noqa: E402
from companion.session.timesource import ManualTime  # noqa: E402
from companion.testing import harness  # noqa: E402


def _says(desk: ShellDesk, text: str) -> bool:
    """Say whether a text stands in the log, in the report or in anything that they are made of."""
    change, entries = desk.change, desk.entries()
    html = report_html(change, entries, desk.counts, 0)
    found = {
        text in html,
        text in str(change) + str(entries),
        *(text in entry_label(one, change.state) for one in entries),
    }
    return True in found


def main() -> None:
    """Start from New game's list, take matches by taps, refuse one too many, undo, win, and open the file again."""
    folder = Path(sys.argv[1])
    assert list(games_by_key())[-1] == "nim"
    catalogue = GameCatalogue(folder / "data")
    assert "nim" in {info.game for info in catalogue.scenarios()}
    posts: deque[Callable[[], None]] = deque()
    desk = ShellDesk(folder, catalogue, post=posts.append, time=ManualTime(1_000_000), app_version="test")

    def pump() -> None:
        for _n in range(3):  # what is answered may send again
            if desk._session is not None:
                desk._session.sync()
            while posts:
                posts.popleft()()
        laid.settle()

    laid = harness.lay(desk, screen="home")
    laid.root.start_game(catalogue.make_setup("nim", "seven", {}))
    pump()
    laid.root.go("nim_pile")
    pump()
    assert laid.has("7 matches left"), [getattr(w, "text", "") for w in laid.walk()]
    desk.send(Guess(Side("left"), "nobody, ever"))
    pump()
    assert not _says(desk, "nobody, ever"), "a guess is nobody's business"
    assert "nobody, ever" in str(desk.seen(frozenset({"left"})))
    assert "nobody, ever" not in str(desk.seen(frozenset({"right"})))
    for take, left in ((3, "4 matches left"), (3, "1 match left"), (1, "0 matches left")):
        laid.root.go("nim_pile")
        pump()
        laid.tap(laid.find(text=f"Take {take}"))
        pump()
        assert laid.has(left)
        laid.tap(laid.find(text="Taken"))
        pump()
    state = desk.change.state
    assert state.ending is not None
    assert _says(desk, "nobody, ever"), "until the game is over"
    assert state.ending.winner == "left"
    (saved,) = desk.saved_games()
    desk.close()
    desk.open(saved.path)
    pump()
    assert desk.change.state.ending == state.ending
    assert desk.change.state.game == state.game
    desk.close()
    print("played")


if __name__ == "__main__":
    main()
