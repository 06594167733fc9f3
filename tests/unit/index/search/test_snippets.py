from __future__ import annotations

import random
import re

import pytest

from pollux.index.search.fields import tokens
from pollux.index.search.query import parse
from pollux.index.search.snippets import WIDTH, needles, snippet


def marked(text: str, query: str) -> str:
    """The snippet with what was looked for in brackets."""
    output, spans = snippet(text, needles(parse(query).node))
    for start, end in reversed(spans):
        output = f"{output[:start]}[{output[start:end]}]{output[end:]}"
    return output


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("the Retry logic", "retry", "the [Retry] logic"),
        ("the retry logic", '"retry logic"', "the [retry logic]"),
        ("retry, logic and retry_logic", '"retry logic"', "[retry, logic] and [retry_logic]"),
        ("retrying retry", "retry", "retrying [retry]"),
        ("retrying retry", "retr*", "[retrying] [retry]"),
        ("call parseHTMLDocument now", "html", "call parse[HTML]Document now"),
        ("call parseHTMLDocument now", "parseHtmlDocument", "call [parseHTMLDocument] now"),
        ("call parseHTMLDocument now", "docu*", "call parseHTML[Document] now"),
        ("状态架构设计", "架构", "状态[架构]设计"),
        ("用API测试", "api", "用[API]测试"),
        ("状态架构设计", "架*", "状态[架]构设计"),
        ("用Python開発", "pyth*", "用[Python]開発"),
        ("用fetchData测试", "data", "用fetch[Data]测试"),
        ("Café Straße", "cafe strasse", "[Café] [Straße]"),
        ("η οδός εδώ", "ΟΔΟΣ", "η [οδός] εδώ"),
        ("Η ΟΔΟΣ ΕΔΩ", "οδός", "Η [ΟΔΟΣ] ΕΔΩ"),
        ("η οδο\u0301ς εδώ", '"οδος εδω"', "η [οδο\u0301ς εδώ]"),
        ("ακούς τίποτα;", "ακουσ*", "[ακούς] τίποτα;"),
        ("cafe\u0301 noir", "café", "[cafe\u0301] noir"),
        ("אמר שָׁלוֹם לך", "שלום", "אמר [שָׁלוֹם] לך"),
        ("Ｐｏｌｌｕｘ here", "pollux", "[Ｐｏｌｌｕｘ] here"),
        ("ｶﾞｲﾄﾞ本", "ガイド", "[ｶﾞｲﾄﾞ]本"),
        ("took 5 µs", "μs", "took 5 [µs]"),
        ("eine Straße weiter", "weiter", "eine Straße [weiter]"),
        ("blosc_getitem(x)", "getitem", "blosc_[getitem](x)"),
        ("a\n\n  b\tc\x1b[31m d", "b", "a [b] c [31m d"),
        ("  lead", "lead", "[lead]"),
        ("this and that", "this -nothing", "[this] and that"),
        ("one or other", "(one OR two) other", "[one] or [other]"),
        ("nothing here", "file:x", "nothing here"),
    ],
)
def test_what_was_looked_for_is_marked(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


def test_the_window_holds_as_much_as_it_can() -> None:
    text = "alpha " + "x " * 300 + "alpha beta " + "y " * 300
    output = marked(text, "alpha beta")
    assert "[alpha] [beta]" in output
    assert output.startswith("…")
    assert output.endswith("…")


@pytest.mark.parametrize("rare", ["timeout", "fetchTimeout", "Tïmeout", "ﬁrst timeout"])
def test_a_rare_word_is_shown_with_a_common_one(rare: str) -> None:
    noise = "error again\n" * 500
    output = marked(f"{noise}here: error with {rare} at last\n{noise}", "error timeout")
    assert "here: [error] with " in output
    assert re.search(r"\[t.meout\]", output, re.IGNORECASE)


def test_a_snippet_is_short_and_one_line_and_its_spans_are_the_words() -> None:
    chance = random.Random(3)
    vocabulary = ["alpha", "Beta", "gammaDelta", "架构", "straße", "\n", "é", "x" * 200, "...", "\t", "\x00"]
    for _ in range(500):
        text = "".join(f"{word}{chance.choice([' ', '', chr(10)])}" for word in chance.choices(vocabulary, k=60))
        output, spans = snippet(text, needles(parse("beta OR 架构 OR strasse").node))
        assert len(output) <= WIDTH + 2
        assert "\n" not in output
        assert "\x00" not in output
        assert list(spans) == sorted(spans)
        for start, end in spans:
            assert re.search("beta|架构|strasse", " ".join(tokens(output[start:end])).replace("架 构", "架构"))
