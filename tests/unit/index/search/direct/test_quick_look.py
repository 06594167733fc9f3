"""A quick look at all passages of a session misses none that has a phrase."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from pollux.index.search.direct.quick_look import PassageLetters
from pollux.index.search.direct.word_count import CountedText
from pollux.index.search.fields import analyze
from pollux.index.search.passages import joined, passage_parts
from pollux.index.search.prepare.prepare_text import clean
from pollux.index.search.snippets import Needle
from pollux.model import Author, Part, Session, Status
from tests.unit.index.search.direct.test_examine import ODD
from tests.unit.index.search.small_sessions import corpus, edit_call, prompt, reply, session, shell_call

Passages = list[tuple[list[Part], Author]]
SEED = 11


def passages_of(sessions: list[Session]) -> Passages:
    return [(parts, m.author) for each in sessions for m in each.messages for _, parts in passage_parts(m)]


def having(passages: Passages, *words: str) -> list[int]:
    return PassageLetters(passages).having(words)


@pytest.mark.slow
def test_no_passage_with_a_phrase_is_missed() -> None:
    passages = passages_of([*corpus(), *ODD])
    texts = [CountedText(joined(parts, author)[1]) for parts, author in passages]
    letters, chance, judged = PassageLetters(passages), random.Random(SEED), 0
    for text in chance.choices([text for text in texts if text.words], k=400):
        words = chance.choice((text.words, text.part_words or text.words))
        place = chance.randrange(len(words))
        phrase = tuple(words[place : place + chance.choice((1, 2, 2, 3))])
        if any(word != word.lower() for word in phrase):  # the gap between two parts of a word
            continue
        needle = Needle(phrase, prefix=chance.random() < 0.2)
        found = set(letters.having(phrase))
        missed = [n for n, each in enumerate(texts) if each.count(needle) and n not in found]
        assert not missed, phrase
        judged += 1
    assert judged > 300


def test_words_that_do_not_stand_side_by_side_are_no_phrase() -> None:
    talk = session(prompt("retry the logic"), reply("logic, retry"), reply("Retry -- logic"), prompt("retry\n_logic"))
    assert having(passages_of([talk]), "retry", "logic") == [2, 3]
    assert having(passages_of([talk]), "retry") == [0, 1, 2, 3]
    assert having(passages_of([talk]), "entry") == []


def test_a_phrase_may_span_the_texts_of_a_call() -> None:
    talk = session(
        reply("done", shell_call("pytest -q", "1 failed", Status.ERROR), edit_call("/home/ada/main.py", "blosc"))
    )
    passages = passages_of([talk])
    for number, (parts, author) in enumerate(passages):
        words = analyze(clean(joined(parts, author)[1]))
        for phrase in pairwise(words):
            assert number in having(passages, *phrase), phrase


def test_a_gap_of_many_signs_is_not_looked_through() -> None:
    talk = session(prompt(f"unit {'=' * 500} logic"), prompt(f"unit x {'=' * 10} logic"), prompt("Café — 架构 logic"))
    assert having(passages_of([talk]), "unit", "logic") == [0]
    assert having(passages_of([talk]), "架", "构") == [2]
    assert having(passages_of([talk]), "构", "logic") == [0, 2]
    assert having(passages_of([talk]), "cafe") == [2]
