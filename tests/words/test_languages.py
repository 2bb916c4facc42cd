"""Languages are folders: what Babel collects, what a new folder needs, and what the start does not load."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.extract import extract
from babel.messages.pofile import read_po

from companion.pages import i18n, numbers
from companion.pages.i18n import LANGUAGES, language_of
from companion.testing import extract as ours
from companion.testing.count_lines import kv_lines, python_lines, room, toml_lines

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    loader = SourceFileLoader("catalogues", str(TOP / "deploy" / "catalogues"))
    spec = importlib.util.spec_from_loader("catalogues", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def found(source: str, *keywords: str) -> list[object]:
    from babel.messages.frontend import parse_keywords

    told = extract(ours.code, io.BytesIO(source.encode()), keywords=parse_keywords(keywords))
    return [message for _line, message, _comments, _context in told]


def small_template() -> bytes:
    texts = (
        ('msgid ""', 'msgstr ""'),
        ("#: a.py", 'msgid "Home"', 'msgstr ""'),
        ("#: a.py", 'msgid "{n} die"', 'msgid_plural "{n} dice"', 'msgstr[0] ""', 'msgstr[1] ""'),
    )
    return "\n\n".join(map("\n".join, texts)).encode() + b"\n"


def test_every_mark_of_python_is_found_wherever_it_stands() -> None:
    source = """
x = f"{_('in a text')}", N_("one " "text"), _(name), say("other")
y = Say("outer {a}", a=Say("inner", b=Say.counted("{n} die", "{n} dice", 3)))
z = Noun("tank", "tanks"), counted({"presses": 1, "bounces": 2}), pgettext("where", "what")
"""
    keywords = ("_", "N_", "Say", "Noun:1,2", "counted:1,2", "pgettext:1c,2")
    assert found(source, *keywords) == [
        *("in a text", "one text", "outer {a}", "inner"),
        *(("{n} die", "{n} dice"), ("tank", "tanks"), "what"),
    ]


def test_only_what_a_screen_shows_is_taken_of_the_data() -> None:
    text = """
