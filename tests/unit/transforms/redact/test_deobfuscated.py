"""A text as it is read tells where its letters stand in the text as it is written."""

from __future__ import annotations

import pytest

from pollux.transforms.redact.deobfuscated import as_read, views


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain [1] 100% & <b>", "plain [1] 100% & <b>"),
        ("\x1b[1;32ma\x1b[0mb", "ab"),
        ("a\x1b[5Cb", "a b"),
        ("\x1b]8;;https://host\x07a\x1b]8;;\x07", " a "),
        (r"\u001b[32ma\x1b[0mb\033[1mc\e[0md^[[0me[33mf", "abcdef"),
        (r"\u0022a\\u000ab\x3dc\u{22}", '"a\nb=c"'),
        ("%22a%0Ab%2522", '"a\nb"'),
        ("&quot;a&#10;b&#x3d;c&amp;<br>d<BR/>", '"a\nb=c&\nd\n'),
        ("a\u200bb\ufeffc\u00add\\u200be", "abcde"),
        (r"C:\new\table \d [m 5%", r"C:\new\table \d [m 5%"),
    ],
)
def test_reading(text: str, read: str) -> None:
    assert as_read(text) == read


def test_what_is_found_in_a_view_is_found_in_the_text() -> None:
    text = "x\x1b[1m \x1b[32mwo\x1b[0mrd\x1b[0m %22end%22"
    for view in views(text):
        for word, whole in (("word", "wo\x1b[0mrd"), ("end", "end")):
            start = view.text.find(word)
            place = view.origin(start, start + len(word))
            assert start < 0 or (place is not None and text[slice(*place)] == whole)


def test_a_plain_text_has_no_other_reading() -> None:
    assert views("plain [1] 100% & <b> \\d") == []


def test_only_what_is_near_is_read_again() -> None:
    whole, piece = views(f"{'a ' * 50_000}%22b%22{' c' * 50_000}")
    assert len(whole.text) > 200_000
    assert len(piece.text) < 3_000
    assert '"b"' in piece.text
