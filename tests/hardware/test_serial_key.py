"""A box on a real pseudo-terminal that says that the arbiter's key is on: joined to a game, it is no arbiter by that."""

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.panel_link import PanelLink
from companion.core.text import Say, Typed
from companion.testing.memory_desk import MemoryDesk
from hardware.group import PanelGroup
from hardware.null import NullPanel
from hardware.ports import Button, PanelState
from hardware.serial_panel import SerialPanel


def test_a_box_cannot_become_the_arbiter_by_a_message(kit, tmp_path):
    catalogue, keys = GameCatalogue(), []
    setup = catalogue.make_setup("sfw96", "italy", {"tournament": True})
    desk = MemoryDesk(setup, catalogue.rules_of("sfw96"))
    box = kit.PtyBox(tmp_path, "one", levels=1 << list(Button).index(Button.ARBITER))
    panel = SerialPanel(candidates=lambda: (str(box.path),), settings=kit.QUICK)
    rig = kit.Rig()
    link = PanelLink(
        PanelGroup((panel, NullPanel(Say("{text}", text=Typed("No pins."))))),
        desk,
        now_ns=rig.now_ns,
        post=lambda call: call(),
        on_key=keys.append,
    )

    def goes_on():
        """Wait for a change of the key that would have come, had it counted: the next button of the box."""
        before = sum(part.presses for part in link.parts())
        box.edge(Button.PAUSE, True)
        rig.wait_for(lambda: sum(part.presses for part in link.parts()) > before)
        box.edge(Button.PAUSE, False)
        rig.wait_for(lambda: not any(part.is_down and part.key == "button_pause" for part in link.parts()))

    link.start(ticking=False)
    rig.wait_for(lambda: panel.status().state is PanelState.WORKING)
    rig.settle()
    goes_on()
    for closed in (False, True):
        box.edge(Button.ARBITER, closed)
        goes_on()
    assert keys == []
    link.pair("serial")
    assert keys == [True]
    box.unplug()
    rig.wait_for(lambda: keys == [True, False])
    box.plug()  # power again, and with it another number of the start: it could be any box of that name
    rig.wait_for(lambda: panel.status().state is PanelState.WORKING)
    rig.settle()
    goes_on()
    assert keys == [True, False]
    assert not any(device.is_paired for device in link.devices())
    link.close()
    box.unplug()
