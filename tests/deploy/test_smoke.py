"""The smoke start that an update is judged by: the real window, off-screen, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys


def smoke(home, code="import sys; from companion.cli import main; sys.exit(main(['run', '--smoke']))"):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_DATA_HOME": str(home), "TMPDIR": str(home)}
    env |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_draws_and_leaves_nothing_behind(tmp_path):
    done = smoke(tmp_path)
    assert done.returncode == 0, done.stderr
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert not [path for path in left if "mesa_shader_cache" not in path]


def test_a_version_that_cannot_draw_is_found(tmp_path):
    code = (
        "import sys\nfrom companion.ui import env\nenv_prepare = env.prepare\n"
        "def prepare(*a, **k):\n"
        "    env_prepare(*a, **k)\n"
        "    from companion.ui import root\n"
        "    def go(self, *a, **k): raise RuntimeError('no table')\n"
        "    root.Root.go = go\n"
        "env.prepare = prepare\n"
        "from companion.cli import main\nsys.exit(main(['run', '--smoke']))\n"
    )
    done = smoke(tmp_path, code)
    assert done.returncode != 0
    assert "no table" in done.stderr
