"""Running a few lines as a user without rights, so that what root may do always is tested all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["as_a_plain_user"]

_NOBODY = 65534
_BECOME = """
import os, sys
user = int(sys.argv.pop())
if os.geteuid() != user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
"""


def as_a_plain_user(imports: str, code: str, *arguments: str) -> str:
    """Return what Python code prints in a process of its own, which root runs as nobody.

    The code finds its arguments in ``sys.argv[1:]``. Imports come first, with the rights of whoever tests: nobody may
    not be allowed to look into the checkout.
    """
    user = _NOBODY if os.geteuid() == 0 else os.geteuid()
    done = subprocess.run(
        [sys.executable, "-c", f"{imports}\n{_BECOME}\n{code}", *arguments, str(user)],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
