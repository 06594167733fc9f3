"""Codex sessions of odd shapes, and many that look alike: twice as much takes about twice as long."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.sources.base import File
from pollux.sources.codex.forks import ancestors, forks
from pollux.sources.codex.forks.forks import _last_total
from pollux.sources.codex.forks.rollout import Rollout, read_joined
from pollux.sources.codex.forks.threads import Threads
from pollux.wire import Notes
from tests.hostile.conftest import World, read_all

MOST = 3.0
NOISE = 0.3
"""Less than these seconds nobody measures well."""

AT = "2026-11-15T06:00:00.000Z"
Record = dict[str, Any]
Home = dict[str, list[Record]]
"""What stands in which file."""


def _id(number: int) -> str:
    return f"01a1ddcc-0c84-7573-808d-{number:012d}"


def _line(kind: str, **payload: Any) -> Record:
    return {"timestamp": AT, "type": kind, "payload": payload}


def _said(role: str, text: str) -> Record:
    kind = "input_text" if role == "user" else "output_text"
    return _line("response_item", type="message", role=role, content=[{"type": kind, "text": text}])


def _begun(number: int, **more: Any) -> Record:
    about = {"timestamp": AT, "cwd": "/work", "originator": "codex", "cli_version": "0.100.0", "source": "cli"}
    return _line("session_meta", id=_id(number), **{**about, **more})


def _name(number: int, rollout: int | None = None) -> str:
    more = "" if rollout is None else f"_{_id(rollout)}"
    return f"2026/11/15/rollout-2026-11-15T06-01-39-{_id(number)}{more}.jsonl"


def _one(*records: Record) -> Home:
    return {_name(1): [_begun(1), *records]}


def _open_tags(n: int) -> Home:
    output = _line("event_msg", type="agent_message", message="other")
    return _one(_said("user", "hi"), _said("assistant", "<a>" * n), output)


def _open_tags_of_many_names(n: int) -> Home:
    output = _line("event_msg", type="agent_message", message="other")
    return _one(_said("user", "hi"), _said("assistant", "".join(f"<a{i}>" for i in range(n))), output)


def _blanks_in_a_patch(n: int) -> Home:
    patch = f"*** Begin Patch\n*** Add File: a{' ' * n}x\n+y\n*** End Patch"
    call = _line("response_item", type="custom_tool_call", call_id="c", name="apply_patch", input=patch)
    answer = _line("response_item", type="custom_tool_call_output", call_id="c", output="ok")
    return _one(_said("user", "hi"), call, answer, _said("assistant", "ok"))


def _prompts_without_an_echo(n: int) -> Home:
    typed = [_line("event_msg", type="user_message", message=f"t{i}", images=[]) for i in range(n)]
    return _one(*typed, *(_said("user", f"s{i}x") for i in range(n)), _said("assistant", "ok"))


def _files_of_one_thread(n: int) -> Home:
    return {_name(1, i + 10): [_begun(1), _said("user", f"hi {i}"), _said("assistant", "yo")] for i in range(n)}


def _reviewers(n: int) -> Home:
    review = [_said("user", "hi"), _line("event_msg", type="entered_review_mode"), _said("assistant", "yo")]
    return {_name(i): [_begun(i, source={"subagent": "review"}), *review] for i in range(n)}


def _bare(number: int, *replies: str) -> list[Record]:
    records = [{"type": "output_text", "text": text} for text in replies]
    answers = [{"type": "message", "id": "msg_1", "role": "assistant", "content": [piece]} for piece in records]
    record = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    return [{"id": _id(number), "timestamp": AT, "instructions": None}, record, *answers]


def _one_prompt_in_many_files(n: int) -> Home:
    return {_name(i): _bare(i, f"yo {i}") for i in range(n)}


def _one_beginning_of_many_files(n: int) -> Home:
    return {_name(i): _bare(i, "yo", f"yo {i}") for i in range(n)}


def _asked_and_shown(text: str) -> tuple[Record, Record]:
    return _said("user", text), _line("event_msg", type="user_message", message=text, images=[])


_BACK = _line("event_msg", type="thread_rolled_back", num_turns=1)


def _roll_backs(n: int) -> Home:
    return _one(*(record for i in range(n) for record in (*_asked_and_shown(f"q{i}"), _said("assistant", "ok"), _BACK)))


def _roll_backs_at_the_end(n: int) -> Home:
    talk = (record for i in range(n) for record in (*_asked_and_shown(f"q{i}"), _said("assistant", "ok")))
    return _one(*talk, *[_BACK] * n)


def _summaries_taken_back(n: int) -> Home:
    texts = [record for i in range(n) for record in _asked_and_shown(f"q{i}")]
    return _one(*texts, *[_line("compacted", message="so far"), *_asked_and_shown("on"), _BACK, _BACK] * n)


def _summaries_that_leave_the_prompts(n: int) -> Home:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}]
    summary = _line("compacted", message="so far", replacement_history=history)
    return _one(*[*_asked_and_shown("q"), _said("assistant", "ok"), summary] * n)


def _turns_broken_off(n: int) -> Home:
    over = _line("event_msg", type="turn_aborted", reason="interrupted")
    return _one(*_asked_and_shown("q"), *[_said("assistant", "ok"), over] * n)


def _count(number: int, last: int) -> Record:
    def figures(given: int, out: int) -> dict[str, int]:
        return {"input_tokens": given, "cached_input_tokens": 0, "output_tokens": out, "total_tokens": given + out}

    info = {"total_token_usage": figures(last * number, number), "last_token_usage": figures(last, 1)}
    return _line("event_msg", type="token_count", info=info)


def _figures_of_words_that_were_only_shown(n: int) -> Home:
    words = (_line("event_msg", type="agent_message", message=f"w{i}") for i in range(n))
    return _one(*_asked_and_shown("q"), *(r for i, word in enumerate(words, 1) for r in (word, _count(i, 50))))


def _turns_of_words_that_were_only_shown(n: int) -> Home:
    def turn(number: int) -> tuple[Record, ...]:
        word = _line("event_msg", type="agent_message", message=f"w{number}")
        return _said("user", f"q{number}"), word, _count(number, 50), _line("event_msg", type="task_started")

    return _one(*(record for number in range(1, n + 1) for record in turn(number)))


def _branches_of_one_thread(n: int) -> Home:
    begun = [_begun(1), *_asked_and_shown("hi")]
    return {
        _name(1).replace("06-01-39", f"{6 + i // 3600:02d}-{i // 60 % 60:02d}-{i % 60:02d}"): [
            *begun,
            _said("assistant", f"yo {i}"),
        ]
        for i in range(n)
    }


SHAPES: dict[Callable[[int], Home], int] = {
    _open_tags: 20_000,
    _open_tags_of_many_names: 20_000,
    _blanks_in_a_patch: 20_000,
    _prompts_without_an_echo: 2_000,
    _files_of_one_thread: 200,
    _reviewers: 200,
    _one_prompt_in_many_files: 200,
    _one_beginning_of_many_files: 200,
    _roll_backs: 2_000,
    _roll_backs_at_the_end: 2_000,
    _summaries_taken_back: 2_000,
    _summaries_that_leave_the_prompts: 2_000,
    _turns_broken_off: 2_000,
    _figures_of_words_that_were_only_shown: 2_000,
    _turns_of_words_that_were_only_shown: 2_000,
    _branches_of_one_thread: 200,
}


def _seconds(folder: Path, home: Home) -> float:
    """How long it takes to read a home."""
    folder.mkdir()
    world = World(folder, ())
    for name, records in home.items():
        file = world.home / ".codex" / "sessions" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    start = time.process_time()
    with world.library() as library:
        read_all(library)
    return time.process_time() - start


@pytest.mark.parametrize(("shape", "count"), SHAPES.items(), ids=[shape.__name__.strip("_") for shape in SHAPES])
def test_twice_as_much_takes_twice_as_long(tmp_path: Path, shape: Callable[[int], Home], count: int) -> None:
    once = _seconds(tmp_path / "once", shape(count))
    twice = _seconds(tmp_path / "twice", shape(2 * count))
    assert twice <= MOST * once + NOISE


def _chain(length: int, *rest: Record) -> Home:
    """Files of which each goes on from the one before."""
    home: Home = {}
    for number in range(length):
        base = {"history_base": {"thread_id": _id(number - 1), "end_ordinal_exclusive": 3}} if number else {}
        lines = [_begun(number, **base), _said("user", "hi"), _said("assistant", "yo"), *rest]
        home[_name(number)] = [{**line, "ordinal": place} for place, line in enumerate(lines)]
    return home


def test_a_chain_of_pointers_is_read_once_for_its_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths: list[str] = []

    def read(file: File, threads: Threads, notes: Notes) -> Rollout | None:
        paths.append(file.path)
        return read_joined(file, threads, notes)

    monkeypatch.setattr(ancestors, "read_joined", read)
    _seconds(tmp_path / "home", _chain(20))
    # Once to find the sessions, once to hand them out.
    assert max(Counter(paths).values()) <= 2


def test_a_chain_of_pointers_is_gone_through_once_for_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file tells its figures behind the place where the next one takes over, so that all before it are asked."""
    used = {"input_tokens": 50, "cached_input_tokens": 0, "output_tokens": 1, "total_tokens": 51}
    record = {"total_token_usage": {**used, "input_tokens": 100, "total_tokens": 101}, "last_token_usage": used}
    read: list[str] = []

    def last_total(file: File, end: int) -> Any:
        read.append(file.path)
        return _last_total(file, end)

    monkeypatch.setattr(forks, "_last_total", last_total)
    _seconds(tmp_path / "home", _chain(20, _line("event_msg", type="token_count", info=record)))
    # Once to find the sessions, once to hand them out.
    assert max(Counter(read).values()) <= 2
