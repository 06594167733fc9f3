"""A slim session has what a brief reads, in the same places, and what edits did."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.library.brief.slim import FileEdit, edited_files, slim
from pollux.library.brief.told_calls import PATHS
from pollux.model import Attachment, Context, FileReference, Status, Text, Thinking, ToolCall, ToolResult, Unknown
from tests.unit.library.brief.made import call, client, human, model, run, session

PATCH = (
    "*** Begin Patch\n*** Add File: new.py\n+one\n+two\n*** Update File: old.py\n@@\n keep\n-gone\n+come\n*** End Patch"
)


def test_what_nobody_reads_is_dropped_and_counted_still() -> None:
    long = "x" * 1000
    parts = (
        Thinking(text=long),
        Context(source="hook", text=long),
        FileReference(path="a.py", text=long),
        Attachment(media_type="image/png", data=long),
        ToolResult(call="c", output=long),
        Unknown(raw={"a": long}),
        run("ls", long),
        call("read", {"file_path": "a.py"}, long),
    )
    whole = session(human("words"), model("more", *parts), client(Text(text=long)))
    thin = slim(whole).session
    assert [list(map(type, message.parts)) for message in thin.messages] == [
        list(map(type, message.parts)) for message in whole.messages
    ]
    assert long not in repr(thin)
    assert [message.text for message in thin.messages] == ["words", "more", ""]
    assert slim(whole, {1, 2}).session.messages[1:] == whole.messages[1:]


@pytest.mark.parametrize("status", [Status.ERROR, Status.CANCELLED])
def test_outputs_that_are_read_stay_in_whole_lines(status: Status) -> None:
    output = "begin\n" + "middle\n" * 100_000 + "error: the end"
    thin = slim(session(model(run("x", output, status)))).session.messages[0].parts[0]
    assert isinstance(thin, ToolCall)
    assert thin.output is not None
    assert "error: the end" in thin.output
    assert len(thin.output) < 50_000
    assert set(thin.output.split("\n")) <= {"begin", "middle", "error: the end"}


@pytest.mark.parametrize(
    ("given", "tool", "paths", "edits"),
    [
        ({"file_path": "a", "old_string": "1\n2\n3", "new_string": "1\nx\n3"}, "edit", ["a"], [(1, 1)]),
        ({"file_path": "a", "old_string": "1", "new_string": "1\n2"}, "edit", ["a"], [(1, 0)]),
        ({"file_path": "a", "old_string": "1\n2", "new_string": "1"}, "edit", ["a"], [(0, 1)]),
        ({"file_path": "a", "content": "1\n2\n"}, "write", ["a"], [(2, None)]),
        ({"input": PATCH}, "edit", ["new.py", "old.py"], [(2, None), (1, 1)]),
        (PATCH, "edit", ["new.py", "old.py"], [(2, None), (1, 1)]),
        ({"file_path": "a", "what": 1}, "edit", ["a"], [(None, None)]),
    ],
)
def test_edits_are_counted(given: Any, tool: str, paths: list[str], edits: list[tuple[int | None, int | None]]) -> None:
    whole = session(model(call(tool, given)))
    thin = slim(whole)
    part = thin.session.messages[0].parts[0]
    assert isinstance(part, ToolCall)
    assert edited_files(part)[0] == paths == edited_files(whole.messages[0].parts[0])[0]  # type: ignore[arg-type]
    counts = [(edit.added, edit.removed) for edit in thin.edits[(0, 0)]]
    assert counts == edits


def test_a_large_edit_takes_no_time_and_counts_all_its_lines() -> None:
    old, new = "\n".join(["same"] * 20_000), "\n".join(["same", "new"] * 10_000)
    thin = slim(session(model(call("edit", {"file_path": "a", "old_string": old, "new_string": new}))))
    assert thin.edits[(0, 0)] == (FileEdit(added=19_999, removed=19_999),)


def test_a_failed_edit_changed_nothing() -> None:
    given = {"file_path": "a", "old_string": "1", "new_string": "2"}
    thin = slim(session(model(call("edit", given, "no match", Status.ERROR))))
    part = thin.session.messages[0].parts[0]
    assert not thin.edits
    assert isinstance(part, ToolCall)
    assert PATHS not in part.input
