"""Two sessions side by side: what they share is said once, and nothing is lost or counted twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux import Library
from pollux.answers.compare import comparison_document
from pollux.draw.canvas import Canvas
from pollux.draw.compare import comparison_lines
from pollux.errors import RequestError
from pollux.library.compare.values import Comparison, FileCount, ToolCount

ROOT = Path(__file__).parents[4]
SAMPLE = ROOT / "src" / "pollux" / "sample" / "home"
CORPUS = ROOT / "tests" / "corpus"

FORKS = [
    ("claude/2.1.325", "claude:82286fe9", "claude:639a0282", 18, 0, 2),
    ("claude/walk-fork-of-compacted-in-other-folder", "claude:32057e25", "claude:8d217ee1", 25, 10, 8),
    ("claude/walk-fork-of-compacted-in-other-folder", "claude:8d217ee1", "claude:43783e86", 25, 8, 39),
    ("codex/0.100.0", "codex:01a1ddcb-ed", "codex:01a1ddcb-ef", 8, 4, 5),
    ("codex/0.29.0", "codex:3286471d", "codex:c42ce413", 3, 0, 3),
]
"""A home, two of its sessions, and how many messages are in both, only in the first, only in the second."""


def compared(home: Path, folder: Path, first: str, second: str) -> tuple[Library, Comparison]:
    own = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}
    library = Library({"HOME": str(home), **own}, folder, hunt=False)
    return library, library.compare.sessions(library.session(first), library.session(second))


@pytest.mark.parametrize(("home", "first", "second", "shared", "left", "right"), FORKS)
def test_a_fork_shares_its_beginning(
    home: str, first: str, second: str, shared: int, left: int, right: int, tmp_path: Path
) -> None:
    library, found = compared(CORPUS / home / "home", tmp_path, first, second)
    assert found.shared is not None
    assert (found.shared.messages, found.first.own.messages, found.second.own.messages) == (shared, left, right)
    sessions = library.session(first), library.session(second)
    for session, side in zip(sessions, (found.first, found.second), strict=True):
        assert len(session.messages) == shared + side.own.messages
        prompts = [message.id for message in session.prompts]
        assert {prompt.message_id for prompt in side.own.prompts} <= {*prompts}
        if side.parted_at is not None:
            ids = [message.id for message in session.messages]
            assert ids.index(side.parted_at) >= shared


def test_the_sides_of_a_fork_of_codex(tmp_path: Path) -> None:
    _, found = compared(CORPUS / "codex" / "0.100.0" / "home", tmp_path, "01a1ddcb-ed", "01a1ddcb-ef")
    assert found.shared is not None
    assert [prompt.text for prompt in found.shared.prompts] == ["First question", "Second question: read the list"]
    assert [(prompt.text, prompt.fate) for prompt in found.first.own.prompts] == [
        ("Third question, later rolled back", "rewound"),
        ("Fourth question", "live"),
    ]
    assert [prompt.text for prompt in found.second.own.prompts] == ["Third question, only in the fork"]
    assert (found.first.parted_at, found.second.parted_at) == ("line-29", "line-29")
    assert found.link is not None
    assert (found.link.kind, found.link_of) == ("forked_from", found.second.summary.key)
    assert [tool.calls for tool in found.shared.tools] == [1]
    assert found.first.own.tools == found.second.own.tools == ()
    total = found.first.summary.usage.total
    assert found.shared.usage.total is not None
    assert found.first.own.usage.total is not None
    assert found.shared.usage.total + found.first.own.usage.total == total
    assert found.second.own.usage.total == found.second.summary.usage.total
    assert found.second.own.inherited == 3


def test_two_sessions_with_nothing_in_common(tmp_path: Path) -> None:
    library, found = compared(SAMPLE, tmp_path, "ba57feba", "01a1b23d")
    assert found.shared is None
    assert (found.link, found.link_of, found.first.parted_at, found.second.parted_at) == (None, None, None, None)
    for side in (found.first, found.second):
        session = library.session(side.summary.key)
        bill = library.usage.bill(session)
        assert side.own.usage == session.usage
        assert (side.own.cost_usd, side.own.unpriced_requests) == (bill.usd, bill.unpriced)
        assert side.own.messages == len(session.messages)
        assert side.own.models == side.summary.models
        assert sum(tool.calls for tool in side.own.tools) == side.summary.counts.tool_calls
        assert len(side.own.prompts) == side.summary.counts.prompts
        assert side.own.replies == side.summary.counts.replies
    assert found.first.own.files == (
        FileCount(path="/home/juno/code/tidewatch/tidewatch/cli.py", edits=2, unsuccessful=0),
    )
    assert [(file.path.rpartition("/")[2], file.edits) for file in found.second.own.files] == [
        ("app.py", 1),
        ("variety.html", 1),
    ]


def test_failures_are_counted(tmp_path: Path) -> None:
    _, found = compared(CORPUS / "gemini" / "0.61.0" / "home", tmp_path, "26f2b7db", "3274cde4")
    assert found.shared is None
    assert found.first.own.tools == (
        ToolCount(name="replace", canonical="file_edit", calls=2, failed=1, cancelled=0, unfinished=0),
        ToolCount(name="run_shell_command", canonical="shell_exec", calls=2, failed=1, cancelled=0, unfinished=0),
        ToolCount(name="write_file", canonical="file_write", calls=2, failed=0, cancelled=0, unfinished=0),
    )
    assert [(file.path.rpartition("/")[2], file.edits, file.unsuccessful) for file in found.first.own.files] == [
        ("NOTES.md", 2, 0),
        ("main.py", 1, 1),
    ]


def test_the_document_says_what_is_not_known(tmp_path: Path) -> None:
    _, found = compared(SAMPLE, tmp_path, "ba57feba", "01a1b23d")
    document = comparison_document(found)
    assert (document["shared"], document["link"]) == (None, None)
    assert [one["key"] for one in document["sessions"]] == [found.first.summary.key, found.second.summary.key]


def test_a_session_is_not_compared_with_itself(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="itself"):
        compared(SAMPLE, tmp_path, "ba57feba", "ba57feba")


def test_what_is_shared_is_drawn_once(tmp_path: Path) -> None:
    _, found = compared(CORPUS / "codex" / "0.100.0" / "home", tmp_path, "01a1ddcb-ed", "01a1ddcb-ef")
    text = "\n".join(comparison_lines(Canvas(100), found, "/home/ada-codex"))
    assert "B was forked from A. They share 8 messages, and part after that." in " ".join(text.split())
    assert text.count("First question") == 2  # as the title of both, and as a shared prompt
    assert "- Third question, later rolled back (rewound)" in text
    assert [line.split() for line in text.splitlines() if line.startswith(("messages", "prompts"))] == [
        ["messages", "8", "4", "5"],
        ["prompts", "2", "2", "1"],
    ]
