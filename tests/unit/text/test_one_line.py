from __future__ import annotations

import pytest

from pollux.text.escape import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x1b]52;c;ZXZpbA==\x1b\\", "␛]52;c;ZXZpbA==␛\\"),
        ("\x9b2J", "\\x9b2J"),
        ("nul \x00 del \x7f", "nul ␀ del ␡"),
        ("over\rwritten", "over␍written"),
        ("from dos\r\n", "from dos\n"),
        ("gpj.\u202eexe\u202c", "gpj.\\u202eexe\\u202c"),
        ("\u2066isolated\u2069", "\\u2066isolated\\u2069"),
        ("half \ud800, byte \udcff", "half \\ud800, byte \\xff"),
        ("架构 🌦️ ä", "架构 🌦️ ä"),
    ],
)
def test_controls_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_control_is_covered() -> None:
    allowed = {"\n", "\t"}
    for code in [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]:
        character = chr(code)
        assert (visible(character) == character) == (character in allowed), hex(code)


def test_one_line() -> None:
    assert one_line("  a\n\tb \x1b c\r\n") == "a b ␛ c"
