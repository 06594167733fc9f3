"""Forks of sessions, written as Claude Code would write them."""

from __future__ import annotations

from pollux.model import Session
from tests.unit.sources.claude.conftest import OTHER, PROJECT, SID, Home, Json, model, user

LATER = "00000000-0000-4000-8000-00000000000c"
REAL = ("msg_01aaaaaaaaaaaaaaaaaaaaaa", "msg_01bbbbbbbbbbbbbbbbbbbbbb", "msg_01cccccccccccccccccccccc")


def renamed(records: list[Json], name: str) -> list[Json]:
    return [{**record, "sessionId": name} for record in records]


def branched(records: list[Json], name: str) -> list[Json]:
    """Copies that `/branch` made: each names the session and the record that it was copied from."""
    marks = [{"sessionId": record["sessionId"], "messageUuid": record["uuid"]} for record in records]
    return [{**record, "forkedFrom": mark} for record, mark in zip(renamed(records, name), marks, strict=True)]


def own(name: str, before: Json, number: int = 9) -> list[Json]:
    prompt = user("And halved?", sessionId=name, parentUuid=before["uuid"])
    return [prompt, model("21.", f"msg_{number}", sessionId=name, parentUuid=prompt["uuid"])]


def check_fork(sessions: dict[str, Session]) -> None:
    fork, parent = sessions[OTHER], sessions[SID]
    assert [message.inherited for message in fork.messages] == [True, True, False, False]
    assert not any(message.inherited for message in parent.messages)
    assert [(link.kind, link.target) for link in fork.links] == [("forked_from", f"claude:{SID}")]
    assert parent.links == ()
    assert fork.usage.requests == 1
    assert fork.started == fork.messages[2].at


def forked_from(session: Session) -> list[str]:
    return [link.target.removeprefix("claude:") for link in session.links if link.kind == "forked_from"]


def elsewhere(home: Home, *names: str) -> None:
    """Move transcripts to the other folder that the agent may write to."""
    for name in names:
        file = home.projects / PROJECT / f"{name}.jsonl"
        other = home.path / ".config" / "claude" / "projects" / PROJECT / file.name
        other.parent.mkdir(parents=True, exist_ok=True)
        file.rename(other)
