"""What stands where on the screen of the list."""

from __future__ import annotations

SIGN, PLACEHOLDER = "❯", "search everything"
"""What stands before the search field, and in it."""

_STATUS = 60
"""From so many columns on, the number of sessions stands beside the field."""

WIDE = 112
"""From so many columns on, there is room for a preview."""

BAR = 1
"""The column of the scroll bar."""


def preview_columns(terminal: int) -> int:
    """The width of the preview, with its edge; 0 where there is no room for it."""
    return terminal * 2 // 5 if terminal >= WIDE else 0


def list_columns(terminal: int) -> int:
    """The width of a line of the list."""
    return max(terminal - preview_columns(terminal) - BAR, 1)


def shows_status(terminal: int) -> bool:
    """Is there room for the number of sessions?"""
    return terminal >= _STATUS
