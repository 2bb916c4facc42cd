"""A battle being fought on the Battle screen: roll list and dice pad, casualties, combined fire, retreat."""

from __future__ import annotations

from functools import partial
from typing import Any

from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.games.sfw.pages.battle import BattleView
from companion.games.sfw.pages.battle_fight import RollLine
from companion.games.sfw.pages.spaces import known_spaces
from companion.games.sfw.rules.battle import DEFENDING
from companion.pages.dice import dice_text
from companion.pages.i18n import _, ngettext
from companion.ui.screens.battle_dialogs import ask_space
from companion.ui.theme import theme
from companion.ui.widgets import DicePad, Pages, Plate, Text
from companion.ui.widgets.marks import _NOBODY

__all__ = ["LossLine", "RollRow", "show_combining", "show_losses", "show_pass", "show_retreat", "show_rolls"]


class RollRow(Plate):
    """One line of the roll list."""

    is_current = BooleanProperty(False)


class LossLine(BoxLayout):
    """A kind of unit with the count that is lost or leaves."""

    mark = ObjectProperty(_NOBODY, rebind=True)
    text = StringProperty("")
    count_text = StringProperty("0")

    __events__ = ("on_count",)

    def on_count(self, amount: int) -> None:
        """Announce a tap on minus or plus."""


def show_rolls(screen: Any, _change: Change, view: BattleView, body: Any) -> None:
    """Show the roll list and the dice pad."""
    split = BoxLayout(
        orientation="vertical" if theme.is_portrait else "horizontal",
        spacing=theme.px(8),
    )
    pages = Pages(row_px=theme.px(58))
    pages.make = partial(_roll_row, screen)
    pages.items = list(view.lines)
    split.add_widget(pages)
    right = BoxLayout(orientation="vertical", spacing=theme.px(6))
    current = screen.current(view)
    if current is not None:
        left = current.dice - len(screen.typed)
        asked = dice_text(left, current.colour_name)
        right.add_widget(
            Text(
                text=f"{asked}   {' '.join(map(str, screen.typed))}",
                role="strong",
                size_hint_y=None,
                height=theme.font_px("strong") * 1.6,
            )
        )
        pad = DicePad(faces=12)
        pad.cols = 4
        pad.bind(on_face=lambda _w, value: screen.face(value))
        right.add_widget(pad)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        foot.add_widget(_wide(_("Erase"), screen.erase, is_enabled=bool(screen.typed)))
        foot.add_widget(_wide(_("Roll for us"), screen.roll))
        right.add_widget(foot)
    split.add_widget(right)
    body.add_widget(split)
    screen.main_text = _("Read the dice")


def _wide(text: str, act: Any, *, is_enabled: bool = True) -> Any:
    plate = Plate(text=text, kind="soft", acts_on="release", role="body", is_enabled=is_enabled)
    plate.bind(on_act=lambda _w, _t: act())
    return plate


def _roll_row(screen: Any, line: RollLine) -> Any:
    what = _("{dice} at {number} or more").format(
        dice=dice_text(line.dice, line.colour_name), number=line.number
    )
    done = ngettext("rolled {values}: {hits} hit", "rolled {values}: {hits} hits", line.hits).format(
        values=" ".join(map(str, line.values)), hits=line.hits
    )
    extra = f", {line.abilities}" if line.abilities else ""
    row = RollRow(
        text=f"{line.mark.name}: {line.units}",
        sub=done if not line.dice else f"{what}, {line.targets}{extra}",
        is_current=line.index == screen.line and bool(line.dice),
        acts_on="release",
    )
    row.bind(on_act=lambda _w, _t: screen.pick(line))
    return row


def show_losses(screen: Any, _change: Change, view: BattleView, body: Any) -> None:
    """Show the casualties that each side chooses, the cheapest proposed."""
    for choice in view.losses:
        who = (
            _("{side}: choose the losses for {hits}")
            if not choice.by_shooter
            else _("{side}: the shooters choose the losses for {hits}")
        )
        text = who.format(side=choice.mark.name, hits=choice.hits)
        body.add_widget(
            Text(text=text, role="strong", size_hint_y=None, height=theme.font_px("strong") * 1.5)
        )
        pages = Pages(row_px=theme.px(54))
        pages.make = lambda row, side=choice.side: _loss_row(screen, side, row)
        pages.items = list(choice.rows)
        for row in choice.rows:
            screen.chosen.setdefault((choice.side, row.kind), row.proposed)
        body.add_widget(pages)
    screen.main_text = _("Take the losses")


def _loss_row(screen: Any, side: str, row: Any) -> Any:
    key = (side, row.kind)
    line = LossLine(mark=row.mark, text=row.name)

    def show() -> None:
        line.count_text = f"{screen.chosen.get(key, 0)} / {row.count}"

    def step(_w: Any, amount: int) -> None:
        screen.chosen[key] = min(row.count, max(0, screen.chosen.get(key, 0) + amount))
        show()
        if screen.vm is not None and screen.vm.phase == "retreat":
            _name_retreat(screen)

    line.bind(on_count=step)
    show()
    return line


def show_combining(screen: Any, _change: Change, view: BattleView, body: Any) -> None:
    """Show to what the hits of combined fire may add up."""
    combine = view.combine
    if combine is None:
        return
    pages = Pages(row_px=theme.px(58))

    def make(option: Any) -> Any:
        plate = Plate(text=option[0], kind="row", align="left", acts_on="release")
        plate.bind(on_act=lambda _w, _t: screen.send(option[1]))
        return plate

    pages.make = make
    pages.items = list(combine.options)
    body.add_widget(Text(text=_("What do the hits combine to?"), size_hint_y=None, height=theme.px(30)))
    body.add_widget(pages)
    screen.main_text = combine.options[0][0] if combine.options else ""


def show_retreat(screen: Any, change: Change, view: BattleView, body: Any) -> None:
    """Show who may retreat, and ask where to."""
    retreat = view.retreat
    if retreat is None:
        return
    pages = Pages(row_px=theme.px(54))
    pages.make = lambda row: _loss_row(screen, DEFENDING, row)
    pages.items = list(retreat.rows)
    text = _("{side} may retreat to one space next to it").format(side=retreat.mark.name)
    body.add_widget(Text(text=text, role="strong", size_hint_y=None, height=theme.font_px("strong") * 1.5))
    body.add_widget(pages)

    def named(space: str) -> None:
        screen.retreat_to = space.strip()
        screen.refresh(screen.root.desk.change)

    title = _("They retreat to: {space}").format(space=screen.retreat_to or _("not said"))
    place = Plate(
        text=title, kind="quiet", acts_on="release", role="body", size_hint_y=None, height=theme.target_px
    )
    others = [space for space in known_spaces(change.state) if space != retreat.space]
    place.bind(on_act=lambda _w, _t: ask_space(screen, _("Retreat to which space?"), others, named))
    body.add_widget(place)
    _name_retreat(screen)


def _name_retreat(screen: Any) -> None:
    screen.main_text = _("Retreat") if any(screen.chosen.values()) else _("Stand fast")


def show_pass(screen: Any, _change: Change, _view: BattleView, body: Any) -> None:
    """Show a step on which nobody rolls."""
    body.add_widget(Text(text=_("Nobody rolls on this battle step."), role="heading", align="center"))
    screen.main_text = _("Go on")
