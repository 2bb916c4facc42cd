"""The vault: who can open what, wrong tries, damaged notes, and that no file ever shows a PIN or a plain text."""

from __future__ import annotations

import contextlib
import copy
import json
import logging
import math
import os
import pickle
import traceback
from pathlib import Path

import msgspec
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
from companion.games.sfw.rules.seal_messages import Content, RecordOpening, RevealSecret, SealSecret
from companion.games.sfw.rules.seals import content_text
from companion.session.crash import CrashFolder
from companion.session.device_key import DeviceKeyError, DeviceKeyFile
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
OLD = json.loads((Path(__file__).parent / "notes_of_before.json").read_text())
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
    for holder, pin in (("allies", PIN), ("arbiter", ARBITER), ("recovery", recovery)):
        opened = open_as(vault, envelope, holder, pin)
        assert opened.plain_text.get() == TEXT.get()
        assert is_commitment_kept(envelope, opened.opening, TEXT.get())


@pytest.mark.parametrize("arbiter", [None, ARBITER], ids=["no_arbiter", "arbiter"])
def test_every_note_has_a_code_of_128_bits_that_opens_it_on_another_box(
    vault: Vault, tmp_path: Path, time: ManualTime, arbiter: PlainSecret | None
) -> None:
    envelope, recovery = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN, arbiter_pin=arbiter)
    signs = recovery.get().replace("-", "")
    assert (len(signs) - 1) * math.log2(30) >= 128, "one sign is a check"
    other = Vault(tmp_path / "other", time, kdf_n=1 << 10)
    spoken = PlainSecret(recovery.get().lower().replace("-", " "))
    assert open_as(other, envelope, "recovery", spoken).plain_text.get() == TEXT.get()
    assert not (tmp_path / "other").exists(), "opening makes no key"


def test_a_code_with_a_typing_mistake_is_told_as_that_and_counts_as_no_try(vault: Vault) -> None:
    envelope, recovery = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    code = recovery.get()
    told = 0
    for at in (at for at, sign in enumerate(code) if sign != "-"):
        slip = code[:at] + ("A" if code[at] != "A" else "B") + code[at + 1 :]
        with pytest.raises(SealError) as fault:
            vault.open(envelope, LABEL, "recovery", PlainSecret(slip), tries_of=slip)
        told += "this is not a recovery code" in str(fault.value)
    assert told >= 22, "about one slip in thirty makes a code that could be one"
    with pytest.raises(SealError, match="28 letters and digits; compare it with the paper"):
        open_as(vault, envelope, "recovery", PlainSecret(code[:-5]))


def test_a_note_of_another_device_key_is_told_as_that_and_counts_as_no_try(
    vault: Vault, tmp_path: Path, time: ManualTime
) -> None:
    """The right PIN cannot be tried on another box, with a key of its own or without one."""
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN, arbiter_pin=ARBITER)
    theirs = DeviceKeyFile(tmp_path / "keys").read().id
    other = Vault(tmp_path / "other", time, kdf_n=1 << 10)
    for _ in range(5):
        with pytest.raises(
            SealedByOtherDeviceError, match=f"sealed on another box; open it there .*{theirs}"
        ):
            open_as(other, envelope, "allies", PIN)
    other.seal(TEXT, LABEL, side="axis", side_pin=PIN)
    ours = DeviceKeyFile(tmp_path / "other").read().id
    for holder, pin in (("allies", PIN), ("arbiter", ARBITER), ("allies", PlainSecret("0000"))):
        for _ in range(5):
            with pytest.raises(SealedByOtherDeviceError, match=f"{theirs}; this box has {ours}"):
                open_as(other, envelope, holder, pin)
    assert other.wait_ms(TRIES) == 0


@pytest.mark.parametrize("what", ["a bit", "half", "empty", "nested"])
def test_a_damaged_device_key_is_told_with_its_id_and_counts_as_no_try(
    vault: Vault, tmp_path: Path, what: str
) -> None:
    envelope, recovery = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    file = tmp_path / "keys" / "device.key"
    id_, data = DeviceKeyFile(tmp_path / "keys").read().id, file.read_bytes()
    at = data.index(b'"key":"') + 10
    spoiled = {
        "a bit": data[:at] + (b"0" if data[at : at + 1] != b"0" else b"1") + data[at + 1 :],
        "half": data[: len(data) // 2], "empty": b"", "nested": b"[" * 100_000,
    }[what]  # fmt: skip
    file.write_bytes(spoiled)
    for _ in range(5):
        with pytest.raises(DeviceKeyError, match="damaged") as told:
            open_as(vault, envelope, "allies", PIN)
    assert (id_ in str(told.value)) == (what == "a bit")
    assert vault.wait_ms(TRIES) == 0
    assert file.read_bytes() == spoiled, "opening puts nothing in its place"
    assert open_as(vault, envelope, "recovery", recovery).plain_text.get() == TEXT.get()
    again, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)  # the game goes on with a new key
    assert open_as(vault, again, "allies", PIN).plain_text.get() == TEXT.get()
    assert (tmp_path / "keys" / "device.damaged.key").read_bytes() == spoiled
    with pytest.raises(SealedByOtherDeviceError, match=id_):
        open_as(vault, envelope, "allies", PIN)


