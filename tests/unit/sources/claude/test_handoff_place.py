"""Where Claude Code finds a conversation that was handed over."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pollux.sources.claude.handoff_place import handoff_place
from pollux.sources.claude.rehome import plain_name, short_name
from pollux.sources.handoff_place import HandoffRequest

LONG = "/home/ada/" + "/".join(["weather"] * 40)


def place(folder: str, release: tuple[int, ...] | None) -> Path:
    request = HandoffRequest(
        id="3f0a7c11-9b7d-4c0e-8a52-000000000001",
        title=None,
        at=datetime(2026, 11, 15, tzinfo=UTC),
        folder=folder,
        roots=(Path("/home/ada/.claude/projects"),),
        own=Path("/own"),
        release=release,
        environ={},
        home=Path("/home/ada"),
    )
    return handoff_place(request).file


@pytest.mark.parametrize("release", [None, (2, 1, 111), (2, 1, 112)])
def test_a_usual_path(release: tuple[int, ...] | None) -> None:
    expected = "/home/ada/.claude/projects/-home-ada-my-app/3f0a7c11-9b7d-4c0e-8a52-000000000001.jsonl"
    assert str(place("/home/ada/my_app", release)) == expected


def test_releases_differ_in_how_they_name_a_long_path() -> None:
    assert place(LONG, (2, 1, 111)).parent.name == plain_name(LONG)
    assert place(LONG, (2, 1, 112)).parent.name == place(LONG, None).parent.name == short_name(LONG)
    assert short_name(LONG) != plain_name(LONG)
