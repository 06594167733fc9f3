"""Scripts without spaces between words: each of their characters is a word of its own."""

from __future__ import annotations

import re
from functools import cache

JOINT = "\x1f"
"""Separates characters that are words of their own. For the index it is a gap."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff"  # Thai, Lao, Burmese, Hangul letters, Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30fa\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\ua48f\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""The characters that are words of their own, as a set of a regular expression."""


@cache
def unspaced() -> re.Pattern[str]:
    """A pattern for runs of characters that are words of their own, made when it is first needed."""
    return re.compile(f"[{UNSPACED}]+")


@cache
def is_own_word(character: str) -> bool:
    """Is the character a word of its own?"""
    return not character.isascii() and unspaced().match(character) is not None


def separate(text: str) -> str:
    """The text with a joint between characters that are words of their own."""
    return unspaced().sub(lambda run: f"{JOINT}{JOINT.join(run[0])}{JOINT}", text)
