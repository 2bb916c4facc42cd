"""Draws pages: one screen for every page, one widget for each kind of block and of item, dialogs for forms."""

from __future__ import annotations
