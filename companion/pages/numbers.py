"""Figures as the table's language writes them: its decimal sign, and a blank before the percent sign.

Every fraction that a screen or the report shows goes through here; whole numbers need nothing.
"""

from __future__ import annotations

from companion.core.ledger import quarters_text
from companion.pages.i18n import current

__all__ = ["DECIMAL", "decimal", "figure", "percent", "plain", "quarters"]

DECIMAL = "."
"""The decimal sign of figures as they are kept; `decimal` writes it as the language does."""


def decimal(text: str) -> str:
    """Return a figure written with a decimal point with the decimal sign of the language in use."""
    return text.replace(DECIMAL, current().decimal_sign)


def figure(value: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a figure with so many digits behind its decimal sign."""
    return decimal(f"{value:{'+' if signed else ''}.{digits}f}")


def percent(share: float, digits: int = 1) -> str:
    """Return a share of 1 as ``62.5 %``, or ``62,5 %``."""
    return decimal(f"{share * 100:.{digits}f} %")


def plain(value: float) -> str:
    """Return a number with as many digits as it needs."""
    return decimal(f"{value:g}")


def quarters(amount: int) -> str:
    """Return an amount in quarters, such as ``48.5``."""
    return decimal(quarters_text(amount))
