"""The serial panel over real pseudo-terminals: noise, half lines, floods, plugs pulled, a second box."""

from __future__ import annotations

import random

import pytest

from hardware import edges
from hardware.errors import DeviceLostError
from hardware.frames import Frame, encode
from hardware.language import SIGNAL_PATTERNS, Signal
from hardware.ports import Button, Lamp, NoticeKind, PanelState, PressEdge
from hardware.serial_panel import SerialPanel, open_serial_panel
from hardware.transport import ScriptedTransport, SerialTransport, find_boxes

MS = 1_000_000


def kinds(rig, kind):
    return [notice for notice in rig.listener.notices if notice.kind is kind]


def test_it_says_who_is_there(serial_rig):
    assert str(kinds(serial_rig, NoticeKind.CONNECTED)[0].detail) == (
        f"The button box box-1 on {serial_rig.box.path} is connected."
    )
    status = serial_rig.panel.status()
    assert str(status.line) == f"The button box box-1 on {serial_rig.box.path} works."
    serial_rig.wait_for(lambda: "clock_uncertainty_us" in dict(serial_rig.panel.status().counters))
    assert dict(serial_rig.panel.status().counters)["clock_uncertainty_us"] < 100_000


def test_noise_and_half_lines_between_presses_change_nothing(serial_rig):
    chance = random.Random(2)
    for _ in range(10):
        with serial_rig.box.lock:
            serial_rig.box.say(chance.randbytes(40).replace(b"\n", b" ") + b"$07,E,0,1,12\n")
        serial_rig.press(Button.LEFT)
        with serial_rig.box.lock:
            serial_rig.box.say(b"$0")
        serial_rig.release(Button.LEFT)
    assert len(serial_rig.listener.presses) == 10
    assert {edge.button for edge in serial_rig.listener.edges} == {Button.LEFT}
    counters = dict(serial_rig.panel.status().counters)
    assert counters["bad_start"] + counters.get("bad_checksum", 0) + counters.get("bad_ascii", 0) >= 10


def test_damaged_frames_are_asked_for_again(serial_rig):
    chance = random.Random(4)

    def garble(data):
        out = bytearray(data)
        if chance.random() < 0.3:
            out[chance.randrange(len(out))] ^= 0x15
        return bytes(out)

    serial_rig.box.garble = garble
    for _ in range(8):
        serial_rig.press(Button.RIGHT)
        serial_rig.release(Button.RIGHT)
    serial_rig.box.garble = None
    assert len(serial_rig.listener.presses) == 8
    assert serial_rig.panel.status().state is PanelState.WORKING


def test_a_lasting_mess_is_one_notice(serial_rig):
    for _ in range(30):
        with serial_rig.box.lock:
            serial_rig.box.say(b"not a frame at all\n")
    serial_rig.wait_for(lambda: kinds(serial_rig, NoticeKind.NOISE))
    serial_rig.press(Button.LEFT)
    assert len(kinds(serial_rig, NoticeKind.NOISE)) == 1


def test_a_flood_does_not_drown_a_press(serial_rig):
    flood = b"x" * 3_000 + b"\n"
    with serial_rig.box.lock:
        serial_rig.box.say(flood)
    serial_rig.press(Button.PAUSE)
    with serial_rig.box.lock:
        serial_rig.box.say(flood)
    serial_rig.release(Button.PAUSE)
    assert len(serial_rig.listener.presses) == 1


def test_replugging_five_times(serial_rig):
    serial_rig.panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.RUNNING])
    for count in range(1, 6):
        serial_rig.lose()
        serial_rig.wait_for(lambda count=count: len(kinds(serial_rig, NoticeKind.LOST)) == count)
        serial_rig.regain()
        serial_rig.wait_for(lambda count=count: len(kinds(serial_rig, NoticeKind.REGAINED)) == count)
        serial_rig.wait_for(lambda: serial_rig.lamp_level(Lamp.LEFT) == 1.0)
        serial_rig.settle()
        serial_rig.press(Button.LEFT)
        serial_rig.release(Button.LEFT)
    assert len(serial_rig.listener.presses) == 5


