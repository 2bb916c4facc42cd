"""The vault: who can open what, wrong tries, damaged notes, and that no file ever shows a PIN or a plain text."""

from __future__ import annotations

import copy
import json
import logging
import pickle
import traceback
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.change import Envelope
from companion.core.codec import Codec
from companion.core.commands import EndAct
from companion.core.ids import Nation
from companion.core.ledger import SealedEnvelope, is_commitment_kept
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.seals import Content, RecordOpening, RevealSecret, SealSecret, content_text
from companion.session.crash import CrashFolder
from companion.session.game_session import GameSession
from companion.session.portable import portable_bytes
from companion.session.scenario_loader import load_game, make_setup
from companion.session.seals import (
    Opened,
    PlainSecret,
    SealedByOtherDeviceError,
    SealError,
    TooSoonError,
    Vault,
    WrongPinError,
)
from companion.session.timesource import ManualTime

LABEL, TRIES = "sfw96|us|fleet", "game-1|us.fleet.1"
PIN, ARBITER, TEXT = PlainSecret("482915"), PlainSecret("77310264"), PlainSecret("Quarterdeck-J4-xyzzy")


@pytest.fixture
def time() -> ManualTime:
    return ManualTime(1_000)


@pytest.fixture
def vault(tmp_path: Path, time: ManualTime) -> Vault:
    return Vault(tmp_path / "keys", time, kdf_n=1 << 10)


def open_as(
    vault: Vault, envelope: SealedEnvelope, holder: str, pin: PlainSecret, label: str = LABEL
) -> Opened:
    return vault.open(envelope, label, holder, pin, tries_of=TRIES)


def test_its_side_and_the_arbiter_open_a_note(vault: Vault) -> None:
    envelope, recovery = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN, arbiter_pin=ARBITER)
    assert recovery is None
    for holder, pin in (("allies", PIN), ("arbiter", ARBITER)):
        opened = open_as(vault, envelope, holder, pin)
        assert opened.plain_text.get() == TEXT.get()
        assert is_commitment_kept(envelope, opened.opening, TEXT.get())


def test_without_an_arbiter_a_recovery_code_opens_it_even_on_another_box(
    vault: Vault, tmp_path: Path, time: ManualTime
) -> None:
    envelope, recovery = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    assert recovery is not None
    assert len(recovery.get().replace("-", "")) == 24
    other = Vault(tmp_path / "other", time, kdf_n=1 << 10)
    spoken = PlainSecret(recovery.get().lower().replace("-", " "))
    assert open_as(other, envelope, "recovery", spoken).plain_text.get() == TEXT.get()
    with pytest.raises(SealedByOtherDeviceError, match="sealed on another box; open it there"):
        open_as(other, envelope, "allies", PIN)


def test_the_right_pin_with_another_device_key_opens_nothing(
    vault: Vault, tmp_path: Path, time: ManualTime
) -> None:
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    other = Vault(tmp_path / "other", time, kdf_n=1 << 10)
    other.seal(TEXT, LABEL, side="axis", side_pin=PIN)
    with pytest.raises(WrongPinError, match="wrong PIN or code; try again"):
        open_as(other, envelope, "allies", PIN)


def test_wrong_tries_slow_down_and_a_restart_forgives_nothing(
    vault: Vault, tmp_path: Path, time: ManualTime
) -> None:
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    for _ in range(3):
        with pytest.raises(WrongPinError):
            open_as(vault, envelope, "allies", PlainSecret("000000"))
    with pytest.raises(TooSoonError, match="try again in 5 s"):
        open_as(vault, envelope, "allies", PIN)
    time.advance(5_000)
    with pytest.raises(WrongPinError):
        open_as(vault, envelope, "allies", PlainSecret("000000"))
    assert vault.wait_ms(TRIES) == 10_000
    time.reboot("boot-2", 50)
    again = Vault(tmp_path / "keys", time, kdf_n=1 << 10)
    with pytest.raises(TooSoonError):
        open_as(again, envelope, "allies", PIN)
    time.advance(10_000)
    assert open_as(again, envelope, "allies", PIN).plain_text.get() == TEXT.get()
    assert again.wait_ms(TRIES) == 0


def test_a_note_opens_under_its_own_label_and_holder_only(vault: Vault) -> None:
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    with pytest.raises(WrongPinError):
        open_as(vault, envelope, "allies", PIN, "sfw96|gb|fleet")
    with pytest.raises(SealError, match="no key for axis"):
        open_as(vault, envelope, "axis", PIN)


