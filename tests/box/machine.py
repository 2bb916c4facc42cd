"""A machine under emulation whose devices a real kernel drives, talked to over its second serial line.

It has the running system's files, read-only, so that the very Python and libraries of the tests run in it; what it writes is in its
memory, or on a disk that is given to it. One JSON value a line goes each way.
"""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.box.kernel import TOP, Kernel, starter

__all__ = ["Machine"]

PROCESSOR = "max,-erms"
"""With fast `rep movsb` the kernel clears and copies byte by byte, and each byte is emulated."""
BASE = ("virtio_pci", "9pnet_virtio", "9p", "configfs")
SCRIPT = """
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
@LOAD@
mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,ro,cache=loose files /root || { echo NO-FILES; poweroff -f; }
mount -t proc proc /root/proc; mount -t sysfs sys /root/sys; mount --bind /dev /root/dev
mount -t tmpfs run /root/run; mkdir -m 1777 /root/run/tmp; mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm; mount -t devpts pts /dev/pts
mount -t configfs configfs /root/sys/kernel/config; mount -t tracefs tracefs /root/sys/kernel/tracing
ip link set lo up
cp /proc/cpuinfo /root/run/cpuinfo
printf 'Revision\\t: c03115\\nModel\\t\\t: Raspberry Pi 4 Model B Rev 1.5\\n' >>/root/run/cpuinfo
mount --bind /root/run/cpuinfo /root/proc/cpuinfo
stty -F /dev/ttyS1 raw -echo
cd /root
exec chroot /root /usr/bin/env -i HOME=/run/tmp TMPDIR=/run/tmp PATH=/usr/bin:/bin:/usr/sbin:/sbin OPENBLAS_CORETYPE=Haswell \
  PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 @ENV@ \
  /bin/sh -c '@COMMAND@ </dev/ttyS1 >/dev/ttyS1 2>/dev/ttyS0; sync; echo o >/proc/sysrq-trigger; sleep 60'
"""


class Machine:
    """One start of the machine with a program in it; ends with the block it stands in, as if the plug were pulled."""

    def __init__(
        self,
        kernel: Kernel,
        folder: Path,
        guest: str,
        modules: Sequence[str] = (),
        *,
        environment: dict[str, str] | None = None,
        devices: Sequence[str] = (),
        disk: Path | None = None,
    ) -> None:
        """Prepare a machine that runs tests/box/`guest` with `modules` loaded.

        Args:
            environment: Variables for the program in it.
            devices: Words for QEMU.
            disk: A file that is the machine's one disk; what is synced to it outlasts the end of the machine.
        """
        self.folder = folder
        drive = [] if disk is None else ["-drive", f"file={disk},if=virtio,format=raw,cache=writethrough"]
        self._devices = [*devices, *drive]
        self._kernel = kernel
        busybox = shutil.which("busybox")
        assert busybox is not None
        settings = " ".join(f"{name}={value}" for name, value in (environment or {}).items())
        script = SCRIPT.replace("@ENV@", settings).replace(
            "@COMMAND@", f"{sys.executable} {TOP / 'tests/box' / guest}"
        )
        (folder / "start.cpio").write_bytes(starter(kernel, [*BASE, *modules], script, Path(busybox)))
        self._heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        # Looked at while others want the processor, an emulated timer seems to stand still, and the kernel ends itself.
        command = [
            "qemu-system-x86_64", "-machine", "q35", "-cpu", PROCESSOR, "-accel", "tcg,thread=multi", "-smp", "2", "-m", "2G",
            "-display", "none", "-vga", "none", "-nic", "none", "-monitor", "none", "-no-reboot",
            "-serial", f"file:{self.folder / 'console'}", "-serial", "stdio",
            "-kernel", str(self._kernel.image), "-initrd", str(self.folder / "start.cpio"),
            "-append", "console=ttyS0 quiet panic=1 no_timer_check",
            "-virtfs", "local,path=/,mount_tag=files,security_model=none,readonly=on,multidevs=remap",
            *self._devices,
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._listener.join()
        with self._process:  # closes both ends of its line
            pass
        if error is not None:
            print(self.console()[-6000:])

    def console(self) -> str:
        """Return what the kernel and the programs said on the console."""
        path = self.folder / "console"
        return path.read_text(errors="replace") if path.exists() else ""

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._heard.put(line.decode(errors="replace").strip())
        self._heard.put(None)

    def tell(self, *words: Any) -> None:
        """Send one value to the program in the machine."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self, kind: str, seconds: float = 900) -> Any:
        """Wait for the next value of a kind and return what came with it; others are passed over."""
        latest = time.monotonic() + seconds
        while True:
            try:
                line = self._heard.get(timeout=max(0.0, latest - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{kind}: not heard within {seconds} s") from None
            assert line is not None, f"the machine ended before {kind}"
            if not line.startswith('["'):
                continue
            name, *rest = json.loads(line)
            assert name != "failed", rest[0]
            if name == kind:
                return rest[0] if len(rest) == 1 else rest
