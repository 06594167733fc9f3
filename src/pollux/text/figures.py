"""Figures, paths and names as people read them."""

from __future__ import annotations

import os

NONE = "–"
HANDED_OVER = "handed over"
KINDS = {"subagent": "sub-agent", "checkpoint": "checkpoint", "prompts": "prompts only"}


def number(value: int | None) -> str:
    """1,234 · 56.7k · 8.9M · 1.2B · 3.4T; a dash where it is not known."""
    if value is None:
        return NONE
    if value < 10_000:
        return f"{value:,}"
    for size, unit in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if value >= 0.9995 * size:
            return f"{value / size:.1f}{unit}"
    return f"{value / 1000:.1f}k" if value < 99_950 else f"{value / 1000:.0f}k"


def least(figure: str, *, more: bool) -> str:
    """A figure as it was put into words; `≥` says that there may be more."""
    return f"≥{figure}" if more and figure[0].isdigit() else figure


def money(amount: float | None, *, at_least: bool = False) -> str:
    """Dollars; `≥` says that more was paid, a dash that nobody knows how much."""
    if amount is None:
        return NONE
    text = f"${amount:,.2f}" if amount >= 0.995 or amount == 0 else f"${amount:.4f}" if amount >= 0.0001 else "<$0.0001"
    return f"≥{text}" if at_least else text


def share(part: int | None, whole: int | None) -> str:
    """A part in percent."""
    return f"{100 * part / whole:.0f}%" if part is not None and whole else NONE


def size(count: int) -> str:
    """Bytes."""
    if count < 1000:
        return f"{count} B"
    for limit, unit in ((1e6, "kB"), (1e9, "MB"), (1e12, "GB")):
        if count < 0.9995 * limit:
            figure = count / (limit / 1000)
            return f"{figure:.1f} {unit}" if figure < 9.95 else f"{figure:.0f} {unit}"
    return f"{count / 1e12:.1f} TB"


def duration(seconds: float | None) -> str:
    """How long something took."""
    if seconds is None:
        return NONE
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def plural(count: int, one: str, many: str | None = None) -> str:
    """`1 session`, `2 sessions`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def tilde(path: str, home: str) -> str:
    """A path with the home directory as `~`."""
    home = home.rstrip(os.sep)
    if home and (path == home or path.startswith(home + os.sep)):
        return "~" + path[len(home) :]
    return path
