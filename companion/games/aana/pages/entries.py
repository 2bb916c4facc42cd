"""How North Africa asks for a value that decides something: a marker, what stands in a space, supply, Malta, Vichy ground."""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.ids import Nation, SiteId
from companion.core.judgement import Need
from companion.core.state import GameState
from companion.core.text import Say, area, nation, unit
from companion.games.aana.pages.tell import pieces_say
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules.conditions import CONTENT, MARKER, SUPPLY
from companion.games.aana.rules.figures import SIDE_OF, enemy_of
from companion.games.aana.rules.ledger_messages import CorrectSupply, CountSpace
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.reinforce_messages import MALTA, PayMalta, SkipMalta
from companion.games.aana.rules.vichy import VICHY_GROUND, TakeVichyGround, vichy_need
from companion.games.aana.rules.victory import SetControl
from companion.pages import page as pg
from companion.pages.parts import nation_mark

__all__ = ["ask_content", "ask_malta", "ask_marker", "ask_vichy", "entry"]

_DONE = "done"


def entry(state: GameState, need: Need) -> pg.Ask | None:
    """Return the question for a value of this game; None for printed values, which are plain numbers."""
    match need.kind:
        case kind if kind == MARKER:
            return ask_marker(state, SiteId(need.id))
        case kind if kind == CONTENT:
            return ask_content(state, SiteId(need.id))
        case kind if kind == SUPPLY:
            field = pg.Field("n", need.question, "number", most=2)
            form = pg.Form("supply", need.question, (field,))
            return pg.Ask(
                form, lambda answers: pg.Send(CorrectSupply(SiteId(need.id), int(answers["n"] or 0)))
            )
        case kind if kind == MALTA:
            return ask_malta(state)
        case kind if kind == VICHY_GROUND:
            return ask_vichy(state, SiteId(need.id))
    return None


def ask_marker(state: GameState, space: SiteId) -> pg.Ask:
    """Ask whose control marker a territory bears; nobody's is an answer too."""
    setup = state.frozen_setup
    powers = [info.id for info in setup.nations if info.id != "free_french"]
    options = (
        *(pg.Item(power, nation(power), mark=nation_mark(setup, power)) for power in powers),
        pg.Item("", Say("Nobody")),
    )

    def chosen(power: str) -> pg.Send:
        return pg.Send(lambda at_ms: SetControl(SiteId(space), Nation(power) if power else None, at_ms))

    question = Say("Whose control marker is on {space}?", space=area(space))
    return pg.asked("marker", question, options, chosen, is_wide=False)


def ask_content(state: GameState, space: SiteId) -> pg.Ask:
    """Ask what stands in a space, piece by piece, those of the enemy first; one tap says that nobody does."""
    return _ask_pieces(state, space, lg.held_units(lg.ledger_of(state), space))


def _ask_pieces(state: GameState, space: SiteId, held: Mapping[Piece, int]) -> pg.Ask:
    setup, foe = state.frozen_setup, enemy_of(lg.acting_side(state))
    there = pieces_say(held)
    powers = sorted((info.id for info in setup.nations), key=lambda power: SIDE_OF[power] != foe)
    options = (
        pg.Item(_DONE, Say("Nobody else") if there is not None else Say("Nobody")),
        *(pg.Item(power, nation(power), mark=nation_mark(setup, power)) for power in powers),
    )

    def chosen(power: str) -> pg.Act:
        if power == _DONE:
            return pg.Send(CountSpace(space, {piece: n for piece, n in held.items() if n}))
        return _ask_kind(state, space, Nation(power), held)

    question = Say("Which pieces stand in {space}?", space=area(space))
    return pg.asked("content", question, options, chosen, sub=there, is_wide=False)


def _ask_kind(state: GameState, space: SiteId, power: Nation, held: Mapping[Piece, int]) -> pg.Ask:
    book, kind = lg.figures(state), lg.board(state).type_of(space)
    fitting = [
        row
        for row in book.rows()
        if book.has(power, row.unit)
        and book.row(power, row.unit) is row
        and not (kind == "sea" and row.type in ("land", "truck"))
        and not (kind == "land" and row.is_sea)
    ]
    options = tuple(pg.Item(row.unit, unit(row.unit)) for row in fitting)

    def counted(kind_: str) -> pg.Ask:
        piece = piece_key(power, kind_)
        title = Say("{power}: {unit}", power=nation(power), unit=unit(kind_))
        field = pg.Field("n", title, "count", least=0, most=99, value=str(held.get(piece, 0) or 1))
        return pg.Ask(
            pg.Form("how_many", title, (field,)),
            lambda answers: _ask_pieces(state, space, {**held, piece: int(answers["n"] or 0)}),
        )

    return pg.asked("kind", nation(power), options, counted, is_wide=False)


def ask_malta(state: GameState) -> pg.Ask:
    """Ask whether Malta's token is paid for its points; not paying is allowed."""
    step = state.step.id
    options = (
        pg.Item("pay", Say("Pay 1 supply from Malta for its 15 points")),
        pg.Item("skip", Say("Do not pay: no points from Malta this turn")),
    )
    question = Say("Does Malta pay its supply token?")
    return pg.asked(
        "malta", question, options, lambda key: pg.Send(PayMalta(step) if key == "pay" else SkipMalta(step))
    )


def ask_vichy(state: GameState, space: SiteId) -> pg.Ask:
    """Ask whether a territory that held Vichy French units alone is taken."""
    step, question = state.step.id, vichy_need(space).question
    options = (pg.Item("take", Say("They take control")), pg.Item("leave", Say("It stays with Vichy France")))
    return pg.asked(
        "vichy",
        question,
        options,
        lambda key: pg.Send(lambda at_ms: TakeVichyGround(step, space, key == "take", at_ms)),
    )
