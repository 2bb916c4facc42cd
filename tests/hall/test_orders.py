"""Orders: genuine or nothing, each taken once, and never simply done when they come late."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.hall import orders as od
from companion.hall.messages import Did, MessageError

KEY, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
PUBLIC = od.public_of(KEY)


def _order(**changed: Any) -> od.Order:
    made = {"hall": "cup", "n": 7, "to": "17", "what": od.Pause("lunch"), "issued": 1_000, "sent": 1_000}
    return od.Order(**{**made, **changed})


def _read(data: bytes) -> od.Order:
    return od.order_in(data, PUBLIC, "cup", "17", "order")


def test_a_genuine_order_is_read_as_it_was_issued() -> None:
    every = (
        od.Pause(), od.Resume(), od.AddTime("axis", -60_000, "late"), od.Message("Lunch at one."), od.LastRound(),
        od.Seat(3, "sfw", "italy", {"axis": "Ben"}, 22), od.Start(3), od.Adjourn(), od.End(None, "agreed"),
        od.AskLog(), od.Retire(),
    )  # fmt: skip
    for what in every:
        order = _order(what=what, to="all")
        assert _read(od.signed(order, KEY)) == order


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hall": "other"}, "hall: expected cup, got other"),
        ({"to": "18"}, "to: expected 17, got 18"),
        ({"v": 2}, "it speaks version 2, this program 1"),
    ],
)
def test_an_order_for_somebody_else_is_not_done(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(MessageError, match=said):
        _read(od.signed(_order(**changed), KEY))


def test_a_foreign_signature_and_every_changed_byte_are_refused() -> None:
    with pytest.raises(MessageError, match="expected the director's signature"):
        _read(od.signed(_order(), STRANGER))
    data = od.signed(_order(), KEY)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        try:
            found = _read(bytes(changed))
        except MessageError:
            continue
        assert found == _order(), f"byte {at}"


def test_a_signature_of_an_order_is_none_of_anything_else() -> None:
    body = msgspec.json.encode(_order())
    bare = json.dumps({"order": body.decode(), "sig": base64.b64encode(KEY.sign(body)).decode()})
    with pytest.raises(MessageError, match="expected the director's signature"):
        _read(bare.encode())


def test_each_number_is_taken_once_in_whatever_order_and_an_old_one_never() -> None:
    window = od.Window()
    for n in (5, 1, 3, 2_000, 1_999):
        assert window.judge(n) == "new"
        window = window.with_taken(n)
        assert window.judge(n) == "done"
    assert [window.judge(n) for n in (5, 976, 977, 1_998, 2_001)] == ["replay", "replay", "new", "new", "new"]
    for n in range(1, 2_500):
        window = window.with_taken(n)
    assert len(window.taken) <= od.WINDOW


def test_a_late_stop_or_start_asks_and_time_given_does_not() -> None:
    for what in (od.Pause(), od.Resume(), od.Start(1), od.Adjourn(), od.End(None, "x")):
        assert not od.is_late(_order(what=what), 61_000)
        assert od.is_late(_order(what=what), 61_001)
        assert od.is_late(_order(what=what), None), "a box that does not know the time asks"
    assert not od.is_late(_order(what=od.AddTime("axis", 1)), None)
    assert od.is_late(_order(what=od.AddTime("axis", 1), until=2_000), 2_001)
    assert not od.is_late(_order(what=od.AddTime("axis", 1), until=2_000), 2_000)


def test_what_became_of_an_order_is_signed_by_the_box_itself() -> None:
    did = od.did_signed(Did(n=7, code="done", at=9), KEY, "cup", "17")
    assert od.is_did_of(did, PUBLIC, "cup", "17")
    assert not od.is_did_of(did, PUBLIC, "cup", "18")
    assert not od.is_did_of(msgspec.structs.replace(did, code="paused"), PUBLIC, "cup", "17")
    assert not od.is_did_of(did, od.public_of(STRANGER), "cup", "17")
    assert not od.is_did_of(Did(n=7, code="done", sig="é"), PUBLIC, "cup", "17")
