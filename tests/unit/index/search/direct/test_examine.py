"""A session that is searched directly gives the same as the index."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from pollux.index.search.direct.examine import DirectRequest, Examiner, SessionMatches
from pollux.index.search.direct.query import DirectQuery
from pollux.index.search.direct.ranking import rounded_length, total
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import And, Near, Query, Sort, Words, parse
from pollux.index.search.word_index import WordIndex
from pollux.model import FileReference, Kind, Session, Status, Thinking
from tests.samples import sample
from tests.unit.index.search.scan import words
from tests.unit.index.search.small_sessions import corpus, edit_call, make_index, prompt, reply, session, shell_call
from tests.unit.index.search.test_recall import generated

pytestmark = pytest.mark.slow

EVERYTHING = 1_000_000
SEED = 7
MOST = 250
"""So many sessions of the corpus are searched."""

ODD = [
    session(prompt("हिन्दी में लिखो, किताब"), reply("हिन्दीसे parseHindi नहीं, ৰাজ্য"), title="हिन्दी"),
    session(
        prompt("Ca\u0301fe cafe\u0301 CAFÉ ﬁnance ½ Ⅷ ①② Ｐｏｌｌｕｘ soft\u00adhyphen İstanbul ﬀ"),
        reply("straße ΟΔΟΣ ὀδός"),
    ),
    session(prompt("foo—barBaz x→fooBar self—fooBar 状态parseHtml é—状Html 设计selfTest"), reply("aa aa aa aaAa aAa")),
    session(prompt("retry retry logic logic retry logic"), reply("fetchHTTPResponse getURL HTTPServer XMLHttpRequest")),
    session(prompt("שָׁלוֹם שלום كِتَاب كتاب がか ガ ｶﾞ 한글 한"), reply("ไทยภาษา ລາວ မြန်မာ")),
    session(
        prompt("umbrella", FileReference(path="/home/ada/weather/notes.md", text="flour")),
        reply(
            "oven",
            Thinking(text="perhaps bread", subject="Yeast"),
            shell_call("pytest -q", "1 failed", Status.ERROR),
            edit_call("/home/ada/weather/src/main.py", "blosc_getitem"),
            edit_call("C:\\Meine Dateien\\天气预报.ts"),
        ),
        title="Bake umbrella bread",
        project="/home/ada/weather",
    ),
    session(prompt("lone \ud800surrogate and \x1f joint"), reply("x" * 70_000 + " xxx")),
    session(),
]

QUERIES = [
    *("self", "retry logic", '"return self"', "pars*", "架构", "cafe", "html", "test -error", "import OR class"),
    *("tool:shell in:tools", "file:main.py", "file:main", "file:src/*/x.py", "file:*.ts", "file:src/**", "failed:yes"),
    *("failed:no exit:0", "the since:2025-01-01", "the before:2025-11-01", "the until:2025-11-01", "test -in:tools"),
    *("(a b) OR test", "agent:claude file edit", "role:user the", "role:system", "fate:rewound", "the -model:gpt"),
    *(
        "model:gemini in:replies",
        "model:*-pro the",
        "project:weather",
        "project:/home",
        "branch:main the",
        "kind:subagent",
    ),
    *("umbrella oven", "umbrella oven -flour", "umbrella tool:shell", "umbrella in:prompts oven", "umbrella bread"),
    *("umbrella -agent:claude oven", "umbrella OR oven -in:titles", "in:titles umbrella", "fate:live in:titles"),
    *("हिन्दी", "हि*", "किताब", "hindi", "finance", "pollux", "softhyphen", "istanbul", "strasse", "οδοσ", "1", "8"),
    *("foo", "bar", '"foo bar"', '"x foo"', "baz", "parse", '"aa aa"', '"retry logic"', '"retry retry"', "url", "http"),
    *("שלום", "כתאב", "كتاب", "が", "か", "한", "ไทย", "မြန်မာ", "xxx", "xx*", "surrogate", '"retry log*"', '"foo b*"'),
    *("xml request", "-xml request", "the OR umbrella -a", "(the of) OR (umbrella bread)", "directory:weather"),
    *(
        "version:2 the",
        "client:cli the",
        "provider:openai",
        "subagent:explore",
        "effort:high",
        "mode:default",
        "commit:7b98",
    ),
]


class Answer(NamedTuple):
    """What a search found."""

    hits: set[tuple[int, int, bool]]
    counts: dict[int, int]


class Twins:
    """The same sessions in an index, and as they are."""

    def __init__(self, folder: Path, genuine: list[Session]) -> None:
        self.sessions: list[Session] = [*genuine, *generated(folder / "history"), *ODD]
        self.index: WordIndex = make_index(folder / "words", *self.sessions)
        chance = random.Random(SEED)
        runs = [run for each in self.sessions for m in each.messages for p in m.parts if len(run := words(str(p))) > 4]
        self.runs = chance.sample(runs, 400)
        self.chance = chance

    def indexed(self, query: Query, kinds: Sequence[PassageKind] | None, only: Sequence[Kind] | None) -> Answer:
        hits = self.index.search(query, limit=EVERYTHING, kinds=kinds, session_kinds=only)
        counts = self.index.counts(query, range(len(self.sessions)), kinds)
        return Answer({(h.session, -1 if h.scattered else h.message, h.scattered) for h in hits}, counts)

    def results(self, query: Query, **request: object) -> tuple[Examiner, list[SessionMatches]]:
        examiner = Examiner(DirectQuery(query), DirectRequest(limit=EVERYTHING, **request))  # type: ignore[arg-type]
        return examiner, [examiner.examine(each, number) for number, each in enumerate(self.sessions)]

    def direct(self, query: Query, kinds: Sequence[PassageKind] | None, only: Sequence[Kind] | None) -> Answer:
        examiner = Examiner(DirectQuery(query, kinds, only), DirectRequest(limit=EVERYTHING))
        results = [examiner.examine(each, number) for number, each in enumerate(self.sessions)]
        hits = {
            (result.number, hit.message, False) for result in results if not result.scattered for hit in result.hits
        }
        hits |= {(result.number, -1, True) for result in results if result.scattered}
        return Answer(hits, {result.number: result.count for result in results if result.count})

    def differences(
        self, query: Query, kinds: Sequence[PassageKind] | None = None, only: Sequence[Kind] | None = None
    ) -> list[object]:
        wanted, answer = self.indexed(query, kinds, only), self.direct(query, kinds, only)
        counts = {} if only else wanted.counts.items() ^ answer.counts.items()
        return [*wanted.hits ^ answer.hits, *counts]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    return Twins(tmp_path_factory.mktemp("twins"), sample(corpus(), MOST))


@pytest.mark.parametrize("query", QUERIES)
def test_the_same_messages(twins: Twins, query: str) -> None:
    assert not twins.differences(parse(query))


def test_kinds_of_passages_and_sessions(twins: Twins) -> None:
    for query in ("umbrella", "the", "umbrella oven", "failed:no", "the -a"):
        assert not twins.differences(parse(query), [PassageKind.PROMPT, PassageKind.TITLE])
        assert not twins.differences(parse(query), None, [Kind.SUBAGENT, Kind.CHECKPOINT])


def query_of(*nodes: Words | Near) -> Query:
    return Query(text="", node=And(nodes=nodes))


def test_words_and_phrases_of_the_texts(twins: Twins) -> None:
    for run in twins.runs[:15]:
        place = twins.chance.randrange(len(run) - 3)
        word, after, later = run[place], run[place + 1], run[place + 3]
        for query in (
            query_of(Words(text=word)),
            query_of(Words(text=f"{word} {after}")),
            query_of(Words(text=word[:3], prefix=True)),
            query_of(Words(text=f"{word} {after[:2]}", prefix=True)),
            query_of(Words(text=word), Words(text=later)),
            query_of(Near(words=((word,), (later, after)))),
        ):
            assert not twins.differences(query), query


def test_words_of_different_places(twins: Twins) -> None:
    for first, second in zip(twins.runs[100:115], twins.runs[200:215], strict=True):
        query = query_of(Words(text=twins.chance.choice(first)), Words(text=twins.chance.choice(second)))
        assert not twins.differences(query), query


def order_of(twins: Twins, query: Query) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The order of the messages in the index, and directly."""
    indexed = [(hit.session, hit.message) for hit in twins.index.search(query, limit=EVERYTHING) if not hit.scattered]
    examiner, results = twins.results(query)
    scale = examiner.scale(total(result.statistics for result in results))
    hits = [(result.number, hit) for result in results if not result.scattered for hit in result.hits]
    hits.sort(key=lambda item: -scale.score(item[1].frequencies, item[1].length, item[1].factor, item[1].constant))
    return indexed, [(number, hit.message) for number, hit in hits]


