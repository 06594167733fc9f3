"""A page finds what `pollux search` finds: its letters are compared as `pollux.text.folding` compares them."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from unicodedata import category

import pytest

from pollux.model import Session, Text
from pollux.text.folding import fold
from tests.unit.writers.kitchen_sink import HUMAN, USER, message
from tests.web.browser_page import BrowserPage, page_of

Visit = Callable[..., BrowserPage]
FOUND = "document.getElementById('found').textContent"
MARKED = "[...CSS.highlights.get('found')].map((range) => range.toString())"
ASSIGNED = [chr(code) for code in range(sys.maxunicode + 1) if category(chr(code)) not in ("Cn", "Co", "Cs")]


def saying(*texts: str) -> str:
    messages = tuple(message(n, USER, HUMAN, Text(text=text)) for n, text in enumerate(texts))
    return page_of(Session(agent="a", id="s", messages=messages))


def folded(page: BrowserPage, texts: list[str]) -> list[str]:
    result: list[str] = page.page.evaluate("(texts) => texts.map(letters.fold)", texts)
    return result


def test_every_letter_is_folded_as_pollux_folds_it(visit: Visit) -> None:
    page = visit(saying("hello"))
    differ = [(text, ours) for text, ours in zip(ASSIGNED, folded(page, ASSIGNED), strict=True) if ours != fold(text)]
    assert differ == []


def test_and_so_is_every_letter_with_marks(visit: Visit) -> None:
    chance = random.Random(7)
    marks = [letter for letter in ASSIGNED if category(letter)[0] == "M"] + ["\u1161", "\u11a8", "\uff9e"]
    odd = [chance.choice(ASSIGNED) + "".join(chance.choices(marks, k=chance.randint(1, 40))) for _ in range(3_000)]
    texts = [*odd, *("".join(chance.choices([*odd, "a ", "É", "\n"], k=4)) for _ in range(500))]
    page = visit(saying("hello"))
    differ = [(text, ours) for text, ours in zip(texts, folded(page, texts), strict=True) if ours != fold(text)]
    assert differ == []


@pytest.mark.parametrize(
    ("text", "asked", "marked"),
    [
        ("ὁ Ὀδυσσεύς ἦλθεν", "ΟΔΥΣΣΕΥΣ", ["Ὀδυσσεύς"]),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", ["ΟΔΥΣΣΕΥΣ"]),
        ("un cafe\u0301 noir", "café", ["cafe\u0301"]),
        ("un café noir", "cafe\u0301 N", ["café n"]),
        ("Die Straße, die STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("room ㊹", "4", ["㊹"]),
        ("ＷＩＤＥ ﬁne 𝐛𝐨𝐥𝐝 end", "wide fine bold", ["ＷＩＤＥ ﬁne 𝐛𝐨𝐥𝐝"]),
        ("before ﷺ and later", "AND LATER", ["and later"]),
        ("ｶﾞ then ガ", "ガ", ["ｶﾞ", "ガ"]),
        ("й и", "и", ["и"]),
        ("İstanbul ıssız", "issiz", ["ıssız"]),
        ("🌦️ Œuvre (a+b)", "oeuvre (A+B)", ["Œuvre (a+b)"]),
    ],
)
def test_what_is_found_is_marked_in_whole_letters(visit: Visit, text: str, asked: str, marked: list[str]) -> None:
    page = visit(saying("before", text, "after"))
    page.page.locator("#find").fill(asked)
    page.wait(FOUND, f"1 of {len(marked)}")
    assert page.ask(MARKED) == marked


def test_a_mark_of_another_script_tells_words_apart(visit: Visit) -> None:
    page = visit(saying("が й"))
    for query in ("か", "\u00ad"):
        page.page.locator("#find").fill(query)
        page.wait(FOUND, "Nothing found" if query == "か" else "")


def test_what_is_found_out_of_sight_breaks_nothing(visit: Visit) -> None:
    """Where a message comes from is hidden until it is asked for."""
    page = visit(saying("hello"))
    page.page.locator("#find").fill("session-1.jsonl")
    page.wait(FOUND, "1 of 1")
