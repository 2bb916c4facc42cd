"""Every game says what it hides, from whom and what opens it, in terms of its own commands and events."""

from __future__ import annotations

import pytest

from companion.core.commands import CORE_COMMANDS
from companion.core.events import CORE_EVENTS
from companion.core.secrecy import Secret
from companion.games.registry import games_by_key
from companion.pages.modules import GameModule, modules, secrets_of

GAME_KEYS = tuple(games_by_key())
ALL = [(game, secret) for game in GAME_KEYS for secret in secrets_of(game).held]


@pytest.mark.parametrize("game", GAME_KEYS)
def test_a_game_names_its_secrets_or_says_why_it_has_none(game: str) -> None:
    secrets = secrets_of(game)
    assert bool(secrets.held) != bool(secrets.none_because)
    keys = [secret.key for secret in secrets.held]
    assert len(set(keys)) == len(keys)
    rules = modules()[game].rules()
    holding = {kind for secret in secrets.held for kind in secret.held_in}
    if secrets.none_because:
        assert not holding
    assert not any(kind.__name__ in ("SealSecret", "SecretSealed") for kind in rules.commands) or holding


@pytest.mark.parametrize(("game", "secret"), ALL, ids=[f"{game}.{one.key}" for game, one in ALL])
def test_a_secret_is_held_and_opened_by_what_the_game_has(game: str, secret: Secret) -> None:
    rules = modules()[game].rules()
    events = {*rules.events, *CORE_EVENTS}
    assert set(secret.held_in) <= {*rules.commands, *CORE_COMMANDS, *events}
    assert set(secret.opened_by) <= events
    assert secret.text.endswith(".")
    if secret.kept == "outside":
        assert not secret.held_in
        assert not secret.opened_by
    else:
        assert secret.held_in
        assert secret.opened_by
    assert (secret.cover is not None) == (secret.kept == "covered")


def test_a_game_that_says_nothing_of_its_secrets_is_no_game() -> None:
    whole = modules()["tsu"]
    parts = {name: getattr(whole, name) for name in whole.__struct_fields__ if name != "secrets"}
    GameModule(**parts, secrets=whole.secrets)
    with pytest.raises(TypeError, match="secrets"):
        GameModule(**parts)
