"""Standings, each figure with its sum, and the players, in the director's window."""

from __future__ import annotations

from companion.core.text import Say, Typed, several
from companion.director.look import Director, Look, chosen, filled, to, words_in
from companion.hall.desk.web.view import figure_of, whole_rounds
from companion.hall.record import Tournament
from companion.hall.standings import TIE_BREAK_NAMES, Row, points_text, standings
from companion.pages.page import Acts, Block, Button, Field, Head, Item, Rows, Words

__all__ = ["player_blocks", "player_main", "score_blocks", "sum_blocks"]


def _rows(now: Tournament) -> tuple[Row, ...]:
    return standings(now, None if now.cut_after else whole_rounds(now))


def score_blocks(look: Look, acts: Acts) -> tuple[Block, ...]:
    """Return the standings; a tap on a player opens the sum behind each of his figures."""
    now, rows = look.view.now, []
    for row in _rows(now):
        figures: list[Words] = [
            several((TIE_BREAK_NAMES[name], Typed(figure_of(now, name, value))), "sentences")
            for name, value in zip(now.rules.tie_breaks, row.figures, strict=True)
            if name != "lot"
        ]
        rows.append(
            Item(
                str(row.player.id),
                Typed(f"{row.rank}. {row.player.name}"),
                several(figures, "dots") if figures else None,
                Typed(points_text(row.units, now.rules.score.unit)),
                state="lost" if row.is_withdrawn else "plain",
                act=acts.put(f"player.{row.player.id}", to(player=row.player.id)),
                may_shorten=True,
            )
        )
    upto = whole_rounds(now)
    title = Say("Standings after round {n}", n=upto) if upto else Say("Players")
    hint = Say("Lots are drawn from the seed {seed}.", seed=Typed(now.seed))
    notes = tuple(Item(f"note.{n}", note) for n, note in enumerate(now.notes))
    blocks: list[Block] = [Head("score", title, hint), Rows("score", tuple(rows))]
    if notes:
        blocks.append(Rows("notes", notes, is_dense=True))
    return tuple(blocks)


def sum_blocks(look: Look, player: int) -> tuple[Block, ...]:
    """Return the sum behind each of a player's figures. LookupError where he is none."""
    now = look.view.now
    row = next((one for one in _rows(now) if one.player.id == player), None)
    if row is None:
        raise LookupError(player)
    points = Item(
        "points", Say("Points"), words_in(row.sums[0]), Typed(points_text(row.units, now.rules.score.unit))
    )
    rows = [
        Item(name, TIE_BREAK_NAMES[name], words_in(text), Typed(figure_of(now, name, value)))
        for name, value, text in zip(now.rules.tie_breaks, row.figures, row.sums[1:], strict=True)
    ]
    club = Typed(row.player.club) if row.player.club else None
    head = Head("player", Typed(f"{row.rank}. {row.player.name}"), club)
    return (head, Rows("sums", (points, *rows)))


def player_blocks(look: Look, director: Director, acts: Acts) -> tuple[Block, ...]:
    """Return who plays; a tap withdraws a player or brings him back."""
    now, rows = look.view.now, []
    for one in now.players.values():
        is_out = one.id in now.withdrawn
        name = Typed(one.name)
        sure = (
            Say("Bring {player} back?", player=name)
            if is_out
            else Say("Withdraw {player} from the next rounds?", player=name)
        )
        fixed = {"act": "return" if is_out else "withdraw", "player": str(one.id)}
        rows.append(
            Item(
                str(one.id),
                Typed(f"{one.id} · {one.name}"),
                Typed(one.club) if one.club else None,
                Say("withdrawn") if is_out else None,
                state="lost" if is_out else "plain",
                act=acts.put(f"player.{one.id}", chosen(director, sure, fixed)),
            )
        )
    return (Rows("players", tuple(rows), empty=Say("No players yet."), is_wide=False),)


def player_main(director: Director, acts: Acts) -> Button:
    """Return the way to enter a player."""
    fields = (
        Field("name", Say("Name"), "text", most=60),
        Field("club", Say("Club"), "text", most=60, may_be_empty=True),
    )
    act = filled(director, "enter", Say("Enter a player"), fields, {"act": "enter"})
    return Button(Say("Enter a player"), acts.put("enter", act), "plus")
