"""A label and what it can be, for screens made by hand."""

from __future__ import annotations

from kivy.properties import NumericProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.ui.screen import load_kv

__all__ = ["OptionLine"]


class OptionLine(BoxLayout):
    """One option: its label and what it can be."""

    label = StringProperty("")
    hint = StringProperty("")
    share = NumericProperty(0.42)
    """Share of the width that the label gets."""

    ROW = (64, 104)
    """Height at 800x480, and in portrait, where the label stands above."""


load_kv(__file__)
