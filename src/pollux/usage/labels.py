"""What was used, in a few letters: tokens and dollars as people read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pollux.text.figures import number

if TYPE_CHECKING:
    from pollux.model import Usage
    from pollux.usage.stats import Measure
    from pollux.usage.sums import Row


def tokens(usage: Usage) -> str:
    """A sum of tokens; `≥` says that more were used than the files tell."""
    least = usage.exact is False or usage.total is None
    return f"≥{number(usage.known)}" if least and usage.known is not None else number(usage.known)


def label(of: Measure, value: float) -> str:
    """A value with its unit."""
    if of == "cost":
        return f"${value:,.2f}" if value >= 0.1 or math.isclose(value, round(value, 2)) else f"${value:.4f}"
    words = number(round(value))
    return words if of == "tokens" else f"{words} {of.value if value != 1 else of.value[:-1]}"


def at_least(of: Measure, total: Row) -> str:
    """`at least ` where the files are known to hold less than what was used."""
    return "at least " if (total.usage.exact is False if of == "tokens" else total.at_least) else ""


def too_low(count: int, sessions: str) -> str:
    """What to say where some of the sessions used more than is known."""
    return f"{count:,} of {sessions} used more tokens than their files record: pollux audit shows why."
