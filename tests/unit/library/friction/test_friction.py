"""Failed and repeated calls, undone edits, interruptions and compactions: what is recorded, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pollux import Filter, Library
from pollux.answers.friction import friction_document
from pollux.index.catalogue.friction.find import frictions
from pollux.library.friction.values import FrictionCase, FrictionKind, FrictionReport, Undoing
from pollux.model import (
    Author,
    Fate,
    Kind,
    Message,
    Part,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    ToolCall,
)

ROOT = Path(__file__).parents[4]
SAMPLE = ROOT / "src" / "pollux" / "sample" / "home"
CORPUS = ROOT / "tests" / "corpus"
FAILED, REPEATED, UNDONE, INTERRUPTED, COMPACTED = FrictionKind

HOMES = [
    (SAMPLE, (9, 3, 0, 0, 2)),
    (CORPUS / "claude" / "2.0.77" / "home", (3, 0, 0, 1, 3)),
    (CORPUS / "claude" / "walk-reply-before-prompt" / "home", (2, 0, 0, 3, 0)),
    (CORPUS / "codex" / "0.166.0" / "home", (4, 0, 0, 1, 1)),
    (CORPUS / "codex" / "walk-exact-though-cut" / "home", (5, 0, 0, 5, 2)),
    (CORPUS / "gemini" / "0.61.0" / "home", (2, 0, 0, 0, 0)),
    (CORPUS / "gemini" / "0.44.0-tui" / "home", (0, 0, 0, 1, 1)),
]
"""Homes, and how many cases of each kind there are in each."""


def library_of(home: Path, folder: Path) -> Library:
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}
    return Library({"HOME": str(home), **own}, folder, hunt=False)


def prompt(text: str = "Do it.") -> Message:
    return Message(id="", role=Role.USER, author=Author.HUMAN, parts=(Text(text=text),))


def client(text: str) -> Message:
    return Message(id="", role=Role.USER, author=Author.CLIENT, parts=(Text(text=text),))


def model(*parts: Part, fate: Fate = Fate.LIVE) -> Message:
    return Message(id="", role=Role.ASSISTANT, author=Author.MODEL, parts=parts, fate=fate)


def run(command: str, status: Status = Status.ERROR, name: str = "Bash") -> ToolCall:
    return ToolCall(
        id=None, name=name, canonical="shell_exec", tool_kind="execute", input={"command": command}, status=status
    )


def edit(old: str, new: str, path: str = "/w/a.py", status: Status = Status.OK, **extra: Any) -> ToolCall:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return ToolCall(
        id=None, name="Edit", canonical="file_edit", tool_kind="edit", input=arguments, status=status, extra=extra
    )


def write(content: str, path: str = "/w/a.py") -> ToolCall:
    arguments = {"file_path": path, "content": content}
    return ToolCall(id=None, name="Write", canonical="file_write", tool_kind="edit", input=arguments, status=Status.OK)


def found(*messages: Message) -> list[tuple[Any, ...]]:
    """The kind and the place of each case, and the place that it is about, where there is one."""
    session = Session(agent="claude", id="1", project="/w", messages=messages)
    return [(case.kind, case.place, case.earlier) for case in frictions(session)]


def test_a_call_that_failed_and_was_made_again() -> None:
    session = (prompt(), model(run("make")), model(edit("a", "b")), model(run("make")), model(run("make", Status.OK)))
    assert found(*session) == [(FAILED, 1, None), (REPEATED, 3, 1), (FAILED, 3, None), (REPEATED, 4, 3)]
    cases = frictions(Session(agent="claude", id="1", messages=session))
    assert [case.edits_between for case in cases] == [None, 1, None, 0]
    assert [case.status for case in cases] == [Status.ERROR, Status.ERROR, Status.ERROR, Status.OK]
    assert cases[0].what == "Bash: make"


def test_a_call_with_other_arguments_or_after_success_is_not_made_again() -> None:
    assert found(model(run("make")), model(run("make test", Status.OK)), model(run("make", Status.OK, "sh"))) == [
        (FAILED, 0, None)
    ]
    once = [(FAILED, 0, None), (REPEATED, 1, 0)]
    assert found(model(run("make")), model(run("make", Status.OK)), model(run("make", Status.OK))) == once


def test_an_edit_whose_reverse_follows_is_undone_once() -> None:
    assert found(model(edit("a", "b")), model(edit("b", "c")), model(edit("b", "a")), model(edit("b", "a"))) == [
        (UNDONE, 2, 0)
    ]
    assert found(model(edit("a", "b")), model(edit("b", "a", "/w/b.py"))) == []
    assert found(model(edit("a", "b")), model(edit("b", "a", status=Status.ERROR))) == [(FAILED, 1, None)]
    assert found(model(edit("a", "a")), model(edit("a", "a"))) == []


def test_a_file_that_is_written_as_it_was_undoes_the_last_edit() -> None:
    assert found(model(write("one")), model(write("two")), model(write("one"))) == [(UNDONE, 2, 1)]
    assert found(model(write("one")), model(write("one"))) == []
    assert found(model(write("one")), model(edit("o", "0")), model(write("one"))) == [(UNDONE, 2, 1)]
    recorded = edit("o", "0", result={"originalFile": "one"})
    assert found(model(recorded), model(write("one"))) == [(UNDONE, 1, 0)]
    cases = frictions(Session(agent="claude", id="1", messages=(model(recorded), model(write("one")))))
    assert [(case.undoing, case.what) for case in cases] == [(Undoing.WRITTEN_BACK, "/w/a.py")]


def test_the_user_stopped_the_model_once_a_turn() -> None:
    stopped = client("[Request interrupted by user for tool use]")
    call = run("make", Status.CANCELLED)
    assert found(prompt(), model(call), stopped, prompt(), stopped) == [(INTERRUPTED, 2, None), (INTERRUPTED, 4, None)]
    assert found(prompt(), model(call), model(call), prompt()) == [(INTERRUPTED, 1, None)]
    assert found(prompt(), model(call)) == [(INTERRUPTED, 1, None)]
    assert found(prompt("The request was interrupted by the user.")) == []
    assert found(model(Text(text="The job was cancelled by the user."))) == []


def test_two_records_of_one_summary_are_one_compaction() -> None:
    summary = SummaryPart(text="All of it.")
    again = Message(id="", role=Role.USER, author=Author.CLIENT, parts=(summary,))
    assert found(model(summary), again, prompt(), model(summary)) == [(COMPACTED, 0, None), (COMPACTED, 3, None)]


@pytest.mark.parametrize(("home", "counts"), HOMES, ids=lambda one: one.parent.name if isinstance(one, Path) else "")
def test_what_the_cache_tells_is_what_reading_every_session_gives(
    home: Path, counts: tuple[int, ...], tmp_path: Path
) -> None:
    library = library_of(home, tmp_path)
    report = library.friction.newest(limit=None)
    assert tuple(report.counts.values()) == counts
    assert [case.at for case in report.cases] == sorted((case.at for case in report.cases if case.at), reverse=True)
    sessions = [one for one in library.sessions(Filter(everything=True)) if one.kind is not Kind.CHECKPOINT]
    read = [library.friction.of(session) for session in sessions]
    assert _sorted(report) == sorted(key for one in read for key in _keys(one))
    assert report.calls == sum(one.calls or 0 for one in read)
    assert report.calls_without_result == sum(one.calls_without_result or 0 for one in read)
    failed = sum(entry.summary.counts.failed_tool_calls for entry in library.list(Filter(everything=True)))
    assert report.counts[FAILED] == failed
    ids = {session.key: {message.id for message in session.messages} for session in sessions}
    assert all(case.message_id in ids[case.key] for case in report.cases)
    assert all(case.earlier_message_id in {None, *ids[case.key]} for case in report.cases)


def _keys(report: FrictionReport) -> Iterator[str]:
    return (repr(case) for case in report.cases)


def _sorted(report: FrictionReport) -> list[str]:
    return sorted(_keys(report))


def test_a_repeated_command_of_the_sample(tmp_path: Path) -> None:
    library = library_of(SAMPLE, tmp_path)
    cases = library.friction.newest(kinds=[REPEATED]).cases
    assert [_told(case) for case in cases] == [
        ("codex:01a1ceba", "line-24", "line-11", Status.ERROR, 1),
        ("codex:01a1778c", "line-27", "line-18", Status.OK, 1),
        (
            "opencode:ses_19f0",
            "msg_e60f5801b001752167f7262f03",
            "msg_e60f5800d00100e59967957793",
            Status.OK,
            1,
        ),
    ]
    session = library.session("01a1778c")
    first, second = (message for message in session.messages if message.id in {"line-18", "line-27"})
    assert [part.input for part in first.parts if type(part) is ToolCall] == [
        part.input for part in second.parts if type(part) is ToolCall
    ]


def _told(case: FrictionCase) -> tuple[Any, ...]:
    name = f"{case.agent}:{case.short_id}"
    return name, case.message_id, case.earlier_message_id, case.status, case.edits_between


def test_filters_and_limit(tmp_path: Path) -> None:
    library = library_of(SAMPLE, tmp_path)
    few = library.friction.newest(limit=2)
    assert (len(few.cases), few.more, few.counts[FAILED]) == (2, True, 9)
    assert library.friction.newest(Filter(agent="claude", everything=True)).counts[FAILED] == 1
    october = Filter(until=datetime(2026, 11, 1, tzinfo=UTC), everything=True)
    assert library.friction.newest(october).counts == {FAILED: 6, REPEATED: 2, UNDONE: 0, INTERRUPTED: 0, COMPACTED: 0}


def test_what_cannot_be_known_is_null(tmp_path: Path) -> None:
    library = library_of(CORPUS / "gemini" / "0.1.22-tui" / "home", tmp_path)
    report = library.friction.newest()
    assert (report.sessions, report.sessions_unknown) == (0, 2)
    document = friction_document(report)
    assert set(document["counts"].values()) == {None}
    assert (document["calls"], document["calls_without_result"]) == (None, None)
    entry = next(one for one in library.list(Filter(everything=True)) if one.summary.kind is Kind.PROMPTS)
    assert friction_document(library.friction.of(library.session(entry.summary.key)))["counts"] == document["counts"]