def test_a_cable_pulled_in_the_middle_of_a_line_leaves_nothing_of_it(serial_rig):
    serial_rig.wait_for(lambda: serial_rig.panel._link.clock.is_set)
    for cut in (1, 9, 20):
        line = encode(Frame(serial_rig.panel._link._expected, "E", ("0", "1", str(serial_rig.box.us()))))
        with serial_rig.box.lock:
            serial_rig.box.say(line[:cut])
        serial_rig.lose()
        serial_rig.wait_for(lambda: serial_rig.panel.status().state is PanelState.LOST)
        serial_rig.regain()
        serial_rig.wait_for(lambda: serial_rig.panel.status().state is PanelState.WORKING)
        with serial_rig.box.lock:
            serial_rig.box.say(line[cut:])  # what is left of it comes after the new greeting: it is no frame
        serial_rig.settle()
        serial_rig.let_pass_ms(40)
        assert serial_rig.listener.edges == []
    serial_rig.press(Button.RIGHT)


def test_a_box_that_comes_back_under_another_name_is_the_same_box(kit, tmp_path):
    """What was ttyACM0 is ttyACM1 after the plug was out: the port's name is found anew, the box's own name counts."""
    box = kit.PtyBox(tmp_path, "one")
    panel = SerialPanel(
        candidates=lambda: tuple(str(path) for path in sorted(tmp_path.glob("tty-*"))), settings=kit.QUICK
    )
    rig = kit.Rig()
    rig.panel = panel
    rig.start()
    panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.RUNNING])
    box.unplug()
    rig.wait_for(lambda: kinds(rig, NoticeKind.LOST))
    again = kit.PtyBox(tmp_path, "one", path=tmp_path / "tty-elsewhere")
    rig.wait_for(lambda: kinds(rig, NoticeKind.REGAINED))
    assert str(panel.status().line) == f"The button box one on {again.path} works."
    rig.wait_for(lambda: 0 in again.outputs.lamps)
    rig.settle()
    again.edge(Button.LEFT, True)
    rig.wait_for(lambda: rig.listener.presses)
    assert not kinds(rig, NoticeKind.OTHER_BOX)
    panel.close()
    again.unplug()


def test_a_bug_of_the_panels_own_thread_is_one_notice_and_the_box_is_found_all_the_same(kit, tmp_path):
    box = kit.PtyBox(tmp_path, "one")
    faults = 2

    def candidates():
        nonlocal faults
        if faults:
            faults -= 1
            raise RuntimeError("a list of ports that breaks")
        return (str(box.path),)

    panel = SerialPanel(candidates=candidates, settings=kit.QUICK)
    rig = kit.Rig()
    rig.panel = panel
    rig.start()
    assert [str(notice.detail) for notice in kinds(rig, NoticeKind.LOST)] == [
        "The panel had an error (RuntimeError('a list of ports that breaks')) and continues."
    ]
    box.edge(Button.LEFT, True)
    rig.wait_for(lambda: rig.listener.presses)
    panel.close()
    box.unplug()


