"""What the machine needs, fetched once; where something is missing, each test says what."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import pytest

from tests.box.kernel import Kernel, MissingError, fetch_kernel, fetch_lgpio


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    """The kernel of the machine."""
    if platform.machine() != "x86_64":
        pytest.skip("the machine has this one's own libraries, which must be of an x86-64 processor")
    for tool, package in (("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")):
        if shutil.which(tool) is None:
            pytest.skip(f"{package} is not installed")
    busybox = shutil.which("busybox") or ""
    if b"/lib64/ld-linux" in Path(busybox).read_bytes()[:4096]:
        pytest.skip("busybox needs libraries, which a start image has not (busybox-static is wanted)")
    try:
        return fetch_kernel()
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def lgpio() -> Path:
    """A folder with the pin library."""
    try:
        return fetch_lgpio()
    except MissingError as error:
        pytest.skip(str(error))