def test_a_new_device_key_and_its_folder_are_on_the_disk_before_it_is_used(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that a power cut takes would take every note sealed with it."""
    synced: list[str] = []
    real = os.fsync

    def watched(handle: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        real(handle)

    monkeypatch.setattr(os, "fsync", watched)
    vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    folder = tmp_path / "keys"
    assert synced == [str(tmp_path), str(folder / ".device.key.new"), str(folder)]


def test_every_flipped_bit_of_the_device_key_is_noticed_or_harmless(vault: Vault, tmp_path: Path) -> None:
    vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    keys = DeviceKeyFile(tmp_path / "keys")
    sound, data = keys.read(), keys.path.read_bytes()
    for bit in range(len(data) * 8):
        spoiled = bytearray(data)
        spoiled[bit // 8] ^= 1 << bit % 8
        keys.path.write_bytes(spoiled)
        with contextlib.suppress(DeviceKeyError):
            assert keys.read() == sound


def test_a_device_key_of_before_keeps_its_notes_and_gets_an_id(tmp_path: Path, time: ManualTime) -> None:
    """A key was 32 bare bytes, and a note without arbiter had a code of 24 signs: both were made by that version."""
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "device.key").write_bytes(bytes.fromhex(OLD["key"]))
    vault = Vault(folder, time)
    for name in ("with_arbiter", "without_arbiter"):
        envelope = msgspec.convert(OLD[name], SealedEnvelope)
        for holder, pin in OLD["pins"].items():
            if any(key.holder == holder for key in envelope.keys):
                opened = open_as(vault, envelope, holder, PlainSecret(pin), OLD["label"])
                assert opened.plain_text.get() == OLD["text"]
                assert is_commitment_kept(envelope, opened.opening, OLD["text"])
        with pytest.raises(WrongPinError):
            open_as(vault, envelope, "allies", PlainSecret("0000"), OLD["label"])
    assert DeviceKeyFile(folder).path.read_bytes().startswith(b'{"id"')


@pytest.mark.parametrize(
    "change",
    [{}, {"mac": ""}, {"device": ""}, {"mac": "", "device": ""}, {"mac": "", "device": "", "lock": ""}],
)
def test_a_note_that_was_made_to_look_like_one_of_before_is_told_and_counts_no_try(
    vault: Vault, change: dict[str, str]
) -> None:
    envelope, code = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    changed = replace(envelope, cipher="aes256gcm-scrypt-1", **change)
    for _ in range(5):
        for holder, secret in (("allies", PIN), ("recovery", code)):
            with pytest.raises(SealError, match="damaged or was changed"):
                open_as(vault, changed, holder, secret)
    assert open_as(vault, envelope, "allies", PIN).plain_text.get() == TEXT.get()


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


@pytest.mark.parametrize("part", ["text", "nonce", "kdf", "wrapped", "commitment", "lock", "bound", "needs"])
def test_a_damaged_note_says_so_and_counts_as_no_try(vault: Vault, part: str) -> None:
    envelope, _ = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    match part:
        case "text":
            envelope = replace(envelope, text="AAAA" + envelope.text[4:])
        case "nonce":
            envelope = replace(envelope, nonce="%%")
        case "kdf":
            envelope = replace(envelope, kdf={"n": 1 << 30, "r": 8, "p": 1})
        case "wrapped":
            envelope = replace(envelope, keys=(replace(envelope.keys[0], salt="%"), *envelope.keys[1:]))
        case "needs":
            envelope = replace(envelope, keys=(replace(envelope.keys[0], needs_device=False),))
        case _:
            envelope = replace(envelope, **{part: "ab" * 32})
    for _ in range(5):
        with pytest.raises(SealError, match="this note is damaged or was changed"):
            open_as(vault, envelope, "allies", PIN)
    assert vault.wait_ms(TRIES) == 0


def test_a_note_that_opens_to_another_text_than_it_commits_to_is_told(vault: Vault) -> None:
    """Whoever writes the sealer could give each holder another text: what is opened is what was committed, or nothing."""
    one, code = vault.seal(TEXT, LABEL, side="allies", side_pin=PIN)
    two, _ = vault.seal(PlainSecret("E5"), LABEL, side="allies", side_pin=PIN)
    forged = replace(one, commitment=two.commitment, device="0000-0000")
    with pytest.raises(SealError, match="damaged or was changed"):
        open_as(vault, forged, "recovery", code)


def test_a_short_pin_is_refused(vault: Vault) -> None:
    with pytest.raises(SealError, match="at least 4 characters"):
        vault.seal(TEXT, LABEL, side="allies", side_pin=PlainSecret("123"))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    assert not list(key.parent.glob(".*")), "nothing is left of its writing"


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