def test_a_release_never_pushes_back_the_time_of_a_press_that_came_before_it():
    """A release is told after 30 ms, a press held back by another button's flicker after up to 50."""
    heard = []
    panel = SerialPanel(candidates=tuple)
    panel.begin(heard.append)
    base_ns = panel.now_ns() - 200 * MS
    for event, told_ms in (
        (PressEdge(Button.RIGHT, True, base_ns), 5),
        (PressEdge(Button.RIGHT, False, base_ns + 100 * MS), 130),
        (PressEdge(Button.LEFT, True, base_ns + 90 * MS), 140),
        (PressEdge(Button.LEFT, False, base_ns + 80 * MS), 190),
    ):
        panel._link.clock.exchange(0, 0, 0)
        panel._take((edges.start_filter({}, 0), (event,)), base_ns + told_ms * MS)
    assert [(edge.button, edge.pressed, (edge.at_ns - base_ns) // MS) for edge in heard] == [
        (Button.RIGHT, True, 0),
        (Button.RIGHT, False, 100),
        (Button.LEFT, True, 90),
        (Button.LEFT, False, 90),
    ]


def test_a_button_that_is_down_when_the_cable_goes_is_let_go(serial_rig):
    serial_rig.press(Button.LEFT)
    serial_rig.box.levels = 0
    serial_rig.lose()
    serial_rig.wait_for(lambda: kinds(serial_rig, NoticeKind.LOST))
    serial_rig.regain()
    serial_rig.wait_for(lambda: len(serial_rig.listener.edges) == 2)
    assert not serial_rig.listener.edges[1].pressed


def test_a_box_that_falls_silent_is_given_up_and_taken_back(serial_rig):
    serial_rig.box.hold_output = True
    serial_rig.wait_for(lambda: kinds(serial_rig, NoticeKind.LOST))
    assert (
        str(kinds(serial_rig, NoticeKind.LOST)[0].detail)
        == "The button box box-1 does not respond; the game goes on."
    )
    serial_rig.box.hold_output = False
    serial_rig.wait_for(lambda: kinds(serial_rig, NoticeKind.REGAINED))


def test_a_late_line_keeps_the_time_of_the_press(serial_rig):
    off_ns = serial_rig.tolerance_ns()
    serial_rig.box.hold_output = True
    before = serial_rig.now_ns()
    serial_rig.contact(Button.LEFT, True)
    after = serial_rig.now_ns()
    serial_rig.let_pass_ms(250)
    serial_rig.box.hold_output = False
    serial_rig.wait_for(lambda: serial_rig.listener.presses)
    assert before - off_ns <= serial_rig.listener.presses[0].at_ns <= after + off_ns


def test_a_press_that_is_seconds_late_is_told_and_not_used(serial_rig):
    serial_rig.wait_for(lambda: serial_rig.panel._link.clock.is_set)
    serial_rig.box.hold_output = True
    serial_rig.contact(Button.LEFT, True)
    serial_rig.let_pass_ms(2_050)
    serial_rig.contact(Button.LEFT, False)
    serial_rig.box.hold_output = False
    serial_rig.wait_for(lambda: kinds(serial_rig, NoticeKind.LATE_DROPPED))
    assert "s late and was ignored." in str(kinds(serial_rig, NoticeKind.LATE_DROPPED)[0].detail)
    serial_rig.let_pass_ms(60)
    assert serial_rig.listener.edges == []
    serial_rig.press(Button.LEFT)


def test_a_second_box_is_named_and_left_alone(kit, tmp_path):
    first, second = kit.PtyBox(tmp_path, "one"), kit.PtyBox(tmp_path, "two")
    listener = kit.Listener()
    panel = SerialPanel(candidates=lambda: (str(first.path), str(second.path)), settings=kit.QUICK)
    rig = kit.Rig()
    rig.panel, rig.listener = panel, listener
    rig.start()
    rig.wait_for(lambda: kinds(rig, NoticeKind.SECOND_BOX))
    assert (
        str(kinds(rig, NoticeKind.SECOND_BOX)[0].detail)
        == f"A second button box on {second.path} is not used; one is the panel."
    )
    second.edge(Button.LEFT, True)
    first.edge(Button.RIGHT, True)
    rig.wait_for(lambda: listener.presses)
    assert [edge.button for edge in listener.presses] == [Button.RIGHT]
    panel.close()
    first.unplug()
    second.unplug()


def test_another_box_takes_the_place_of_the_first(kit, tmp_path):
    first = kit.PtyBox(tmp_path, "one")
    panel = SerialPanel(candidates=lambda: (str(first.path),), settings=kit.QUICK)
    rig = kit.Rig()
    rig.panel = panel
    rig.start()
    first.unplug()
    rig.wait_for(lambda: kinds(rig, NoticeKind.LOST))
    second = kit.PtyBox(tmp_path, "two", path=first.path)
    rig.wait_for(lambda: kinds(rig, NoticeKind.OTHER_BOX))
    assert (
        str(kinds(rig, NoticeKind.OTHER_BOX)[0].detail)
        == "Another button box, two, has replaced one; it is used now."
    )
    rig.settle()
    second.edge(Button.LEFT, True)
    rig.wait_for(lambda: rig.listener.presses)
    panel.close()
    second.unplug()


def test_a_port_that_is_no_box_is_passed_over(kit, tmp_path):
    silent, box = kit.PtyBox(tmp_path, "silent"), kit.PtyBox(tmp_path, "box")
    silent.hold_output = True
    paths = (str(silent.path), str(box.path))
    panel = SerialPanel(candidates=lambda: paths, settings=kit.QUICK, answer_ms=60)
    rig = kit.Rig()
    rig.panel = panel
    rig.start()
    assert str(panel.status().line) == f"The button box box on {box.path} works."
    panel.close()
    silent.unplug()
    box.unplug()


def test_a_box_of_another_version_is_named(kit, tmp_path):
    box = kit.PtyBox(tmp_path, "new")
    box.garble = lambda _data: encode(Frame(None, "H", ("2", "?")))
    panel = SerialPanel(candidates=lambda: (str(box.path),), settings=kit.QUICK)
    rig = kit.Rig()
    rig.panel = panel
    panel.start(rig.listener)
    rig.wait_for(lambda: kinds(rig, NoticeKind.WRONG_VERSION))
    assert str(kinds(rig, NoticeKind.WRONG_VERSION)[0].detail) == (
        f"The button box on {box.path} cannot be used: it uses protocol version 2, this program 1."
    )
    assert panel.status().state is PanelState.WAITING
    panel.close()
    box.unplug()


def test_without_a_box_it_waits_and_says_so(tmp_path):
    panel = open_serial_panel(str(tmp_path / "nothing"))
    panel.start(lambda _event: None)
    panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.FLAG])
    status = panel.status()
    panel.close()
    assert (status.state, str(status.line)) == (PanelState.WAITING, "No button box is plugged in.")


