"""Patterns as functions of time, the language of light and sound, and seven segments."""

from __future__ import annotations

import io
import wave
from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.language import (
    CUE_PATTERNS,
    SIGNAL_MEANINGS,
    SIGNAL_PATTERNS,
    Cue,
    Signal,
    SoundSettings,
    cue_pattern,
)
from hardware.patterns import cells, clock_text, level_at, next_change_ms, period_ms, segment_bits, tone_at
from hardware.ports import DISPLAY_CHARACTERS, BuzzerPattern, DisplayText, LampPattern, LampStep, Tone
from hardware.sound import SAMPLE_RATE_HZ, render_cues, render_wav

steps = st.builds(LampStep, st.sampled_from([0.0, 0.2, 1.0]), st.integers(10, 2_000))
patterns = st.builds(LampPattern, st.lists(steps, min_size=1, max_size=16).map(tuple), st.booleans())


@given(patterns, st.integers(-100, 100_000))
def test_the_level_holds_until_the_next_change(pattern, at):
    left = next_change_ms(pattern, at)
    if left is None:
        assert level_at(pattern, at) == level_at(pattern, at + 1_000_000)
    else:
        assert left >= 1
        assert level_at(pattern, max(at, 0)) == level_at(pattern, max(at, 0) + left - 1)


@given(patterns, st.integers(0, 50_000))
def test_a_repeating_pattern_repeats(pattern, at):
    if pattern.repeat:
        assert level_at(pattern, at) == level_at(pattern, at + 3 * period_ms(pattern))
    else:
        assert level_at(pattern, period_ms(pattern) + at) == pattern.steps[-1].level


def test_tones_follow_each_other_and_end():
    tune = BuzzerPattern((Tone(440, 100), Tone(0, 50), Tone(880, 10)))
    assert [tone_at(tune, at) for at in (0, 99, 100, 150, 160)] == [
        (440, 100), (440, 1), (0, 50), (880, 10), (0, None),
    ]  # fmt: skip
    assert tune.total_ms == 160


# -- the language -------------------------------------------------------------------------------------------


def test_every_signal_has_a_pattern_and_words_and_every_cue_a_tune():
    assert set(SIGNAL_PATTERNS) == set(SIGNAL_MEANINGS) == set(Signal)
    assert set(CUE_PATTERNS) == set(Cue)
    assert len(set(SIGNAL_PATTERNS.values())) == len(Signal)
    assert len(set(CUE_PATTERNS.values())) == len(Cue)


@pytest.mark.parametrize("signal", list(Signal))
def test_no_signal_flashes_more_than_three_times_a_second(signal):
    pattern = SIGNAL_PATTERNS[signal]
    ons = [at for at in range(1, 10_000) if level_at(pattern, at) > 0.5 >= level_at(pattern, at - 1)]
    for start in range(10_000):
        assert sum(start <= at < start + 1_000 for at in ons[:40]) <= 3
        if ons and start > ons[-1]:
            break


def test_signals_differ_by_rhythm_where_they_are_not_steady():
    rhythms = {
        signal: tuple((step.level > 0.5, step.ms) for step in pattern.steps)
        for signal, pattern in SIGNAL_PATTERNS.items()
        if not pattern.is_steady
    }
    assert len(set(rhythms.values())) == len(rhythms) == 4


def test_all_sound_can_be_off():
    for cue in Cue:
        assert cue_pattern(cue, SoundSettings()) == CUE_PATTERNS[cue]
        assert cue_pattern(cue, SoundSettings(enabled=False)) is None
        assert cue_pattern(cue, SoundSettings(volume=0.0)) is None
        assert cue_pattern(cue, SoundSettings(muted=frozenset({cue}))) is None
    with pytest.raises(ValueError, match=r"SoundSettings\.volume must be 0\.0 to 1\.0, got 2"):
        SoundSettings(volume=2)


# -- sound files --------------------------------------------------------------------------------------------


def samples_of(data):
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, SAMPLE_RATE_HZ)
        return array("h", file.readframes(file.getnframes()))


@pytest.mark.parametrize("cue", list(Cue))
def test_a_cue_sounds_as_long_as_its_tones_and_no_louder_than_asked(cue):
    pattern = CUE_PATTERNS[cue]
    samples = samples_of(render_wav(pattern, 0.5))
    assert abs(len(samples) / SAMPLE_RATE_HZ - pattern.total_ms / 1000) < 0.002
    assert 0.3 * 32767 < max(samples) <= 0.5 * 32767
    assert abs(samples[0]) < 100
    assert abs(samples[-1]) < 400


def test_a_tone_has_its_pitch():
    samples = samples_of(render_wav(BuzzerPattern((Tone(1000, 1000),))))
    rises = sum(a < 0 <= b for a, b in pairwise(samples))
    assert abs(rises - 1000) <= 2


def test_rests_are_silent_and_nothing_is_a_valid_file():
    assert set(samples_of(render_wav(BuzzerPattern((Tone(0, 100),))))) == {0}
    assert len(samples_of(render_wav(BuzzerPattern()))) == 0
    with pytest.raises(ValueError, match=r"volume must be 0\.0 to 1\.0, got 1\.2"):
        render_wav(BuzzerPattern(), 1.2)


def test_cues_are_written_once(tmp_path):
    paths = render_cues(tmp_path / "sounds", 0.4)
    assert sorted(path.name for path in paths.values()) == sorted(f"{cue.value}.wav" for cue in Cue)
    times = [path.stat().st_mtime_ns for path in paths.values()]
    assert [path.stat().st_mtime_ns for path in render_cues(tmp_path / "sounds", 0.4).values()] == times
    assert render_wav(CUE_PATTERNS[Cue.FLAG], 0.4) == paths[Cue.FLAG].read_bytes()


# -- seven segments -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "digits", "shown"),
    [
        ("12:34", 4, "12.34"),
        ("7:05", 4, " 7.05"),
        ("", 4, "    "),
        ("123456", 4, "3456"),
        (".5", 4, "   .5"),
        ("1..2", 4, " 1. .2"),
        ("8", 0, ""),
    ],
)
def test_text_is_laid_out(text, digits, shown):
    row = cells(DisplayText(text), digits)
    assert len(row) == digits
    assert "".join(character + ("." if point else "") for character, point in row) == shown


def test_every_character_that_may_be_shown_has_a_shape():
    blank = [
        character
        for character in DISPLAY_CHARACTERS
        if character != " " and not segment_bits(character, False)
    ]
    assert blank == []
    assert segment_bits("8", True) == 0xFF
    assert segment_bits("?", False) == 0


@pytest.mark.parametrize(
    ("seconds", "digits", "text"),
    [
        (0, 4, "0.00"),
        (59, 4, "0.59"),
        (5_999, 4, "99.59"),
        (6_000, 4, "1h40"),
        (35_999, 4, "9h59"),
        (36_000, 4, "10h"),
        (6_000, 6, "1.40.00"),
        (-5, 4, "-0.05"),
        (-599, 4, "-9.59"),
        (-600, 4, "-0h10"[:0] or "-0h"),
        (10**7, 4, "----"),
    ],
)
def test_clock_text(seconds, digits, text):
    shown = clock_text(seconds, digits)
    assert shown.text == text
    assert len([character for character in shown.text if character not in ".:"]) <= digits


@given(st.integers(-400_000, 400_000), st.integers(4, 8))
def test_a_clock_always_fits(seconds, digits):
    assert len([c for c in clock_text(seconds, digits).text if c not in ".:"]) <= digits
