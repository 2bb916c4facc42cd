"""Text files in the encodings that editors save."""

from __future__ import annotations

import pytest

from companion.core.plaintext import NoTextError, text_of

TEXT = 'title = "Kreta, größer"\n# und noch eine Zeile\n'


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"],
)
def test_text_is_the_same_in_every_encoding_of_unicode(encoding: str) -> None:
    assert text_of(TEXT.encode(encoding)) == TEXT


def test_nothing_is_an_empty_text() -> None:
    assert text_of(b"") == ""
    assert text_of(b"\xef\xbb\xbf") == ""


def test_other_encodings_name_the_line() -> None:
    with pytest.raises(NoTextError, match="line 2: expected text saved as UTF-8") as caught:
        text_of(b"one\ngr\xf6\xdfer\n")
    assert caught.value.line == 2


def test_half_a_letter_of_utf_16_is_no_text() -> None:
    with pytest.raises(NoTextError):
        text_of("ab".encode("utf-16")[:-1])
