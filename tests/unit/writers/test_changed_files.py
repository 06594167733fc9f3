"""Which files a call was to change, where they lie, and what changed in each."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.model import Status, ToolCall
from pollux.writers.changed_files import Change, ChangedFile, Difference, changed_files, difference, located
from pollux.writers.diffs import changes_of
from pollux.writers.edit_arguments import with_common_names

PATCH = """*** Begin Patch
*** Add File: wind.py
+def wind():
+    return 3
*** Update File: forecast.py
*** Move to: src/forecast.py
@@
 def forecast(city):
-    return "sunny"
+    return "rainy"
*** Delete File: old.py
*** End Patch"""


def call(arguments: Any, *, canonical: str = "file_edit", kind: str = "edit", **extra: Any) -> ToolCall:
    return ToolCall(
        id="1", name="edit", canonical=canonical, tool_kind=kind, input=arguments, status=Status.OK, extra=extra
    )


@pytest.mark.parametrize(
    "arguments",
    [
        PATCH,
        {"input": PATCH},
        {"command": ["apply_patch", PATCH]},
        {"command": ["bash", "-lc", f"cd x && apply_patch <<'EOF'\n{PATCH}\nEOF\n"]},
    ],
)
def test_the_files_of_a_patch(arguments: Any) -> None:
    patch = call(arguments)
    assert list(changed_files(patch)) == [
        ChangedFile("wind.py", Change.ADDED, 0),
        ChangedFile("forecast.py", Change.MOVED, 1),
        ChangedFile("src/forecast.py", Change.MOVED, 1),
        ChangedFile("old.py", Change.DELETED, 2),
    ]
    moved = Difference(
        ("@*** Move to: src/forecast.py", "@@@", " def forecast(city):", '-    return "sunny"', '+    return "rainy"'),
        added=1,
        removed=1,
    )
    assert difference(patch, "/w/wind.py", "/w") == Difference(("+def wind():", "+    return 3"), 2, 0)
    assert difference(patch, "/w/forecast.py", "/w") == moved
    assert difference(patch, "/w/src/forecast.py", "/w") == moved
    assert difference(patch, "/w/old.py", "/w") == Difference((), 0, None)
    assert difference(patch, "/w/other.py", "/w") is None


def test_several_changes_of_one_file_are_one_difference() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "c\nd", "new_string": "c"}]
    multi = call({"file_path": "/w/a.py", "edits": edits})
    assert list(changed_files(multi)) == [ChangedFile("/w/a.py", Change.EDITED)]
    assert difference(multi, "/w/a.py", None) == Difference(("-a", "+b", "@@@", " c", "-d"), 1, 2)


@pytest.mark.parametrize(
    ("extra", "change", "expected"),
    [
        ({}, Change.WRITTEN, Difference(("+a", "+", "+b"), 3, None, whole=True)),
        ({"result": {"type": "create", "structuredPatch": []}}, Change.ADDED, Difference(("+a", "+", "+b"), 3, 0)),
        (
            {"resultDisplay": {"isNewFile": False, "fileDiff": "--- a\n+++ a\n@@ -1 +1,3 @@\n a\n+\n+b"}},
            Change.WRITTEN,
            Difference(("@@@ -1 +1,3 @@", " a", "+", "+b"), 2, 0),
        ),
    ],
)
def test_a_file_that_is_written_as_a_whole(extra: Any, change: Change, expected: Difference) -> None:
    write = call({"file_path": "/w/a.md", "content": "a\n\nb\n"}, canonical="file_write", **extra)
    assert list(changed_files(write)) == [ChangedFile("/w/a.md", change)]
    assert difference(write, "/w/a.md", "/w") == expected


def test_what_an_event_recorded_counts_more_than_what_was_asked() -> None:
    changes = {
        "/deep/w/wind.py": {"type": "add", "content": "one\ntwo\n"},
        "/deep/w/forecast.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n", "move_path": None},
        "/deep/w/gone.py": {"type": "delete", "content": "one\n"},
    }
    events = [{"type": "item_completed", "item": {"type": "FileChange", "changes": changes}}]
    script = call("await tools.patch()", kind="execute", events=events)
    assert list(changed_files(script)) == [
        ChangedFile("/deep/w/wind.py", Change.ADDED),
        ChangedFile("/deep/w/forecast.py", Change.EDITED),
        ChangedFile("/deep/w/gone.py", Change.DELETED),
    ]
    assert difference(script, "/deep/w/forecast.py", None) == Difference(("@@@ -1 +1 @@", "-a", "+b"), 1, 1)
    assert difference(script, "/deep/w/gone.py", None) == Difference(("-one",), 0, 1)
    patch = call(PATCH, events=[{"type": "patch_apply_end", "changes": changes}])
    assert located("wind.py", patch, "/elsewhere") == "/deep/w/wind.py"
    assert difference(patch, "/deep/w/wind.py", "/elsewhere") == Difference(("+one", "+two"), 2, 0)


@pytest.mark.parametrize(
    ("path", "arguments", "project", "whole"),
    [
        ("/x/a.py", {}, "/w", "/x/a.py"),
        ("C:\\x\\a.py", {}, "/w", "C:\\x\\a.py"),
        ("./b/../a.py", {}, "/w", "/w/a.py"),
        ("a.py", {"workdir": "/v"}, "/w", "/v/a.py"),
        ("a.py", {"workdir": "sub"}, "/w", "/w/a.py"),
        ("src/a.py", {}, "C:\\w", "C:\\w\\src\\a.py"),
        ("a.py", {}, None, "a.py"),
    ],
)
def test_where_a_file_lies(path: str, arguments: Any, project: str | None, whole: str) -> None:
    assert located(path, call(arguments), project) == whole


@pytest.mark.parametrize("odd", [None, 3, "", [], {}, {"file_path": 7}, {"file_path": ""}, {"edits": 1}, "*** x"])
def test_odd_arguments_name_no_file(odd: Any) -> None:
    for kind in ("edit", "execute", "other"):
        for events in (None, 3, [3], [{"item": 3, "changes": []}], [{"changes": {"a": {"type": "odd"}}}]):
            strange = call(odd, kind=kind, events=events)
            assert not list(changed_files(strange))
            assert difference(strange, "a", "/w") is None


def test_a_command_is_not_read() -> None:
    assert not list(changed_files(call({"command": "rm a.py; echo b > c.py"}, kind="execute")))


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [("file_path", "old_string", "new_string"), ("filePath", "oldString", "newString"), ("path", "old_str", "new_str")],
)
def test_agents_name_the_arguments_of_an_edit_differently(path: str, old: str, new: str) -> None:
    given = {path: "/p/a", old: "x\ny", new: "x\nz"}
    call = ToolCall(id="1", name="edit", tool_kind="edit", canonical="file_edit", input=given, status=Status.OK)
    assert changed_files(call) == (ChangedFile("/p/a", Change.EDITED),)
    assert difference(call, "/p/a", None) == Difference((" x", "-y", "+z"), 1, 1)
    assert changes_of(call)[1] == {path: "/p/a"}


@pytest.mark.parametrize(("path", "content"), [("filePath", "content"), ("path", "file_text")])
def test_agents_name_the_content_of_a_file_differently(path: str, content: str) -> None:
    given = {path: "/p/a", content: "x\n"}
    call = ToolCall(id="1", name="w", tool_kind="edit", canonical="file_write", input=given, status=Status.OK)
    assert difference(call, "/p/a", None) == Difference(("+x",), 1, None, whole=True)


def test_arguments_under_both_names_stay_as_they_are() -> None:
    given = {"file_path": "a", "filePath": "b", "old_string": "x"}
    assert with_common_names(given) is given
