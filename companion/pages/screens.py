"""The screens of the shell that every game has, as pages."""

from __future__ import annotations

from collections.abc import Callable

from companion.core.text import N_
from companion.pages.box import Box
from companion.pages.desk import Subscription
from companion.pages.page import PageMaker, ScreenEntry

__all__ = ["SHARED"]


def _log() -> PageMaker:
    from companion.pages.log import log_page

    return log_page


def _charts() -> PageMaker:
    from companion.pages.charts import charts_page

    return charts_page


def _film() -> PageMaker:
    from companion.pages.film.page import film_page

    return film_page


def _photo() -> PageMaker:
    from companion.pages.film.photo import photo_page

    return photo_page


def _players() -> PageMaker:
    from companion.pages.film.players import players_page

    return players_page


def _printed() -> PageMaker:
    from companion.pages.printed import printed_page

    return printed_page


def _rulings() -> PageMaker:
    from companion.pages.rulings import rulings_page

    return rulings_page


def _more() -> PageMaker:
    from companion.pages.more import more_page

    return more_page


def _hardware() -> PageMaker:
    from companion.pages.hardware import hardware_page

    return hardware_page


def _follow_hardware(box: Box, moved: Callable[[], None]) -> tuple[Subscription, ...]:
    from companion.pages.hardware import follow

    return follow(box, moved)


def _home() -> PageMaker:
    from companion.pages.home import home_page

    return home_page


def _new_game() -> PageMaker:
    from companion.pages.new_game import new_game_page

    return new_game_page


def _settings() -> PageMaker:
    from companion.pages.settings import settings_page

    return settings_page


def _phones() -> PageMaker:
    from companion.pages.phones import phones_page

    return phones_page


def _follow_phones(box: Box, moved: Callable[[], None]) -> tuple[Subscription, ...]:
    return (box.phones.subscribe(moved),)


def _result() -> PageMaker:
    from companion.pages.result import result_page

    return result_page


def _hall() -> PageMaker:
    from companion.pages.hall import hall_page

    return hall_page


def _follow_hall(box: Box, moved: Callable[[], None]) -> tuple[Subscription, ...]:
    return (box.hall.subscribe(moved),)


SHARED: tuple[ScreenEntry, ...] = (
    ScreenEntry(key="log", title=N_("Log"), icon="log", make=_log),
    ScreenEntry(key="charts", title=N_("Charts"), icon="chart", make=_charts),
    ScreenEntry(key="film", title=N_("Watch this evening"), icon="play", make=_film, needs_game=False),
    ScreenEntry(key="photo", title=N_("Photo"), icon="camera", make=_photo),
    ScreenEntry(key="players", title=N_("Players"), icon="trophy", make=_players, needs_game=False),
    ScreenEntry(key="printed", title=N_("Printed values"), icon="edit", make=_printed),
    ScreenEntry(key="result", title=N_("Result"), icon="check", make=_result),
    ScreenEntry(key="rulings", title=N_("Rulings"), icon="info", make=_rulings),
    ScreenEntry(
        key="hardware",
        title=N_("Hardware"),
        icon="hardware",
        make=_hardware,
        needs_game=False,
        follow=_follow_hardware,
        look=lambda box: box.cameras.look(),
    ),
    ScreenEntry(
        key="phones",
        title=N_("Phones"),
        icon="eye",
        make=_phones,
        needs_game=False,
        follow=_follow_phones,
        look=lambda box: box.phones.look(),
    ),
    ScreenEntry(
        key="hall", title=N_("Hall"), icon="trophy", make=_hall, needs_game=False, follow=_follow_hall
    ),
    ScreenEntry(key="home", title=N_("Home"), icon="home", make=_home, needs_game=False, is_bare=True),
    ScreenEntry(
        key="new_game", title=N_("New game"), icon="plus", make=_new_game, needs_game=False, is_bare=True
    ),
    ScreenEntry(key="settings", title=N_("Settings"), icon="settings", make=_settings, needs_game=False),
    ScreenEntry(key="more", title=N_("More"), icon="more", make=_more, rail=99),
)
"""In the order of the menu."""