id = "no"
title = "Yes"
[rulings.a]
choice_texts = { ask = "Ask", other = "Other" }
[rulings.a.source]
text = "Rulebook"
[[card]]
name = "Ace"
seat = "allies"
"""
    options = {"keys": ["title", "text", "name"], "tables": ["choice_texts"], "without": ["source"]}
    told = [row[2] for row in ours.data(io.BytesIO(text.encode()), {}, (), options)]
    assert told == ["Yes", "Ask", "Other", "Ace"]


def test_the_stock_command_of_babel_makes_the_same_template(tool: ModuleType, tmp_path: Path) -> None:
    made = tmp_path / "made.pot"
    command = ["extract", "--quiet", "-F", "deploy/babel.toml", "-o", str(made), "."]
    command = ["--quiet", *(word for word in command if word != "--quiet")]
    subprocess.run([Path(sys.executable).parent / "pybabel", *command], cwd=TOP, check=True)

    def texts(file: bytes) -> set[tuple[object, object]]:
        return {(message.id, message.context) for message in read_po(io.BytesIO(file))}

    assert texts(made.read_bytes()) == texts(tool.TEMPLATE.read_bytes())


def test_a_new_folder_is_a_new_language(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "LOCALE", tmp_path)
    monkeypatch.setattr(tool, "TEMPLATE", tmp_path / "companion.pot")
    monkeypatch.setattr(tool, "TOP", tmp_path)
    monkeypatch.setattr(tool, "template", small_template)
    assert tool.main(["add", "pl"]) == 0
    assert tool.main(["add", "pl"]) == 1, "it is there already"
    assert tool.main(["add", "nonsense"]) == 1
    path = tmp_path / "pl" / "LC_MESSAGES" / "companion.po"
    catalogue = tool.load(path)
    assert len(catalogue) == 2
    assert catalogue.num_plurals == 3, "plural forms are the language's own"
    faults = tool.check()
    assert any("'{n} die'" in fault and "no translation" in fault for fault in faults)
    catalogue["Home"].string = "Dom"
    catalogue["{n} die"].string = ("{n} kość", "{n} kości", "{n} kosci")
    tool.save(path, catalogue)
    tool.compile_all()
    assert tool.check() == []
    catalogue["{n} die"].string = ("{n} kość", "{m} kości", "{n} kosci")
    tool.save(path, catalogue)
    assert len(tool.check()) == 2, "a gap that is not there, and an old .mo"


def test_every_language_has_its_own_name_keys_and_decimal_sign() -> None:
    assert next(iter(LANGUAGES)) == "en"
    assert LANGUAGES["en"] == "English"
    assert LANGUAGES["de"] == "Deutsch"
    for code in LANGUAGES:
        rows = language_of(code).in_context(
            "the rows of a keyboard", "1234567890 QWERTYUIOP ASDFGHJKL- ZXCVBNM.'"
        )
        keys = set(rows) - {" "}
        assert keys >= set("1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ-.'"), code
        assert len(rows.split()) <= 5, code
        assert max(map(len, rows.split())) <= 12, code
    try:
        i18n.use_language("de")
        assert (numbers.figure(2.25, 2), numbers.percent(0.5)) == ("2,25", "50,0 %")
    finally:
        i18n.use_language("en")


def test_the_installer_knows_the_languages_of_its_package(tmp_path: Path) -> None:
    wheel = tmp_path / "table_companion-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for code in ("fr", "de"):
            archive.writestr(f"companion/locale/{code}/LC_MESSAGES/companion.mo", "")
        archive.writestr("table_companion-1.0.dist-info/METADATA", "")
    package = tmp_path / "package"
    command = ["deploy/bundle", "--wheel", str(wheel), "--no-lock", "--folder", str(package)]
    subprocess.run(command, cwd=TOP, check=True, capture_output=True)
    assert (package / "deploy" / "languages").read_text().split() == ["de", "fr"]
    command = ["bash", "deploy/install", "--root", str(tmp_path / "root"), "--language", "xx"]
    done = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert "got xx, expected one of en de fr" in done.stderr


def test_locale_data_arrays_and_ciphers_are_not_loaded_before_a_table_asks_for_them() -> None:
    """Nor at the first frame: the one takes 3 MB, the others 10 and 7, and each a good part of a second on a small box."""
    code = (
        "import sys\n"
        "import companion.app\n"
        "from companion.games.registry import games_by_key\n"
        "from companion.testing import harness\n"
        "laid = harness.lay(screen='home', language='de')\n"
        "harness.lay(screen='table', language='de')\n"
        "[module.views() for module in games_by_key().values()]\n"
        "sys.exit(' '.join({'babel', 'numpy', 'cryptography'} & sys.modules.keys()) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=TOP, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_code_lines_are_lines_that_do_something() -> None:
    source = '"""About."""\n\nx = 1  # why\n"""What x is."""\n\ny = """a\n\nb"""\n\nclass A:\n    """Doc."""\n    z: int = 0\n    # no\n'
    assert python_lines(source) == 6
    assert kv_lines("#:import x y\n# no\n<Box>:\n    # no\n\n    size: 1, 2\n") == 3
    assert toml_lines("# no\n[a]\nb = 1 # c\n\n") == 2
    assert room("companion/games/sfw/rules/battle.py") == "companion/games/sfw"
    assert room("companion/cli.py") == "companion"
    assert room("vision/training/nets.py") == "vision"


def test_of_a_language_only_what_lists_and_numbers_need_stays_in_memory() -> None:
    from babel import localedata

    for code in LANGUAGES:
        for name in ("root", code, str(language_of(code).locale)):
            kept = localedata.load(name)
            assert not {"unit_patterns", "meta_zones", "territories", "currency_names"} & kept.keys()
