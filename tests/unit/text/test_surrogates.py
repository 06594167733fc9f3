"""Lone surrogates, for which there is one helper."""

from __future__ import annotations

from pathlib import Path

import msgspec

import pollux
from pollux.text.escape import visible
from pollux.text.surrogates import escape_surrogates, has_surrogates, replace_surrogates, spell_surrogates


class Named(msgspec.Struct):
    """A value with texts in several places."""

    name: str
    more: dict[str, list[str]]


def test_a_byte_and_half_a_character_are_spelled_out() -> None:
    assert spell_surrogates("a\udcffé\ud83d") == r"a\xffé\ud83d"
    assert spell_surrogates("\udc80", backslash="\\\\") == r"\\x80"
    assert visible("a\udcffé\ud83d") == spell_surrogates("a\udcffé\ud83d")


def test_what_has_none_stays() -> None:
    for text in ("", "plain", "é 😀"):
        assert not has_surrogates(text)
        assert replace_surrogates(text) == spell_surrogates(text) == text


def test_one_is_found_and_replaced() -> None:
    assert has_surrogates("a\ud800")
    assert replace_surrogates("a\ud800b\udcff") == "a\ufffdb\ufffd"


def test_every_text_of_a_value_is_spelled_out() -> None:
    assert escape_surrogates(Named("\udcff", {"a": ["\ud800"]}), Named) == Named(r"\xff", {"a": [r"\ud800"]})


def test_no_other_module_looks_for_them() -> None:
    root = Path(pollux.__file__).parent
    ranges = r"\ud800-\udfff"
    places = {path.relative_to(root).as_posix() for path in root.rglob("*.py") if ranges in path.read_text("utf-8")}
    assert places == {"text/escape.py", "text/surrogates.py"}
