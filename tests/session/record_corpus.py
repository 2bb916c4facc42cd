"""Add a game file of today's form to the corpus of old journals, with the state that it folds to.

Run by hand when the stored form changes, never to make a test pass: ``python tests/session/record_corpus.py NAME``.
Files that are there stay as they are; every later version must open them.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from companion.adapters.catalogue import GameCatalogue
from companion.cli import version
from companion.core import commands as cm
from companion.core.change import Envelope
from companion.core.ids import ARBITER, TABLE
from companion.places import DEMO
from companion.session.game_session import GameSession
from companion.session.journal import log_path
from companion.session.portable import read_portable
from companion.session.replay import FileHost, Player, report
from companion.session.timesource import ManualTime

CORPUS = Path(__file__).parent.parent / "golden" / "journals"


def state_of(session: GameSession) -> dict[str, object]:
    """Return what must stay true of an old game: where it stands and what its clocks say."""
    final = report(session, [])
    keys = ("game", "scenario", "position", "clocks", "flags", "flag_prompt", "ending", "is_paused", "log")
    return {key: final[key] for key in keys}


def record_demo(folder: Path) -> GameSession:
    """The whole Italy tournament game."""
    time, catalogue = ManualTime(), GameCatalogue()
    host = FileHost(folder, catalogue.rules_of, time, version())
    list(Player(read_portable(DEMO), host, time, catalogue.rules_of, catalogue.make_setup).play())
    return host.session()


def record_cut(folder: Path, game: str, scenario: str) -> GameSession:
    """The first steps of a game without tournament time, with notes, undo and redo."""
    time, catalogue = ManualTime(10_000), GameCatalogue()
    setup = catalogue.make_setup(game, scenario, {})
    session = GameSession.create(
        folder / "cut.tcgame", setup, catalogue.rules_of, time, app_version=version()
    )
    for number in range(12):
        time.advance(20_000)
        state, now = session.change.state, time.now_ms()
        command: cm.Command = cm.EndAct(state.step.id, now, confirmed=True)
        if number == 4:
            command = cm.AddNote("The Axis flank – «держись»")
        elif number == 7:
            command = cm.Undo(now)
        elif number == 8:
            command = cm.Redo(now)
        session.ask(Envelope(command, ARBITER if number == 4 else TABLE)).result(60)
    return session


def main(argv: list[str]) -> int:
    """Record."""
    name = argv[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = {f"{name}-italy": record_demo(folder)}
        for game, scenario in (("sfw96", "tobruk41"), ("sfw96", "apr43")):
            place = folder / scenario
            place.mkdir()
            made[f"{name}-{scenario}-cut"] = record_cut(place, game, scenario)
        CORPUS.mkdir(parents=True, exist_ok=True)
        for stem, session in made.items():
            state = state_of(session)
            if stem.endswith("cut"):
                session.cut_power()
            else:
                session.close()
            for source, suffix in ((session.path, ".tcgame"), (log_path(session.path), ".tcgame-wal")):
                if source.exists():
                    target = CORPUS / f"{stem}{suffix}"
                    if target.exists():
                        raise FileExistsError(f"{target} stays as it is; choose another name")
                    shutil.copy2(source, target)
            text = json.dumps(state, indent=2, ensure_ascii=False) + "\n"
            (CORPUS / f"{stem}.json").write_text(text, encoding="utf-8")
            print(stem)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
