"""Families of forks as the releases of Claude Code write them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.unit.sources.claude.conftest import Json, call, in_chain, json_lines, model, result, user

NAMES = tuple(f"{letter * 8}-0000-4000-8000-000000000001" for letter in "bac")

Style = Callable[[list[Json], str], list[Json]]
"""How a release copies records into the file of a fork."""


def renamed(records: list[Json], name: str) -> list[Json]:
    """All copies get the fork's id (2.1.112 and later)."""
    return [{**record, "sessionId": name} for record in records]


def kept(records: list[Json], _name: str) -> list[Json]:
    """All copies keep the parent's id (2.1.30)."""
    return records


def prompts_kept(records: list[Json], name: str) -> list[Json]:
    """Only the prompts and results keep the parent's id (2.0.77)."""
    return [record if record["type"] == "user" else {**record, "sessionId": name} for record in records]


def stamped(records: list[Json], name: str) -> list[Json]:
    """The copies get the time of the fork (1.0)."""
    return [{**record, "timestamp": "2026-11-16T10:00:00.000Z"} for record in renamed(records, name)]


def with_new_uuids(records: list[Json], name: str) -> list[Json]:
    """The copies get new uuids (2.0.77, after a prompt of several parts)."""
    uuids = {record["uuid"]: user("")["uuid"] for record in records}
    return [
        {**record, "uuid": uuids[record["uuid"]], "parentUuid": uuids.get(record["parentUuid"])}
        for record in renamed(records, name)
    ]


def marked(records: list[Json], name: str) -> list[Json]:
    """All copies get the fork's id, and name the parent in another field (`/branch`)."""
    marks = [{"sessionId": record["sessionId"], "messageUuid": record["uuid"]} for record in records]
    return [{**record, "forkedFrom": mark} for record, mark in zip(renamed(records, name), marks, strict=True)]


STYLES: tuple[Style, ...] = (renamed, kept, prompts_kept, stamped, with_new_uuids, marked)


def turn(number: int, before: str | None, name: str) -> list[Json]:
    """A prompt, a reply of two lines with a call, its result, and another reply."""
    reply = f"msg_01{number:020}"
    records = [
        user(f"Question {number}"),
        model(f"Let me look {number}.", reply, "tool_use"),
        call(f"toolu_{number}", message=reply),
        result(f"toolu_{number}"),
        model(f"Answer {number}", f"msg_02{number:020}"),
    ]
    records[0]["parentUuid"] = before
    return renamed(in_chain(records), name)


def write_family(
    home: Path, styles: tuple[Style, Style], *, of_fork: bool = False, apart: bool = False, silent: bool = False
) -> None:
    """Write a session, a fork of it that went on, and a fork of one of them; `apart` in a folder each.

    In a `silent` fork nothing was said yet: that is the last one.
    """
    parent, fork, last = NAMES
    first = turn(1, None, parent)
    second = [*(copies := styles[0](first, fork)), *turn(2, copies[-1]["uuid"], fork)]
    copies = styles[1](second if of_fork else first, last)
    third = [*copies, *(() if silent else turn(3, copies[-1]["uuid"], last))]
    first = [*first, {"type": "mode", "mode": "normal", "sessionId": parent}, *turn(4, first[-1]["uuid"], parent)]
    for place, (name, records) in enumerate(zip(NAMES, (first, second, third), strict=True)):
        file = home / ".claude" / "projects" / f"-work-weather{place if apart else ''}" / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json_lines(*records))
