"""Requests of the screen to the system, as deploy/request finds them."""

from __future__ import annotations

from hardware.requests import Answer, Request, SystemRequests


def test_a_request_is_a_word_in_a_file(tmp_path):
    requests = SystemRequests.from_environment({"RUNTIME_DIRECTORY": f"{tmp_path}:/elsewhere"})
    assert requests.is_available
    (tmp_path / "answer").write_text("0 old")
    assert requests.ask(Request.UPDATE)
    assert (tmp_path / "request").read_text() == "update\n"
    assert requests.answer() is None
    (tmp_path / "answer").write_text("0 switched to version 2\n")
    assert requests.answer() == Answer(True, "switched to version 2")
    (tmp_path / "answer").write_text("1 table-companion: a checksum is wrong\n")
    assert requests.answer() == Answer(False, "table-companion: a checksum is wrong")


def test_on_a_machine_that_is_no_box_nothing_is_asked(tmp_path):
    requests = SystemRequests.from_environment({})
    assert not requests.is_available
    assert not requests.ask(Request.POWER_OFF)
    assert requests.answer() is None
    gone = SystemRequests(tmp_path / "gone")
    assert not gone.is_available
    assert not gone.ask(Request.RESTART)
