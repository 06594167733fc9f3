from __future__ import annotations

import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from pollux.errors import BadQuery
from pollux.index.search.query import And, FieldFilter, Node, Not, Or, Words, parse

AGENTS = ("claude", "codex", "gemini")


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00+00:00")
    with monkeypatch.context() as inner:
        inner.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def word(text: str, *, prefix: bool = False) -> Words:
    return Words(text=text, prefix=prefix)


A, B, C = word("a"), word("b"), word("c")


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a b", [A, B]),
        ('"a b" c', [word("a b"), C]),
        ("a*", [word("a", prefix=True)]),
        ('"a b*"', [word("a b", prefix=True)]),
        ("a**", [word("a", prefix=True)]),
        ('"char *"', [word("char *")]),
        ("a_*", [word("a_*")]),
        ("भाषा*", [word("भाषा", prefix=True)]),
        ("a.*", [word("a.*")]),
        ("a -b", [A, Not(node=B)]),
        ('a -"b c"', [A, Not(node=word("b c"))]),
        ("a OR b", [Or(nodes=(A, B))]),
        ("a OR b OR c", [Or(nodes=(A, B, C))]),
        ("a b OR c", [A, Or(nodes=(B, C))]),
        ("(a b) OR c", [Or(nodes=(And(nodes=(A, B)), C))]),
        ("a -(b OR c)", [A, Not(node=Or(nodes=(B, C)))]),
        ("(a)", [A]),
        ("a or b", [A, word("or"), B]),
        ("ORacle", [word("ORacle")]),
        ("main()", [word("main()")]),
        ("(a OR main())", [Or(nodes=(A, word("main()")))]),
        ("--no-sync", [word("--no-sync")]),
        ("a - b", [A, B]),
        ("a => b", [A, B]),
        ("std::vector", [word("std::vector")]),
        ("http://x", [word("http://x")]),
        ("C:\\x", [word("C:\\x")]),
        ("key:value", [word("key:value")]),
        ("model::User", [word("model::User")]),
        ("agent:gemini", [FieldFilter(name="agent", value="gemini")]),
        ("AGENT:Gemini", [FieldFilter(name="agent", value="gemini")]),
        ('project:"my app" a', [FieldFilter(name="project", value="my app"), A]),
        ("a -tool:shell", [A, Not(node=FieldFilter(name="tool", value="shell"))]),
        ("file:*.py", [FieldFilter(name="file", value="*.py")]),
        ("failed:yes", [FieldFilter(name="failed", value=True)]),
        ("failed:no", [FieldFilter(name="failed", value=False)]),
        ("since:2w", [FieldFilter(name="since", value=datetime(2026, 11, 1, 12, tzinfo=UTC))]),
        ("before:2026-11-01", [FieldFilter(name="before", value=datetime(2026, 11, 1, tzinfo=UTC))]),
        ("until:2026-11-01", [FieldFilter(name="until", value=datetime(2026, 11, 1, 23, 59, 59, 999_999, tzinfo=UTC))]),
        ("in:prompts a", [FieldFilter(name="in", value="prompts"), A]),
    ],
)
def test_what_is_meant(text: str, nodes: list[Node]) -> None:
    assert list(parse(text, AGENTS).node.nodes) == nodes


