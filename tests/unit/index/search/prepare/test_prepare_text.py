from __future__ import annotations

import random
import unicodedata

import pytest

from pollux.index.search.fields import _words, tokens
from pollux.index.search.prepare.camel_case import BETWEEN, GAP, camel_parts, camel_spans
from pollux.index.search.prepare.prepare_text import clean, prepare
from pollux.index.search.prepare.unspaced import JOINT
from pollux.text.folding import fold

SEED = 20261115


def words_of(text: str) -> list[str]:
    """What the index makes of a text that is ready for it."""
    return _words().analyze(text)


def parts_of(text: str) -> list[str]:
    """The parts of a text's camelCase words."""
    return camel_parts(text.encode()).split(BETWEEN) if camel_parts(text.encode()) else []


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseHTMLDocument", ["parse", "html", "document"]),
        ("HTMLDocument", ["html", "document"]),
        ("getItem2Go", ["get", "item2", "go"]),
        ("utf8Decode", ["utf8", "decode"]),
        ("iPhone", ["phone"]),
        ("caféBar", ["café", "bar"]),
        ("dash—Bar", []),
        ("用API测试", []),
        ("用apiKey测试", ["api", "key"]),
        ("aB" * 128, []),
        (f"é{'aB' * 128}", []),
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


def test_a_word_is_split_once_however_often_it_occurs() -> None:
    assert parts_of("getItem getName\ngetItem items") == ["get", "item", "get", "name"]


def test_parts_are_no_neighbours() -> None:
    assert words_of(prepare("fooBar is").words) == ["foobar", "is", GAP, "foo", GAP, "bar"]
    assert words_of(prepare("caféBar").words) == ["cafebar", GAP, "cafe", GAP, "bar"]


@pytest.mark.parametrize("text", ["✓ Done → it", "║Done║it", "✔\ufe0fDone\ufe0f it", "Donè ✓ it", "Done\u0300—it"])
def test_signs_are_gaps(text: str) -> None:
    assert tokens(text) == ["done", "it"]


def test_nobody_finds_the_gap() -> None:
    assert tokens(GAP) != [GAP]


def test_only_letters_change() -> None:
    text = "Def f(x):\n\treturn x"
    assert prepare(text) == (text.encode(), text.lower())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("状态架构", ["状", "态", "架", "构"]),
        ("用API测试", ["用", "api", "测", "试"]),
        ("ひらがなカナ", list("ひらがなカナ")),
        ("ﾊﾝｶｸ", list("ハンカク")),
        ("ｶﾞ", ["ガ"]),
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


@pytest.mark.parametrize(
    "ways",
    [
        ("οδός", "ΟΔΟΣ", "Οδόσ", "οδο\u0301ς"),
        ("Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ", "οδυσσευς"),
        ("µs", "μs", "ΜS"),
        ("Straße", "STRASSE", "straẞe"),
        ("ısı", "ISI", "İSİ", "isi"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد", "محـمد"),
        ("أحمد", "احمد", "\ufe83\ufea3\ufee4\ufeaa"),
        ("Ｐｏｌｌｕｘ１", "pollux1", "POLLUX1"),
        ("𝐩𝐨𝐥𝐥𝐮𝐱", "pollux"),
        ("ёлка", "ЕЛКА", "Е\u0308лка"),
        ("й", "Й", "и\u0306"),
        ("ガ", "ｶﾞ", "カ\u3099"),
        ("한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"),
        ("coöperate", "COO\u0308PERATE", "coo\u00adperate"),
        ("ﬁle", "FILE"),
        ("Ⅷ", "viii"),
    ],
)
def test_a_word_is_one_however_it_is_written(ways: tuple[str, ...]) -> None:
    assert len({tuple(tokens(way)) for way in ways}) == 1
    assert len({tuple(tokens(f"{way}, also ς")[:1]) for way in ways}) == 1  # whatever stands beside it
    assert len({fold(way) for way in ways}) == 1


@pytest.mark.parametrize(("one", "other"), [("й", "и"), ("が", "か"), ("ї", "і"), ("नी", "नि")])
def test_letters_that_are_two_stay_two(one: str, other: str) -> None:
    assert tokens(one) != tokens(other)


@pytest.mark.slow
def test_the_index_and_the_fold_agree_about_every_character() -> None:
    """Whether a text is folded before it is handed over depends on its other characters: it must not matter."""
    parts = (range(0x80, 0x3400), range(0xA000, 0xAC20), range(0xF900, 0x10800), range(0x1D400, 0x1F200))
    every = [chr(code) for part in parts for code in part]
    assert [letter for letter in every if fold(fold(letter)) != fold(letter)] == []
    one, other = (words_of("\n".join(clean(each) for each in ways)) for ways in (every, map(fold, every)))
    assert [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]][:5] == []
    assert len(one) == len(other)


def test_half_a_character_does_no_harm() -> None:
    assert prepare("half \ud83d end").data.decode() == "half \ufffd end"
    assert tokens("half \ud83d end") == ["half", "end"]


def test_a_joint_of_somebody_else_is_a_gap() -> None:
    assert clean(f"a{JOINT}b") == "a b"


def test_any_text_comes_back_as_it_was() -> None:
    chance = random.Random(SEED)
    letters = "aB9 _\n.éßς\u0301架构한ﾊЖ\ud800😀\x00İ" + JOINT
    for _ in range(500):
        text = "".join(chance.choices(letters, k=chance.randrange(30)))
        result = prepare(text)
        assert result.data.decode() == text.replace(JOINT, " ").replace("\ud800", "\ufffd")
        words = words_of(result.words)
        assert words[: words.index(GAP) if GAP in words else None] == tokens(text)
        assert tokens(clean(text)) == tokens(text)


def test_every_part_is_where_its_span_says() -> None:
    text = "see parseHTMLDocument()"
    spans = [text[slice(*span)].lower() for place in range(len(text)) for span in camel_spans(text, place)]
    assert spans == parts_of(text)
