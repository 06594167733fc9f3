"""What went wrong once in histories of random walks, beyond what their oracles state."""

from __future__ import annotations

import re

from pollux.model import Session
from tests.conformance.answers import answers

MARK = re.compile(r"z(?:q\d+|r\d+_\d+)z")


def session_of(home: str, beginning: str) -> Session:
    result = answers("claude", home).sessions
    return next(session for key, session in result.items() if key.startswith(f"claude:{beginning}"))


def marks(session: Session, fate: str | None = None) -> list[str]:
    """The marks of prompts and replies that are the session's own."""
    own = [m for m in session.messages if not m.inherited and m.author != "client" and fate in (None, m.fate.value)]
    return [mark for message in own for mark in MARK.findall(message.text)]


def parents(session: Session) -> list[str]:
    return [link.target[7:15] for link in session.links if link.kind == "forked_from"]


def test_of_two_resumes_at_once_the_later_leaf_goes_on() -> None:
    both = session_of("walk-two-resumes-at-once", "c3505508")
    assert marks(both, "live") == ["zq1z", "zr1_0z", "zr1_3z", "zq2z", "zr2_0z", "zr2_1z"]
    assert marks(both, "rewound") == ["zq5z", "zr5_0z", "zr5_1z"]
    fork = session_of("walk-two-resumes-at-once", "0d8660fc")
    assert parents(fork) == ["c3505508"]
    assert marks(fork) == ["zq6z", "zr6_2z", "zq7z", "zr7_1z"]


def test_fork_of_a_compacted_session_in_another_folder() -> None:
    home = "walk-fork-of-compacted-in-other-folder"
    assert [parents(session_of(home, name)) for name in ("32057e25", "43783e86", "8d217ee1")] == [
        [],
        ["32057e25"],
        ["32057e25"],
    ]
    assert marks(session_of(home, "8d217ee1")) == ["zq6z", "zr6_0z", "zr6_1z"]
    answer = [mark for session in answers("claude", home).sessions.values() for mark in marks(session)]
    assert sorted(answer) == sorted(set(answer))


def test_session_that_was_rewritten_on_resume() -> None:
    answer = marks(session_of("walk-rewritten-on-resume", "7ccf7baf"))
    assert answer
    assert sorted(answer) == sorted(set(answer))


def test_reply_that_was_written_before_its_prompt() -> None:
    answer = marks(session_of("walk-reply-before-prompt", "8a4e1057"))
    assert answer[:4] == ["zq2z", "zr2_0z", "zq3z", "zr3_0z"]
