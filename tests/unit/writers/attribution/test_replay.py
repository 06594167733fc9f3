"""Edits are done once more exactly as they were done, and no line is attributed that cannot be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pollux.model import Author, Fate, Message, Role, Session, Status, ToolCall
from pollux.writers.attribution.edits import Edit, edits
from pollux.writers.attribution.replay import File, Replay
from pollux.writers.attribution.trace import WRITER
from pollux.writers.base import Options

TEXTS = st.text("ab\n", max_size=12)

PATCH = """\
*** Begin Patch
*** Add File: new.py
+one
+two
*** Update File: old.py
@@ def f():
 here
-gone
+come
*** Delete File: bad.py
*** End Patch"""


def call(given: Any, canonical: str = "file_edit", status: Status = Status.OK, **extra: Any) -> ToolCall:
    return ToolCall(
        id="1", name="t", canonical=canonical, tool_kind="edit", input=given, status=status, extra={"result": extra}
    )


def ranges(file: File) -> list[tuple[int, int, str]]:
    return [(lines.first, lines.last, lines.author) for lines in file.ranges()]


@given(TEXTS, st.text("ab\n", min_size=1, max_size=3), TEXTS)
def test_reads_as_after_a_plain_replacement(text: str, old: str, new: str) -> None:
    file = File(text, None)
    if file.replace(old, new, "m", every=True):
        assert "\n".join(file._lines) == text.replace(old, new)
        assert len(file._lines) == len(file._authors)
    else:
        assert old not in text


def test_only_lines_that_changed_are_attributed() -> None:
    file = File("a\nb\nc\nd\n", None)
    assert file.replace("b\nc\n", "b\nC\nX\n", "m", every=False)
    assert ranges(file) == [(3, 4, "m")]
    assert file.replace("a\n", "", "n", every=False)
    assert ranges(file) == [(2, 3, "m")]


def test_a_place_that_is_not_certain_is_no_place() -> None:
    replay = Replay()
    assert not replay.do(Edit(path="f", old="a", new="b"), "m")
    assert replay.do(Edit(path="f", new="a\na\n"), "m")
    assert not replay.do(Edit(path="f", old="a", new="b"), "m")
    assert not replay.files


def test_what_others_changed_is_theirs() -> None:
    replay = Replay()
    replay.do(Edit(path="f", new="a\nb\n"), "m")
    assert replay.do(Edit(path="f", old="b", new="B", before="theirs\na\nb\n"), "n")
    assert ranges(replay.files["f"]) == [(2, 2, "m"), (3, 3, "n")]


def test_a_patch() -> None:
    assert list(edits(call(["apply_patch", PATCH]))) == [
        Edit(path="new.py", new="one\ntwo\n"),
        Edit(path="old.py", old="here\ngone", new="here\ncome"),
        Edit(path="bad.py"),
    ]


def test_what_failed_changed_nothing() -> None:
    assert not list(edits(call({"file_path": "f", "content": "x"}, "file_write", Status.ERROR)))


def test_a_beginning_is_no_whole_file() -> None:
    given = {"file_path": "f", "old_string": "x", "new_string": "y"}
    (edit,) = edits(call(given, originalContent="x\n", fileDiff="--- f\n@@ -9,1 +9,1 @@\n-x\n+y\n"))
    assert edit.before is None


@pytest.mark.parametrize(("fate", "files"), [(Fate.LIVE, ["f"]), (Fate.COMPRESSED, ["f"]), (Fate.REWOUND, [])])
def test_what_was_rewound_may_not_be_there_any_longer(fate: Fate, files: list[str]) -> None:
    written = call({"file_path": "/p/f", "content": "x\n"}, "file_write")
    message = Message(id="1", role=Role.ASSISTANT, author=Author.MODEL, parts=(written,), fate=fate)
    pieces: list[str] = []
    report = WRITER.write(Session(agent="a", id="1", project="/p", messages=(message,)), pieces.append, Options())
    assert [file["path"] for file in json.loads("".join(pieces))["files"]] == files
    assert report.kept == len(files)
