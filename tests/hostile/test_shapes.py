"""Sessions whose records hang on one another in odd ways, and files of blank lines: time grows with the size alone.

Seconds say little on a machine that does other things too, so two sizes are compared. Four times as much takes four
times as long; what is quadratic takes sixteen times as long. The smaller size is measured several times, and the least
counts: what made it slow by chance would hide what is quadratic.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.sources.claude.format.schema import Line
from pollux.sources.claude.tree.ancestry import Ancestry
from tests.hostile.conftest import World, read_all
from tests.samples import EXHAUSTIVE

COUNT = 10_000 if EXHAUSTIVE else 4_000
TIMES = 4
MOST = 7
TRIES = 3
NOISE = 0.4
"""Less than these seconds nobody measures well."""

NAME = "aaaaaaaa-0000-4000-8000-000000000000"
Record = dict[str, Any]


def _uuid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def _asked(number: int, above: int | None, **more: Any) -> Record:
    return {
        "parentUuid": _uuid(above) if above is not None else None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": f"words {number}"},
        "uuid": _uuid(number),
        "timestamp": f"2026-11-10T10:{number // 60_000 % 60:02}:{number // 1000 % 60:02}.{number % 1000:03}Z",
        "sessionId": NAME,
        "cwd": "/work",
        "version": "2.1.0",
        **more,
    }


def _replied(number: int, above: int | None, name: str, text: str) -> Record:
    record = {"role": "assistant", "id": name, "model": "m", "content": [{"type": "text", "text": text}]}
    return _asked(number, above, type="assistant", message=record)


def _reversed(n: int) -> list[Record]:
    return [_asked(i, i + 1 if i < n - 1 else None) for i in range(n)]


def _ring(n: int) -> list[Record]:
    return [_asked(i, (i + 1) % n) for i in range(n)]


def _ring_with_a_tail(n: int) -> list[Record]:
    return [_asked(i, (i + 1) % (n // 2) if i < n // 2 else i - 1) for i in range(n)]


def _comb(n: int) -> list[Record]:
    return [_asked(i, max(i - 2 + i % 2, 0) if i else None) for i in range(n)]


def _comb_reversed(n: int) -> list[Record]:
    return [_asked(i, None if i == n - 1 else min(i + 2 - i % 2, n - 1)) for i in range(n)]


def _behind_no_messages(n: int) -> list[Record]:
    return [_asked(i, i - 1 if i else None, type="progress") if i < n // 2 else _asked(i, n // 2 - 1) for i in range(n)]


def _folds(n: int) -> list[Record]:
    fold = {"type": "system", "subtype": "compact_boundary", "content": "x"}
    return [_asked(i, None, **fold, logicalParentUuid=_uuid(i + 1)) for i in range(n)]


def _one_reply(n: int) -> list[Record]:
    return [_replied(i, i - 1 if i else None, "one", "same") for i in range(n)]


def _one_reply_in_pieces(n: int) -> list[Record]:
    return [_replied(i, None, "one", f"piece {i}") for i in range(n)]


def _copies_below_a_long_way(n: int) -> list[Record]:
    half = n // 2
    way = [_asked(i, i - 1 if i > 1 else None) for i in range(1, half)]
    return [_replied(0, None, "one", "same"), *way, *(_replied(i, half - 1, "one", "same") for i in range(half, n))]


def _two_long_ways(n: int) -> list[Record]:
    half = n // 2
    first = [_asked(i, i - 1 if i else None) for i in range(half)]
    second = [_asked(i, i - 1 if i > half + 1 else None) for i in range(half + 1, n)]
    return [*first, _replied(half, half - 1, "one", "same"), *second, _replied(n, n - 1, "one", "same")]


def _prompts_below_a_copy(n: int) -> list[Record]:
    half = n // 2
    beginning = [_replied(0, None, "one", "same"), _replied(1, None, "one", "same")]
    return [*beginning, *(_asked(i, 0) for i in range(2, half)), *(_asked(i, 1) for i in range(half, n))]


def _copies_in_a_ring(n: int) -> list[Record]:
    """A reply stands behind a ring of prompts, and once more behind another ring."""
    half = n // 2
    first = [_asked(i, (i + 1) % half) for i in range(half)]
    second = [_asked(half + i, half + (i + 1) % half) for i in range(half)]
    return [*first, _replied(n, 0, "one", "same"), *second, _replied(n + 1, half, "one", "same")]


def _queued_prompts(n: int) -> list[Record]:
    """Prompts that were put into the queue and never sent."""
    queued = [
        {"type": "queue-operation", "operation": "enqueue", "sessionId": NAME, "content": f"{i}"} for i in range(n)
    ]
    return [_asked(1, None), *queued]


SHAPES: list[Callable[[int], list[Record]]] = [
    _queued_prompts,
    _reversed,
    _ring,
    _ring_with_a_tail,
    _comb,
    _comb_reversed,
    _behind_no_messages,
    _folds,
    _one_reply,
    _one_reply_in_pieces,
    _copies_below_a_long_way,
    _two_long_ways,
    _prompts_below_a_copy,
    _copies_in_a_ring,
]


def _seconds(folder: Path, place: str, content: bytes) -> float:
    """How long it takes to read a home with one file."""
    folder.mkdir()
    world = World(folder, ())
    file = world.home / place
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    start = time.process_time()
    with world.library() as library:
        read_all(library)
    return time.process_time() - start


def _assert_proportion(folder: Path, place: str, content: Callable[[int], list[Record]], count: int) -> None:
    """A file with four times as many records takes about four times as long."""

    def seconds(records: int, name: str) -> float:
        text = b"".join(json.dumps(record).encode() + b"\n" for record in content(records))
        return _seconds(folder / name, place, text)

    once = min(seconds(count, f"once {number}") for number in range(TRIES))
    assert seconds(TIMES * count, "larger") <= MOST * once + NOISE


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__.strip("_"))
def test_time_grows_with_the_records(tmp_path: Path, shape: Callable[[int], list[Record]]) -> None:
    _assert_proportion(tmp_path, f".claude/projects/-work/{NAME}.jsonl", shape, COUNT)


def _spoken(name: str, content: Any, speaker: str = "user", **more: Any) -> Record:
    return {"id": name, "timestamp": "2026-11-10T10:00:00.000Z", "type": speaker, "content": content, **more}


def _many(n: int, words: str, name: str = "m") -> list[Record]:
    return [_spoken(f"{name}{i}", words.format(i)) for i in range(n)]


def _pieces(*texts: str) -> list[Record]:
    return [{"text": text} for text in texts]


def _listed(*messages: Record) -> Record:
    return {"$set": {"messages": list(messages)}}


def _one_of_many_pieces(n: int) -> list[Record]:
    return [*_many(n, "a"), _listed(_spoken("x", _pieces("a" * (n + 5), "b")))]


def _many_of_two_pieces(n: int) -> list[Record]:
    return [*_many(n, "a"), _listed(*(_spoken(f"x{i}", _pieces("a", f"b{i}")) for i in range(n)))]


def _many_of_many_pieces(n: int) -> list[Record]:
    few = int(n**0.5)
    return [*_many(n, "a"), _listed(*(_spoken(f"x{i}", [*_pieces("a" * i), *_pieces("b")]) for i in range(few)))]


def _nothing_but_answers(n: int) -> list[Record]:
    def answer(i: int) -> Record:
        return {"functionResponse": {"id": f"c{i}", "name": "ls", "response": {"output": "x"}}}

    first = [_spoken(f"m{i}", [answer(i)]) for i in range(n)]
    return [*first, _listed(*(_spoken(f"x{i}", [answer(i), answer(n + i)]) for i in range(n)))]


def _other_words(n: int) -> list[Record]:
    return [*_many(n, "a{}"), _listed(*_many(n, "b{}", "x"))]


def _same_words_backwards(n: int) -> list[Record]:
    summary = _spoken("s", _pieces("<state_snapshot>x</state_snapshot>"))
    return [*_many(n, "a{}"), _listed(summary, *reversed(_many(n, "a{}", "x")))]


def _rewinds_of_one(n: int) -> list[Record]:
    rewinds = [record for i in range(n) for record in (_spoken(f"r{i}", "b"), {"$rewindTo": f"r{i}"})]
    return [*_many(n, "a"), *rewinds]


def _comments_without_end(n: int) -> list[Record]:
    return [_spoken("m", "<!--" * 20 * n, "gemini", model="g"), _listed(_spoken("x", "other", "gemini"))]


def _calls_asked_twice(n: int) -> list[Record]:
    def calls(letter: str) -> list[Record]:
        time = "2026-11-10T10:00:00.000Z"
        call = {"name": "x", "status": "cancelled", "timestamp": time}
        return [{"id": f"{letter}{i}", "args": {"i": i}, **call} for i in range(n)]

    records = [{"functionCall": {"name": "x", "args": {"i": i}}} for i in range(n)]
    again = [{"functionCall": {"id": f"d{i}", "name": "x", "args": {"i": i}}} for i in range(n)]
    return [
        _spoken("m1", "go"),
        _spoken("m2", records, "gemini", model="g", toolCalls=calls("c")),
        _spoken("m3", again, "gemini", toolCalls=calls("d")),
    ]


def _one_copy_in_many_forms(n: int) -> list[Record]:
    reply = _spoken("g", "ok", "gemini", model="g")
    forms = (_spoken("x", _pieces("a", "b"), extra=i) for i in range(n))
    return [_spoken("a", "a"), _spoken("b", "b"), reply, *(_listed(form, reply) for form in forms)]


GEMINI_SHAPES: list[Callable[[int], list[Record]]] = [
    _one_of_many_pieces,
    _many_of_two_pieces,
    _many_of_many_pieces,
    _nothing_but_answers,
    _other_words,
    _same_words_backwards,
    _rewinds_of_one,
    _comments_without_end,
    _calls_asked_twice,
    _one_copy_in_many_forms,
]
GEMINI_COUNT = 2_000


@pytest.mark.parametrize("shape", GEMINI_SHAPES, ids=lambda shape: shape.__name__.strip("_"))
def test_time_grows_with_the_log(tmp_path: Path, shape: Callable[[int], list[Record]]) -> None:
    header = {"sessionId": NAME, "projectHash": "x", "startTime": "2026-11-10T10:00:00Z", "kind": "main"}
    place = ".gemini/tmp/work/chats/session-2026-11-10T10-00-aaaaaaaa.jsonl"
    _assert_proportion(tmp_path, place, lambda count: [header, *shape(count)], GEMINI_COUNT)


BLANK = {
    "claude": (f".claude/projects/-work/{NAME}.jsonl", json.dumps(_asked(1, None))),
    "claude, nothing else": (f".claude/projects/-work/{NAME}.jsonl", ""),
    "codex": (
        f".codex/sessions/2026/11/10/rollout-2026-11-10T10-00-00-{NAME}.jsonl",
        json.dumps({"timestamp": "2026-11-10T10:00:00Z", "type": "session_meta", "payload": {"id": NAME}}),
    ),
    "codex, nothing else": (f".codex/sessions/2026/11/10/rollout-2026-11-10T10-00-00-{NAME}.jsonl", ""),
    "gemini": (
        ".gemini/tmp/work/chats/session-2026-11-10T10-00-aaaaaaaa.jsonl",
        json.dumps({"sessionId": NAME, "projectHash": "x", "startTime": "2026-11-10T10:00:00Z", "kind": "main"})
        + '\n{"id":"1","type":"user","content":"hi"}',
    ),
}
PASSES = 30
"""Reading a file of blank lines takes no longer than going so many times through its lines."""


@pytest.mark.parametrize(("place", "first"), BLANK.values(), ids=BLANK)
def test_blank_lines_cost_little_more_than_a_bare_pass(tmp_path: Path, place: str, first: str) -> None:
    content = first.encode() + b"\n" * (1 << 21)
    spent = _seconds(tmp_path / "home", place, content)
    file = tmp_path / "home" / "home" / place
    start = time.process_time()
    with file.open("rb") as lines:
        for _ in lines:
            pass
    assert spent <= PASSES * (time.process_time() - start) + NOISE


def test_ways_lead_down_and_not_up() -> None:
    above = {1: None, 2: 1, 3: 2, 4: 1, 5: 6, 6: 5, 7: 6}
    lines = {
        str(one): Line(uuid=str(one), parentUuid=str(other) if other is not None else None)
        for one, other in above.items()
    }
    ways = Ancestry(lines, lambda _: True)
    results = {(one, other) for one in above for other in above if ways.leads(lines[str(one)], lines[str(other)])}
    assert results == {(1, 2), (1, 3), (2, 3), (1, 4), (5, 6), (5, 7), (6, 7)}
