from __future__ import annotations

import json

import pytest

from pollux.text.escape import escaped, one_line, visible

ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x00\x07\x08\x0b\x0c\x7f", "␀␇␈␋␌␡"),
        ("\x9b31m \x85", r"\x9b31m \x85"),
        ("dos\r\nmac\rtoo", "dos\nmac␍too"),
        ("half \ud800, byte \udcff", r"half \ud800, byte \xff"),
        ("gpj.\u202eexe\u202c", r"gpj.\u202eexe\u202c"),
        ("\u2066isolated\u2069", r"\u2066isolated\u2069"),
        ("a\U000e0041\U000e007f", r"a\U000e0041\U000e007f"),
        ("\u05d0\u200f, \u200e\u0627\u061c", "\u05d0\u200f, \u200e\u0627\u061c"),
        ("架构 👩‍🚀", "架构 👩‍🚀"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        (ENGLAND, ENGLAND),
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


def test_a_document_on_a_terminal_means_the_same() -> None:
    every = "".join(map(chr, [*range(0xA0), *range(0x2000, 0x2070), *range(0xE0000, 0xE0080), 0x1F600])) + ENGLAND
    written = json.dumps({every: [every]}, ensure_ascii=False) + "\n"
    output = escaped(written)
    assert json.loads(output) == json.loads(written)
    assert visible(output) == output


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x2070)])
def test_every_control_is_covered(code: int) -> None:
    assert (visible(chr(code)) == chr(code)) == (chr(code) in "\n\t")


@pytest.mark.parametrize(
    "letter",
    [*"\u00ad\u200b\u2060\u2064\ufeff\u115f\u1160\u3164\uffa0", "\U000e0100", "\U000e01ef", "\U000e0020", "\U0001d173"],
)
def test_a_letter_that_nobody_sees_is_written_out(letter: str) -> None:
    code = ord(letter)
    assert visible(f"a{letter}b") == (f"a\\u{code:04x}b" if code < 0x10000 else f"a\\U{code:08x}b")


@pytest.mark.parametrize("text", ["❤️", "☎︎", "1️⃣", "👨‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می‌خواهم", "葛\U000e0100飾", "≨\ufe00"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert visible(text) == text


def test_of_several_selectors_only_the_first_says_something() -> None:
    assert visible("a\ufe0f\ufe0e\ufe0f") == "a\ufe0f\\ufe0e\\ufe0f"
    assert visible("葛\U000e0100\U000e0101") == "葛\U000e0100\\U000e0101"