def test_a_port_that_may_not_be_opened_is_one_notice(kit):
    def refuse(path):
        raise DeviceLostError(f"{path}: cannot be opened", is_denied=True)

    panel = SerialPanel(candidates=lambda: ("/dev/ttyX",), open_transport=refuse)
    rig = kit.Rig()
    rig.panel = panel
    panel.start(rig.listener)
    rig.wait_for(lambda: dict(panel.status().counters).get("open_failures", 0) >= 2)
    panel.close()
    assert [str(notice.detail) for notice in kinds(rig, NoticeKind.ABSENT)] == [
        "This user may not open /dev/ttyX (add it to the group dialout)."
    ]


def test_closing_tells_the_box_to_go_dark_at_once(serial_rig):
    serial_rig.panel.set_lamp(Lamp.LEFT, SIGNAL_PATTERNS[Signal.RUNNING])
    serial_rig.wait_for(lambda: not serial_rig.box.outputs.is_dark)
    serial_rig.panel.close()
    serial_rig.wait_for(lambda: serial_rig.box.outputs.is_dark)


def test_presses_are_told_in_the_order_of_their_times(serial_rig):
    for _ in range(6):
        for button in (Button.LEFT, Button.RIGHT, Button.PAUSE):
            serial_rig.contact(button, True)
        serial_rig.let_pass_ms(40)
        for button in (Button.LEFT, Button.RIGHT, Button.PAUSE):
            serial_rig.contact(button, False)
        serial_rig.let_pass_ms(60)
    serial_rig.wait_for(lambda: len(serial_rig.listener.presses) == 18)
    times = [edge.at_ns for edge in serial_rig.listener.presses]
    assert times == sorted(times)


# -- the transport ------------------------------------------------------------------------------------------


def test_the_transport_calls_every_loss_by_one_name(kit, tmp_path):
    box = kit.PtyBox(tmp_path, "x")
    port = SerialTransport(str(box.path))
    box.unplug()
    with pytest.raises(DeviceLostError):
        port.read(1)
    with pytest.raises(DeviceLostError):
        port.write(b"hello\n")
    port.wake()
    port.close()
    port.close()
    with pytest.raises(DeviceLostError):
        port.read(0)
    with pytest.raises(DeviceLostError, match="cannot be opened"):
        SerialTransport(str(tmp_path / "gone"))


def test_a_port_is_opened_for_one_program_alone(kit, tmp_path):
    box = kit.PtyBox(tmp_path, "x")
    port = SerialTransport(str(box.path))
    with pytest.raises(DeviceLostError, match="cannot be opened"):
        SerialTransport(str(box.path))
    port.close()
    box.unplug()


def test_a_scripted_port_follows_its_script():
    port = ScriptedTransport().expect(b"A\n", reply=b"1\n").expect(b"B\n", reply=b"2\n")
    port.write(b"A\n")
    with pytest.raises(AssertionError, match=r"never written: \[b'B\\n'\]"):
        port.assert_done()
    port.write(b"B\n")
    assert [port.read(0), port.read(0), port.read(0)] == [b"1\n", b"2\n", b""]
    port.assert_done()
    port.lose()
    with pytest.raises(DeviceLostError):
        port.read(1)


def test_only_ports_of_a_pico_are_candidates():
    class Port:
        def __init__(self, device, vid, pid):
            self.device, self.vid, self.pid = device, vid, pid

    ports = [
        Port("/dev/ttyACM1", 0x2E8A, 0x0005),
        Port("/dev/ttyS0", None, None),
        Port("/dev/ttyACM0", 0x2E8A, 0x000A),
    ]
    assert find_boxes(lambda: ports) == ("/dev/ttyACM0", "/dev/ttyACM1")

    def broken():
        raise OSError("no /sys")

    assert find_boxes(broken) == ()
    assert isinstance(find_boxes(), tuple)
