"""What is baked: icon sheets, sounds, catalogues, the environment; all can be made again and are."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from kivy import kivy_data_dir
from kivy.graphics import Color, Rectangle
from kivy.resources import resource_find
from kivy.uix.widget import Widget

import companion.ui
from companion.testing import art_make, art_units, harness, sound_make
from companion.ui import art, sound
from companion.ui.registry import SCREENS
from companion.ui.render.screen import load
from companion.ui.screen import Screen

TOP = Path(__file__).parents[2]


def test_icons_are_drawn_as_they_are_baked() -> None:
    import cv2

    for size in art.SIZES[:4]:
        baked = cv2.imread(str(Path(art.__file__).parent / "art" / f"icons-{size}.png"), cv2.IMREAD_UNCHANGED)
        assert abs(baked[:, :, 3].astype(int) - art_make.sheet(size).astype(int)).max() <= 1, size


def test_unit_symbols_are_drawn_as_they_are_baked() -> None:
    import cv2

    for wide in art.UNIT_WIDTHS[:2]:
        baked = cv2.imread(str(Path(art.__file__).parent / "art" / f"units-{wide}.png"), cv2.IMREAD_UNCHANGED)
        assert abs(baked[:, :, 3].astype(int) - art_units.sheet(wide).astype(int)).max() <= 1, wide


def test_every_unit_symbol_has_a_drawing_and_a_texture_and_is_unlike_every_other() -> None:
    folder = Path(art.__file__).parent / "art" / "units"
    assert {path.stem for path in folder.glob("*.svg")} == set(art.UNITS)
    drawn = {name: art_units.draw(name, 36).astype(int) for name in art.UNITS}
    for name in art.UNITS:
        assert art.unit_texture(name, 36).size == (36, 24)
        assert (drawn[name] > 127).mean() > 0.12, f"{name}: hardly anything is drawn"
        near = [other for other in art.UNITS if other != name and abs(drawn[name] - drawn[other]).mean() < 8]
        assert near == [], name
    with pytest.raises(KeyError, match="symbol 'unicorn' is unknown"):
        art.unit_texture("unicorn", 36)


def test_a_unit_without_a_drawing_shows_its_first_letters() -> None:
    from companion.ui.widgets import Icon

    laid = harness.lay()
    icons = [Icon(name=name, size_px=24) for name in ("unit.tank", "unit.unicorn", "unit.tank+")]
    for icon in icons:
        laid.root.frame.add_widget(icon)
    laid.frames(3)
    assert icons[0]._rect.texture is not icons[1]._rect.texture
    assert icons[1]._rect.size[0] > 0
    assert icons[2]._over is not None


def test_every_icon_has_a_shape_and_a_texture() -> None:
    assert set(art_make.SHAPES) == set(art.NAMES)
    for name in art.NAMES:
        assert art.texture(name, 24).width == 28
    with pytest.raises(KeyError, match="icon 'unicorn' is unknown"):
        art.texture("unicorn", 24)


@pytest.mark.parametrize("name", ["circle", "pause", "note"])
def test_icon_cut_out_is_the_icon_of_the_sheet(name: str) -> None:
    size = 40
    index = art.NAMES.index(name)
    left, top = index % art.COLUMNS * (size + 2) + 1, index // art.COLUMNS * (size + 2) + 1
    laid = harness.lay()
    with laid.root.canvas.after:
        Color(0, 0, 0, 1)
        Rectangle(pos=(0, 0), size=(80, 40))
        Color(1, 1, 1, 1)
        Rectangle(texture=art._cut(size, left, top), pos=(0, 0), size=(40, 40))
        Rectangle(texture=art.texture(name, size), pos=(40, 0), size=(40, 40))
    picture = laid.pixels()[-40:, :80].astype(int)
    assert abs(picture[:, :40] - picture[:, 40:]).max() <= 2
    assert picture.max() > 200


def test_every_screen_has_an_icon_and_a_class() -> None:
    for spec in SCREENS:
        assert spec.icon in art.NAMES, spec.key
        assert issubclass(load(spec.key), Screen), spec.key


def test_sounds_are_made_as_they_are_kept() -> None:
    assert set(sound_make.TONES) == set(sound.NAMES)
    for name in sound.NAMES:
        kept = (Path(sound.__file__).parent / "sounds" / f"{name}.wav").read_bytes()
        assert kept == sound_make.wav_bytes(name), name


def test_nothing_is_left_untranslated() -> None:
    loader = SourceFileLoader("catalogues", str(TOP / "deploy" / "catalogues"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("catalogues", loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    assert module.check() == [], "run deploy/catalogues update, translate, deploy/catalogues compile"


def subclasses(of: type) -> Iterator[type]:
    """Return every class that is made of one, itself too."""
    yield of
    for one in of.__subclasses__():
        yield from subclasses(one)


def test_the_style_holds_every_widget_of_the_library_that_the_screens_use() -> None:
    """The library's own file of styles is not read: a widget that it describes would be drawn as nothing."""
    folder = Path(companion.ui.__path__[0])
    for found in pkgutil.walk_packages(companion.ui.__path__, "companion.ui."):
        importlib.import_module(found.name)
    made_of = {
        base.__name__
        for one in subclasses(Widget)
        if one.__module__.startswith("companion.ui")
        for base in one.__mro__
        if base.__module__.startswith("kivy.uix")
    }
    for rules in folder.rglob("*.kv"):
        if rules.name != "style.kv":
            made_of |= set(re.findall(r"^ +([A-Z]\w+):", rules.read_text(), re.MULTILINE))
    heads = re.compile(r"^<([^>]+)>", re.MULTILINE)
    described = {
        name.strip("-").partition("@")[0]
        for head in heads.findall((Path(kivy_data_dir) / "style.kv").read_text())
        for name in head.split(",")
    }
    assert described >= {"Label", "Button", "StencilView", "TextInput", "ScrollView"}
    assert made_of >= {"StencilView", "BoxLayout"}
    assert made_of & described == set(heads.findall((folder / "style.kv").read_text()))
    assert resource_find("data/glsl/default.fs") == str(Path(kivy_data_dir) / "glsl" / "default.fs")


