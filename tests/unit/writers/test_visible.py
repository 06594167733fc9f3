from __future__ import annotations

import pytest

from pollux.writers.visible import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x00\x07\x08\x0b\x0c\x7f", "␀␇␈␋␌␡"),
        ("\x9b31m \x85", "�31m �"),
        ("dos\r\nmac\rtoo", "dos\nmac␍too"),
        ("\ud83d half", "� half"),
        ("架构 👩‍🚀", "架构 👩‍🚀"),
    ],
)
def test_controls_are_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\t b\r\nc ") == "a b c"


def test_a_long_line_is_cut_and_says_so() -> None:
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("a" * 100_000, 10) == "a" * 9 + "…"
    assert one_line("abcd", 4) == "abcd"
