"""Texts between tags: what a pattern would find, in one pass."""

from __future__ import annotations

import random
import re

import pytest

from pollux.wire import tagged, untagged

NAMES = ("a", "b-c")
PIECES = ("<a>", "</a>", "<b-c>", "</b-c>", "<d>", "</d>", "<a", "</a >", "x", "\n", "<1>")


@pytest.mark.parametrize(
    ("names", "pattern"), [(NAMES, r"<(a|b-c)>(.*?)</\1>"), (None, r"<([A-Za-z][\w-]*)>(.*?)</\1>")]
)
def test_they_are_what_a_pattern_finds(names: tuple[str, ...] | None, pattern: str) -> None:
    form, chance = re.compile(pattern, re.DOTALL), random.Random(1)
    for _ in range(2000):
        text = "".join(chance.choices(PIECES, k=chance.randrange(12)))
        assert [(one.name, one.text) for one in tagged(text, names)] == form.findall(text)
        assert untagged(text, names) == form.sub("", text)