@pytest.mark.parametrize(
    ("text", "place", "sentence"),
    [
        ("", 0, "nothing to look for"),
        ("=> *", 0, "nothing to look for"),
        ('say "abc', 4, "quote is never closed"),
        ("a (b", 2, "parenthesis is never closed"),
        ("a b)", 3, "parenthesis was never opened"),
        (") a", 0, "parenthesis was never opened"),
        ("OR a", 0, "OR needs something on both sides"),
        ("a OR", 2, "OR needs something on both sides"),
        ("a OR OR b", 5, "OR needs something on both sides"),
        ("(a OR) b", 3, "OR needs something on both sides"),
        ("a OR -b", 2, "OR cannot join what is to be left out"),
        ("-a -b", 3, "needs something to find"),
        ("a (-b)", 2, "needs something to find"),
        ("a role:bot", 7, "role: cannot be 'bot'"),
        ("agent:gemni a", 6, "agent: cannot be 'gemni'"),
        ("in:prompt a", 3, "in: cannot be 'prompt'"),
        ("failed:maybe", 7, "failed: cannot be 'maybe'"),
        ("a since:someday", 8, "'someday' is not a time"),
        ("file: main.py", 5, "needs a value right after the colon"),
        ("(" * 30 + "a" + ")" * 30, 20, "too many parentheses"),
    ],
)
def test_what_makes_no_sense_is_pointed_at(text: str, place: int, sentence: str) -> None:
    with pytest.raises(BadQuery, match=sentence) as caught:
        parse(text, AGENTS)
    assert caught.value.place == place
    assert str(caught.value).splitlines()[-2:] == [f"  {text}", f"  {' ' * place}^"]


def test_the_caret_stands_under_wide_characters() -> None:
    with pytest.raises(BadQuery) as caught:
        parse("状态 (a")
    assert str(caught.value).splitlines()[-1] == "       ^"


def test_of_a_long_query_the_trouble_is_shown() -> None:
    with pytest.raises(BadQuery) as caught:
        parse("架 " * 500 + "(b" + " c" * 500)
    _, output, caret = str(caught.value).splitlines()
    assert len(output) < 140
    assert output.startswith("  …")
    assert output.endswith("c…")
    assert caret.index("^") == len(output[: output.index("(")].replace("架", "架 "))
    assert caught.value.place == 1000


def test_a_near_miss_is_text_with_a_hint() -> None:
    query = parse("agnt:gemini")
    assert query.node.nodes == (word("agnt:gemini"),)
    assert query.hints == ("agnt: is not a filter and was looked for as text. Did you mean: agent:gemini?",)
    assert parse("http://x std::y key:value").hints == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a AND b", "AND was looked for as a word. All words must occur anyway."),
        ("a NOT b", "NOT was looked for as a word. To leave out what follows, put a - before it."),
        ("after:2w a", "after: is not a filter and was looked for as text. Did you mean: since:2w?"),
        ("a 🎉", "🎉 was not looked for: it has neither letter nor digit."),
        ('a -"→"', "→ was not looked for: it has neither letter nor digit."),
    ],
)
def test_what_is_meant_otherwise_elsewhere_gets_a_hint(text: str, hint: str) -> None:
    (answer,) = parse(text).hints
    assert answer.startswith(hint)


def test_signs_of_code_need_no_hint() -> None:
    assert parse('a && b -> c - d "(*)" and not "AND"').hints == ()


def test_signs_alone_are_found_by_a_pattern() -> None:
    with pytest.raises(BadQuery) as caught:
        parse("🎉")
    assert "--regex" in str(caught.value.hint)


def test_a_near_miss_of_a_value_gets_a_hint() -> None:
    with pytest.raises(BadQuery) as caught:
        parse("in:prompt a")
    assert caught.value.hint == "Did you mean: in:prompts?"


def test_more_filters_can_be_added() -> None:
    query = parse("a").narrowed(agent="gemini", project=None)
    assert query.node.nodes == (A, FieldFilter(name="agent", value="gemini"))


def test_anything_typed_is_understood_or_refused() -> None:
    chance = random.Random(1)
    pieces = ["a", "foo*", '"', "(", ")", "-", " ", "OR", " OR ", "agent:", "file:x", "since:", "3d", "架构", "\n", "*"]
    understood = 0
    for _ in range(3000):
        text = "".join(chance.choices(pieces, k=chance.randrange(1, 10)))
        try:
            parse(text, AGENTS)
        except BadQuery as error:
            assert 0 <= error.place <= len(text)  # noqa: PT017
        else:
            understood += 1
    assert understood > 300
