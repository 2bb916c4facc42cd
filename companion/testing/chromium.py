"""A real browser without a window, driven over its own pipe: opens pages as a phone, evaluates, waits, takes pictures. For tests.

Needs Debian's ``chromium``; every browser has a folder of its own, so two of them are two phones.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from companion.testing.waiting import asking

__all__ = ["CHROMIUM", "Browser", "Tab"]

CHROMIUM = shutil.which("chromium")
_FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe"),
)

_LONGEST_S = 120
"""How long a browser may take to answer: it begins with the first question, beside others that do so."""


class Browser:
    """One phone's browser; use it in a ``with``."""

    def __init__(self, *flags: str, language: str = "en") -> None:
        """Start it; RuntimeError where there is no Chromium."""
        if CHROMIUM is None:
            raise RuntimeError("chromium is not installed")
        self._folder = tempfile.TemporaryDirectory(prefix="companion-chromium-", ignore_cleanup_errors=True)
        theirs_in, self._write = os.pipe()
        self._read, theirs_out = os.pipe()
        command = [
            CHROMIUM,
            *_FLAGS,
            f"--user-data-dir={self._folder.name}",
            f"--accept-lang={language}",
            *flags,
        ]
        given = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", given, "chromium", *command],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._held, self._number = b"", 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        """Return it."""
        return self

    def __exit__(self, *_fault: object) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """Ask the browser and return its answer; RuntimeError for one that says no, TimeoutError for none."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        if session:
            asked["sessionId"] = session
        os.write(self._write, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + _LONGEST_S
        while True:
            said = self._next(until)
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                return dict(said["result"])
            self.events.append(said)

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._held:
            ready, _w, _x = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            got = os.read(self._read, 1 << 20)
            if not got:
                raise TimeoutError("the browser has ended")
            self._held += got
        said, _zero, self._held = self._held.partition(b"\0")
        return dict(json.loads(said))

    def open(
        self, url: str, *, size: tuple[int, int] = (390, 844), has_script: bool = True, is_light: bool = False
    ) -> Tab:
        """Open a page in a new tab, as a phone of this size."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        tab = Tab(
            self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"], target
        )
        for name in ("Page", "Network", "Runtime", "Log"):
            tab.call(f"{name}.enable")
        width, height = size
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2,
            mobile=width < 700,
        )
        scheme = "light" if is_light else "dark"
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        if not has_script:
            tab.call("Emulation.setScriptExecutionDisabled", value=True)
        tab.go(url)
        return tab

    def requests(self) -> list[str]:
        """Return every address that was asked for, data and the browser's own left out."""
        sent = (
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        )
        return [url for url in sent if url.startswith("http")]

    def complaints(self) -> list[str]:
        """Return what the browser complained of: refused by policy, not found, faults of the script."""
        found = []
        for event in self.events:
            if event.get("method") == "Log.entryAdded":
                found.append(f"{event['params']['entry']['text']} {event['params']['entry'].get('url', '')}")
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
        return found


class Tab:
    """One page of a browser."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        """Speak to a page that is open."""
        self._browser, self._session, self._target = browser, session, target

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask the page."""
        return self._browser.call(method, self._session, **params)

    def go(self, url: str) -> None:
        """Show an address and wait until it is there."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def eval(self, script: str) -> Any:
        """Return what an expression yields; RuntimeError where it raises."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise RuntimeError(str(told["exceptionDetails"].get("exception", told["exceptionDetails"])))
        return told["result"].get("value")

    def wait(self, script: str, timeout_s: float = 20.0) -> float:
        """Wait until an expression is true and return after how many seconds; TimeoutError shows the page's text."""
        start = time.monotonic()
        for _n in asking(timeout_s):
            try:
                if self.eval(script):
                    return time.monotonic() - start
            except RuntimeError:  # between two documents
                pass
        raise TimeoutError(f"{script} is never true; the page says: {self.text()[:600]}")

    def text(self) -> str:
        """Return what is read on the page."""
        return str(self.eval("document.body ? document.body.innerText : ''"))

    def press(self, selector: str) -> None:
        """Press what a selector finds, once it is there; a new document may follow."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.wait(f"!!{found}")
        self.eval(f"{found}.click()")

    def hold(self, selector: str) -> None:
        """Lay a finger on what a selector finds, until `lift`."""
        box = f"document.querySelector({json.dumps(selector)})"
        self.eval(f"{box}.scrollIntoView({{block: 'center'}})")
        x, y = self.eval(
            f"(r => [r.left + r.width / 2, r.top + r.height / 2])({box}.getBoundingClientRect())"
        )
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])

    def lift(self) -> None:
        """Take the finger away."""
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def picture(self, path: Path, *, is_whole: bool = False) -> Path:
        """Keep a picture of the page."""
        path.parent.mkdir(parents=True, exist_ok=True)
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        path.write_bytes(base64.b64decode(shot["data"]))
        return path

    def close(self) -> None:
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)