def agreement(first: Sequence[object], second: Sequence[object]) -> float:
    """How many of all pairs have the same order in both lists."""
    places = {item: number for number, item in enumerate(second)}
    row = [places[item] for item in first[:300]]
    pairs = [(a, b) for n, a in enumerate(row) for b in row[n + 1 :]]
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else 1.0


@pytest.fixture(scope="module")
def ordered(tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """Sessions of agents that the order was tuned with: how common words are elsewhere is guessed from these."""
    return Twins(tmp_path_factory.mktemp("ordered"), corpus("gemini", "claude", "codex"))


@pytest.mark.parametrize(
    "query", ["the", "return self", "umbrella oven", "import OR class", '"the file"', "retry logic test"]
)
def test_the_same_order(ordered: Twins, query: str) -> None:
    indexed, direct = order_of(ordered, parse(query))
    assert agreement(indexed, direct) > 0.98


def test_the_newest_first(twins: Twins) -> None:
    query = parse("the")
    indexed = twins.index.search(query, limit=50, sort=Sort.NEWEST)
    _, results = twins.results(query, sort=Sort.NEWEST)
    times = sorted((hit.moment for result in results for hit in result.hits if hit.moment), reverse=True)
    assert times[:50] == [hit.at for hit in indexed]


@pytest.mark.parametrize(
    "query", ["the", "return self", "import OR class", '"the file"', "model:gemini the", "test -error"]
)
@pytest.mark.parametrize("sort", list(Sort))
def test_a_small_limit_has_the_same_best(twins: Twins, query: str, sort: Sort) -> None:
    best = []
    for limit in (5, EVERYTHING):
        examiner = Examiner(DirectQuery(parse(query)), DirectRequest(limit=limit, sort=sort))
        results = [examiner.examine(each, number) for number, each in enumerate(twins.sessions)]
        scale = examiner.scale(total(result.statistics for result in results))
        hits = [(result.number, hit) for result in results if not result.scattered for hit in result.hits]
        ranks = [
            hit.at or 0 if sort is Sort.NEWEST else scale.score(hit.frequencies, hit.length, hit.factor, hit.constant)
            for _, hit in hits
        ]
        best.append(sorted(ranks, reverse=True)[:5])
    assert best[0] == pytest.approx(best[1])


def test_hits_of_several_messages_do_not_push_others_out() -> None:
    apart = session(prompt("needle needle needle"), prompt("thread thread thread"))
    together = session(reply(f"{'word ' * 500} needle thread"))
    examiner = Examiner(DirectQuery(parse("needle thread")), DirectRequest(limit=1))
    results = [examiner.examine(each, number) for number, each in enumerate([apart, apart, apart, together])]
    assert [result.scattered for result in results] == [True, True, True, False]
    assert [hit.message for hit in results[3].hits] == [0]


def test_lengths_as_the_index_keeps_them() -> None:
    assert [rounded_length(n) for n in (0, 39, 40, 41, 42, 55, 57, 1_000, 70_000)] == [
        0,
        39,
        40,
        40,
        42,
        54,
        56,
        984,
        65_560,
    ]


def test_a_common_word_gives_few_hits_and_the_whole_count() -> None:
    long = session(*(prompt(f"needle {number}", days=number / 100) for number in range(500)))
    result = Examiner(DirectQuery(parse("needle")), DirectRequest(limit=5)).examine(long, 3)
    assert result.count == 500
    assert 5 <= len(result.hits) <= 15
    assert result.hits[0].message == 499
    assert result.hits[0].snippet == "needle 499"