@pytest.mark.parametrize("part", ["text", "nonce", "kdf", "wrapped"])
def test_a_damaged_note_says_so(vault: Vault, part: str) -> None:
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    match part:
        case "text":
            envelope = replace(envelope, text="AAAA" + envelope.text[4:])
        case "nonce":
            envelope = replace(envelope, nonce="%%")
        case "kdf":
            envelope = replace(envelope, kdf={"n": 1 << 30, "r": 8, "p": 1})
        case _:
            keys = (replace(envelope.keys[0], salt="%"),)
            envelope = replace(envelope, keys=keys)
    with pytest.raises(SealError, match="this note is damaged"):
        open_as(vault, envelope, "allies", PIN)


def test_a_short_pin_is_refused(vault: Vault) -> None:
    with pytest.raises(SealError, match="at least 4 characters"):
        vault.seal(TEXT, LABEL, side="allies", side_pin=PlainSecret("123"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=900))
def test_every_text_reads_back_and_its_length_is_hidden(vault: Vault, text: str) -> None:
    envelope, _ = vault.seal(PlainSecret(text), LABEL, side="allies", side_pin=PIN)
    assert open_as(vault, envelope, "allies", PIN).plain_text.get() == text
    assert (len(envelope.text) * 3 // 4 - 16) // 512 >= 1
    short, _ = vault.seal(PlainSecret("E5"), LABEL, side="allies", side_pin=PIN)
    longer, _ = vault.seal(
        PlainSecret("E5, ten destroyers and two carriers"), LABEL, side="allies", side_pin=PIN
    )
    assert len(short.text) == len(longer.text)


def test_two_seals_of_one_text_have_nothing_in_common(vault: Vault) -> None:
    one, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    two, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    assert one.commitment != two.commitment
    assert one.text != two.text
    assert one.keys[0].wrapped != two.keys[0].wrapped


def test_the_device_key_is_the_users_alone(vault: Vault, tmp_path: Path) -> None:
    vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    key = tmp_path / "keys" / "device.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_bytes()) == 32


def test_a_secret_prints_as_stars_and_is_not_copied() -> None:
    assert f"{PIN} {PIN!r}" == "PlainSecret(***) PlainSecret(***)"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not copied or stored"):
            leak(PIN)


def test_no_file_of_a_game_shows_pin_or_plain_text_until_it_is_revealed(
    tmp_path: Path, time: ManualTime, vault: Vault, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    plain = content_text(Content("Quarterdeck-J4-xyzzy", {"battleship": 3}, "plughshore"))
    needles = [b"Quarterdeck-J4-xyzzy", b"plughshore", PIN.get().encode(), ARBITER.get().encode()]
    family, rules = SfwFamily(), sfw96_rules()
    setup = make_setup(family, load_game(family), "apr43", {})
    folder = tmp_path / "games"
    folder.mkdir()
    crashes = CrashFolder(tmp_path / "crashes", "1")
    session = GameSession.create(folder / "war.tcgame", setup, lambda _game: rules, time, app_version="1")

    def send(command: object) -> None:
        change = session.ask(Envelope(command)).result(30)  # type: ignore[arg-type]
        assert change.rejected is None, change.rejected

    try:
        sealed = vault.seal(PlainSecret(plain), LABEL, side="allies", side_pin=PIN, arbiter_pin=ARBITER)
        send(SealSecret(Nation("us"), "fleet", "US fleet", sealed.envelope))
        with pytest.raises(WrongPinError) as wrong:
            open_as(vault, sealed.envelope, "allies", PlainSecret("0000"))
        crashes.write(wrong.value, "opening a seal")
        send(RecordOpening("us.fleet.1", "side", False))
        opened = open_as(vault, sealed.envelope, "arbiter", ARBITER)
        send(RecordOpening("us.fleet.1", "arbiter", True))
        send(EndAct(session.change.state.step.id, time.now_ms()))
        send(EndAct(session.change.state.step.id, time.now_ms()))
        codec = Codec(rules)
        export = tmp_path / "export.tcexport"
        export.write_bytes(portable_bytes(session.entries(), codec, "1"))
        shown = [
            repr(session.change),
            repr(opened),
            "".join(traceback.format_exception(wrong.value)),
            caplog.text,
        ]
        for needle in needles:
            for file in (path for path in tmp_path.rglob("*") if path.is_file()):
                assert needle not in file.read_bytes(), f"{needle!r} stands in {file.name}"
            for text in shown:
                assert needle.decode() not in text
        send(RevealSecret("us.fleet.1", opened.plain_text.get(), opened.opening))
        assert needles[0] in portable_bytes(session.entries(), codec, "1")  # the grep would have found it
        assert needles[2] not in portable_bytes(session.entries(), codec, "1")
    finally:
        session.close()
    tries = json.loads((tmp_path / "keys" / "seal-tries.json").read_text())
    assert tries == {}
