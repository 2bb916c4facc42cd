"""Widgets that all screens share. Import the names you need from here; a screen's kv file may use them all.

They show what they are given and announce what was done (`on_act`); none knows a rule, a desk or another widget.
"""

from __future__ import annotations

from pathlib import Path

from kivy.lang import Builder

from companion.ui.widgets.basic import Emblem, Icon, Panel, Rule, Space, Text
from companion.ui.widgets.digits import Digits
from companion.ui.widgets.fields import Choice, DicePad, NumberPad, Stepper, TickLine
from companion.ui.widgets.lists import Pages, Tabs
from companion.ui.widgets.marks import Badge, ClockCard, Half, ScoreLine, Strip
from companion.ui.widgets.plots import BarPlot, Histogram, LinePlot, Progress
from companion.ui.widgets.tap import Plate, Tap

__all__ = [
    "Badge",
    "BarPlot",
    "Choice",
    "ClockCard",
    "DicePad",
    "Digits",
    "Emblem",
    "Half",
    "Histogram",
    "Icon",
    "LinePlot",
    "NumberPad",
    "Pages",
    "Panel",
    "Plate",
    "Progress",
    "Rule",
    "ScoreLine",
    "Space",
    "Stepper",
    "Strip",
    "Tabs",
    "Tap",
    "Text",
    "TickLine",
]

Builder.load_file(str(Path(__file__).parent / "widgets.kv"))
