"""Adds the first start to a card's ``user-data``, and leaves all that Raspberry Pi Imager wrote there (users, Wi-Fi, keys) as it is.

``bootcmd`` and not ``runcmd``: it comes at every start, so one that is cut loses nothing.
"""

import re
import sys
from pathlib import Path

LINE = "[bash, /boot/firmware/table-companion/first-start, lay]"
NOBODY = "users:\n  - name: nobody-yet\n    lock_passwd: true\n    shell: /usr/sbin/nologin\n"
"""Where nobody was set up in Imager: a user who cannot log in, or the system asks for one and covers the picture."""


def merged(text: str) -> str:
    """Return `text` with the first start in it, once; raises ValueError with one line where it cannot be added safely."""
    text = text.removeprefix("\ufeff")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if text.strip() and not any(line.rstrip() == "#cloud-config" for line in lines[:2]):
        raise ValueError(
            "its first line is not #cloud-config, so it is no file of Raspberry Pi Imager 2; write the card with that"
        )
    if any(re.match(r" *\t", line) for line in lines):
        raise ValueError("it is indented with tabs, which cloud-init does not read; use blanks")
    if any(line.split("#")[0].rstrip() in ("---", "...") for line in lines):
        raise ValueError(f"it holds more than one document; add {LINE} to its bootcmd by hand")
    if any(LINE in line and not line.lstrip().startswith("#") for line in lines):
        return text
    if not text.strip():
        lines = ["#cloud-config"]
    while lines and not lines[-1].strip():
        lines.pop()
    starts = [n for n, line in enumerate(lines) if re.match(r"bootcmd\s*:", line)]
    if starts:
        at = starts[0]
        if not re.fullmatch(r"bootcmd\s*:\s*(#.*)?", lines[at]):
            raise ValueError(f"its bootcmd is written in one line; add {LINE} to it by hand")
        following = next(
            (line for line in lines[at + 1 :] if line.strip() and not line.lstrip().startswith("#")), ""
        )
        found = re.match(r"( *)- ", following)
        lines.insert(at + 1, f"{found[1] if found else '  '}- {LINE}")
    else:
        lines += ["bootcmd:", f"  - {LINE}"]
    if not any(re.match(r"(users|user)\s*:", line) for line in lines):
        lines += NOBODY.rstrip("\n").split("\n")
    return end.join([*lines, ""])


def main(path: str) -> None:
    """Add the first start to the file at `path`, which may not exist yet; the old one is replaced whole or not at all."""
    file = Path(path)
    try:
        old = file.read_bytes().decode("utf-8") if file.exists() else ""
        new = merged(old)
    except (UnicodeDecodeError, ValueError) as error:
        sys.exit(f"{path}: {error}; nothing was changed")
    if new != old:
        part = file.with_name(file.name + ".new")
        part.write_bytes(new.encode())
        part.replace(file)


if __name__ == "__main__":
    main(sys.argv[1])
