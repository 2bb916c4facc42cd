"""The program as the service starts it: ready once its first frame is shown, fed by the interface, silent when it hangs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE_S = 60.0

RUN = "import sys; from companion.cli import main; sys.exit(main(['run', *sys.argv[1:]]))"

FIRST_FRAME = """
import sys
from companion.ui import env
prepare = env.prepare
def prepared(*args, **more):
    prepare(*args, **more)
    from kivy.clock import Clock
    from companion.ui import root
    start = root.Root.go
    def go(self, *args, **more):
        root.Root.go = start
        start(self, *args, **more)
        from kivy.core.window import Window
        left = [2]  # the first picture is drawn twice
        def shown(*_args):
            left[0] -= 1
            if left[0]:
                return
            Window.unbind(on_flip=shown)
            Clock.schedule_once(lambda _dt: Clock.schedule_once(lambda _dt: act(self), 0.2), 0)
        Window.bind(on_flip=shown)
    root.Root.go = go
env.prepare = prepared
def act(root):
    {act}
from companion.cli import main
sys.exit(main(['run', *sys.argv[1:]]))
"""

HANG = """
    import threading
    # The writer, the panel's threads and this one live on; only the interface stands still.
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    threading.Event().wait()
"""


class Service:
    """A service manager that only listens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind(str(folder / "notify"))
        self.program: subprocess.Popen[bytes] | None = None
        (folder / "run").mkdir()

    def start(self, *arguments: str, code: str = RUN, watchdog_s: float = 0.4) -> None:
        """Start the program as the unit does, off-screen and without pins."""
        home = str(self.folder / "home")
        env = {
            "PATH": os.environ["PATH"], "HOME": home, "XDG_DATA_HOME": home, "SDL_VIDEODRIVER": "offscreen",
            "NOTIFY_SOCKET": str(self.folder / "notify"), "WATCHDOG_USEC": str(int(watchdog_s * 1e6)),
            "RUNTIME_DIRECTORY": str(self.folder / "run"), "GPIOZERO_PIN_FACTORY": "mock",
        }  # fmt: skip
        command = [sys.executable, "-c", code, "--home", home, *arguments]
        self.program = subprocess.Popen(command, env=env, cwd=self.folder, stderr=subprocess.DEVNULL)

    def hear(self, seconds: float = PATIENCE_S) -> str:
        """Return the next message; empty when none came in time."""
        self.line.settimeout(seconds)
        try:
            return self.line.recv(4096).decode()
        except TimeoutError:
            return ""

    def wait_ready(self) -> str:
        while True:
            message = self.hear()
            assert message, f"not ready in time; ended with {self.program and self.program.poll()}"
            if message.startswith("READY=1"):
                return message

    def close(self) -> None:
        if self.program is not None:
            self.program.kill()
            self.program.wait()
        self.line.close()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.close()


def test_the_first_start_asks_the_language_and_the_frames_feed_the_watchdog(service: Service) -> None:
    service.start("--no-panel")
    assert "first start (LanguageQuestion)" in service.wait_ready()
    for _n in range(5):
        assert service.hear(10) == "WATCHDOG=1"


SHOW = """
import os, socket, sys
from companion.ui import env
prepare = env.prepare
def prepared(*args, **more):
    prepare(*args, **more)
    from kivy.core.window import Window
    flip = Window.flip
    def shown():
        flip()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.sendto(b"SHOWN", os.environ["NOTIFY_SOCKET"])
    Window.flip = shown
env.prepare = prepared
from companion.cli import main
sys.exit(main(['run', *sys.argv[1:]]))
"""


def test_it_is_ready_only_after_its_picture_was_handed_to_the_screen_twice(service: Service) -> None:
    """What is handed over first, SDL shows blank on a bare console; nothing else moves on a still screen."""
    service.start("--no-panel", code=SHOW, watchdog_s=30)
    assert [service.hear(), service.hear()] == ["SHOWN", "SHOWN"]
    assert service.wait_ready().startswith("READY=1")


def test_a_language_that_the_installer_set_leads_to_the_corners_on_a_touch_panel(service: Service) -> None:
    code = f"import os; os.environ['COMPANION_LANGUAGE'] = 'de'\n{RUN}"
    service.start("--no-panel", "--touch", code=code)
    assert "first start (CornerTest)" in service.wait_ready()


def test_an_interface_that_hangs_is_fed_no_longer(service: Service) -> None:
    service.start(code=FIRST_FRAME.format(act=HANG.strip()))
    service.wait_ready()
    fed_at = time.monotonic()
    while service.hear(3.0):
        fed_at = time.monotonic()
    assert service.program is not None
    assert service.program.poll() is None, "it lives, but nobody may think so"
    assert time.monotonic() - fed_at >= 2.9


def test_a_polite_end_says_so_and_leaves_no_error(service: Service) -> None:
    service.start("--no-panel")
    service.wait_ready()
    assert service.program is not None
    service.program.send_signal(signal.SIGTERM)
    heard = []
    while message := service.hear(5.0):
        heard.append(message)
        if message == "STOPPING=1":
            break
    service.program.wait(PATIENCE_S)
    assert "STOPPING=1" in heard


def test_shutting_down_from_the_screen_asks_the_machine_and_ends_well(service: Service) -> None:
    service.start("--no-panel", code=FIRST_FRAME.format(act="root.quit()"))
    service.wait_ready()
    assert service.program is not None
    assert service.program.wait(PATIENCE_S) == 0
    assert (service.folder / "run" / "request").read_text() == "poweroff\n"


LOOK = """
    from kivy.config import Config
    from kivy.core.window import Window
    inputs = dict(Config.items('input'))
    open('seen', 'w').write(f'{Window.rotation} {Window.width}x{Window.height} {root.width:.0f}x{root.height:.0f} {inputs}')
    root.quit()
"""


@pytest.mark.parametrize(
    ("rotation", "window"), [(0, "800x480"), (90, "480x800"), (180, "800x480"), (270, "480x800")]
)
def test_picture_and_touch_are_turned_together_from_one_option(
    service: Service, rotation: int, window: str
) -> None:
    """Kivy turns the touches by the window's own rotation (tests/ui/test_first_start.py); there is no second turn."""
    service.start(
        "--no-panel", "--touch", "--rotation", str(rotation), code=FIRST_FRAME.format(act=LOOK.strip())
    )
    service.wait_ready()
    assert service.program is not None
    assert service.program.wait(PATIENCE_S) == 0
    seen = (service.folder / "seen").read_text()
    assert seen == f"{rotation} {window} {window} {{'touch': 'probesysfs,provider=mtdev'}}"


HEAR = """
    from kivy.clock import Clock
    def look(_dt):
        if root.toast is not None:
            open('seen', 'w').write(root.toast.text)
            root.quit()
    Clock.schedule_interval(look, 0.1)
"""


def test_how_an_update_ended_is_told_by_the_version_that_it_started(service: Service) -> None:
    answer = service.folder / "run" / "answer"
    answer.write_text("0 switched to version 0.1.1-abc\n")
    done = "import os; os.environ['COMPANION_LANGUAGE'] = 'en'\n" + FIRST_FRAME.format(act=HEAR.strip())
    service.start("--no-panel", code=done)
    service.wait_ready()
    assert service.program is not None
    assert service.program.wait(PATIENCE_S) == 0
    assert (service.folder / "seen").read_text() == "switched to version 0.1.1-abc"
    assert not answer.exists()
