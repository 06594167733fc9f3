from __future__ import annotations

import random
import unicodedata

import pytest

from pollux.store.fields import tokens
from pollux.store.words import GAP, JOINT, camel_spans, clean, plain, ready

SEED = 20261115


def parts_of(text: str) -> list[str]:
    """The parts of a text's camelCase words, as the index takes them."""
    return [part for part in ready(text).parts.split(f" {GAP} ") if part]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseHTMLDocument", ["parse", "HTML", "Document"]),
        ("HTMLDocument", ["HTML", "Document"]),
        ("getItem2Go", ["get", "Item2", "Go"]),
        ("utf8Decode", ["utf8", "Decode"]),
        ("iPhone", ["Phone"]),
        ("caféBar", ["café", "Bar"]),
        ("blosc_getitem", []),
        ("Plain", []),
        ("CAPITALS", []),
        ("", []),
    ],
)
def test_parts_of_identifiers(word: str, parts: list[str]) -> None:
    assert parts_of(word) == parts


def test_every_way_to_write_a_letter_is_the_same() -> None:
    different = []
    for code in (*range(0xAC20), *range(0xF900, 0x30000)):  # of the Korean syllables, a few
        composed = unicodedata.normalize("NFC", chr(code))
        decomposed = unicodedata.normalize("NFD", chr(code))
        if decomposed != chr(code) and len({tuple(tokens(each)) for each in (chr(code), composed, decomposed)}) > 1:
            different.append(chr(code))
    assert different == []


def test_a_part_is_given_once_however_often_it_occurs() -> None:
    assert parts_of("getItem getName setItem\ngetItem") == ["get", "Item", "Name", "set"]


def test_parts_are_no_neighbours() -> None:
    assert ready("fooBar").parts == f"foo {GAP} Bar"


def test_ascii_text_stays_as_it_is() -> None:
    text = "def f(x):\n\treturn x"
    assert ready(text) == (text, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("状态架构", ["状", "态", "架", "构"]),
        ("用API测试", ["用", "api", "测", "试"]),
        ("ひらがなカナ", list("ひらがなカナ")),
        ("ﾊﾝｶｸ", list("ﾊﾝｶｸ")),
        ("한국어", list("한국어")),
        ("𠀀𠀁", list("𠀀𠀁")),
        ("人々", list("人々")),
        ("ＡＢＣ全角", ["abc", "全", "角"]),
        ("เขียน", list("เขียน")),
    ],
)
def test_unspaced_scripts_fall_apart(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Straße", ["strasse"]),
        ("ØRE ÆSIR", ["ore", "aesir"]),
        ("İstanbul ISTANBUL", ["istanbul", "istanbul"]),
        ("Café", ["cafe"]),
        ("re\u0301sume\u0301", ["resume"]),
        ("naïve ﬁne", ["naive", "fine"]),
        ("ΑΘΗΝΑ", ["αθηνα"]),
        ("ПРИВЕТ", ["привет"]),
        ("foo_bar-baz.qux", ["foo", "bar", "baz", "qux"]),
    ],
)
def test_case_and_latin_accents_fold(text: str, words: list[str]) -> None:
    assert tokens(text) == words


def test_half_a_character_does_no_harm() -> None:
    assert clean("half \ud83d end") == "half \ufffd end"
    assert tokens("half \ud83d end") == ["half", "end"]


def test_a_joint_of_somebody_else_is_a_gap() -> None:
    assert clean(f"a{JOINT}b") == "a b"


def test_any_text_comes_back_composed() -> None:
    chance = random.Random(SEED)
    letters = "aB9 _\n.éß\u0301架构한ﾊЖ\ud800😀\x00İ" + JOINT
    for _ in range(500):
        text = "".join(chance.choices(letters, k=chance.randrange(30)))
        expected = unicodedata.normalize("NFC", text.replace(JOINT, " ").replace("\ud800", "\ufffd"))
        assert plain(clean(text)) == expected
        assert clean(plain(clean(text))) == clean(text)


def test_every_part_is_where_its_span_says() -> None:
    text = "see parseHTMLDocument()"
    assert [text[slice(*span)] for place in range(len(text)) for span in camel_spans(text, place)] == parts_of(text)