def test_environment_leaves_no_file_and_refuses_to_come_too_late(tmp_path: Path) -> None:
    code = (
        "from companion.ui import env\n"
        "env.prepare(320, 240, offscreen=True)\n"
        "from kivy.core.window import Window\n"
        "assert Window is not None and tuple(Window.size) == (320, 240), Window\n"
        "from kivy.config import Config\n"
        "assert Config.options('input') == [] and Config.getint('graphics', 'multisamples') == 0\n"
        "try:\n    env.prepare()\nexcept RuntimeError as fault:\n    print(fault)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={
            "HOME": str(tmp_path),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(TOP),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MESA_SHADER_CACHE_DISABLE": "true",  # what the screen's driver keeps is its own
        },
    )
    assert "kivy was imported before its environment was prepared" in run.stdout
    assert list(tmp_path.rglob("*")) == []


def test_device_has_exactly_one_touch_source() -> None:
    code = (
        "from companion.ui import env\n"
        "env.prepare(offscreen=True, touch=True)\n"
        "from kivy.config import Config\n"
        "print(Config.items('input'))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=TOP)
    assert run.stdout.strip() == "[('touch', 'probesysfs,provider=mtdev')]"


@pytest.mark.skipif(Path("/proc/asound/cards").exists(), reason="this machine may have a sound card")
def test_a_machine_without_a_sound_card_says_so_in_one_line() -> None:
    code = (
        "import os\n"
        "from companion.ui import env; env.prepare(offscreen=True)\n"
        "from companion.ui.sound import KivySounds\n"
        "sounds = KivySounds(); sounds.play('press'); sounds.play('low'); os.write(2, b'another line\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    told, other = done.stderr.splitlines()
    assert told.startswith("no sound: ")
    assert told.endswith("; the game goes on in silence")
    assert other == "another line"
