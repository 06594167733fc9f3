"""A session and its hand-over in one home: listed together, counted once, each with its own marks."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pollux.draw.list import listing
from pollux.library.library import Filter, Library
from pollux.library.marks.service import Edit, Target
from pollux.sources.codex.native import FORMAT
from pollux.usage.stats import Grouping
from pollux.writers.native.draft import draft
from pollux.writers.native.options import DraftOptions
from tests.unit.sources.claude.conftest import SID, in_chain, json_lines, model, user
from tests.unit.sources.codex.conftest import context, figures, lines, reply, sent_prompt, tokens, typed_prompt
from tests.unit.sources.gemini.conftest import Home, gemini, header, user as asked

ORIGIN = f"claude:{SID}"
COPY = str(uuid.UUID(int=7))
HEIR = f"codex:{COPY}"
AT = datetime(2026, 11, 15, 8, tzinfo=UTC)
LATER = "2026-11-16T09:00:0{}.000Z"


def library_in(home: Path) -> Library:
    return Library({"HOME": str(home)}, home, hunt=False)


def hand_over(home: Path, key: str, id: str, *more: dict[str, object]) -> None:
    """Write a session as one of Codex, and what Codex added since."""
    with library_in(home) as library:
        session = library.session(key)
    conversation, _ = draft(session, DraftOptions(), FORMAT, id=id, folder="/work/weather", at=AT, agent_title="It")
    file = home / f".codex/sessions/2026/11/15/rollout-2026-11-15T08-00-00-{id}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(FORMAT.lines(conversation)) + lines(*more))


def own_turn() -> list[dict[str, object]]:
    turn = [
        context(turn_id="t1"),
        sent_prompt("And the wind?"),
        typed_prompt("And the wind?"),
        reply("Calm."),
        tokens(figures(100), figures(100)),
    ]
    return [{**record, "timestamp": LATER.format(number)} for number, record in enumerate(turn)]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    records = in_chain([user("How warm is it today?"), model("Mild.", "msg_a"), user("Sure?"), model("Sure.", "msg_b")])
    file = tmp_path / ".claude/projects/-work-weather" / f"{SID}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json_lines(*records))
    hand_over(tmp_path, ORIGIN, COPY, *own_turn())
    return tmp_path


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    with library_in(home) as library:
        yield library


class Wide:
    """A canvas without colours."""

    columns: int | None = None
    colours = False

    def paint(self, text: str, *_styles: str) -> str:
        return text


def test_only_what_came_after_is_counted(home: Path, library: Library) -> None:
    alone = library.session(ORIGIN).usage.total or 0
    with library_in(home) as both:
        stats = both.usage.stats(Grouping.AGENT)
    assert stats.total.usage.total == alone + 101
    assert (library.session(HEIR).usage.requests, library.session(HEIR).exact) == (1, True)


def test_a_list_shows_it_under_its_origin(library: Library) -> None:
    entries = library.list(Filter())
    assert [entry.summary.key for entry in entries] == [HEIR, ORIGIN], "the newest first"
    assert [entry.summary.handed_over_from for entry in entries] == [ORIGIN, None]
    _, first, second = listing(Wide(), entries, "/home/mia")  # type: ignore[arg-type]
    assert "└" not in first
    assert "└ How warm is it today?" in second
    assert "handed over" in second
    (_, alone) = listing(Wide(), entries[:1], "/home/mia")  # type: ignore[arg-type]
    assert "└" not in alone
    assert [(one.key, one.origin) for one in library.index.listed_keys(Filter())] == [(HEIR, ORIGIN), (ORIGIN, None)]


def test_each_names_the_other(library: Library) -> None:
    assert library.index.relatives(HEIR) == [("handed over from", ORIGIN)]
    assert library.index.relatives(ORIGIN) == [("handed over to", HEIR)]
    assert (library.index.heirs(ORIGIN), library.index.heirs(HEIR)) == ([HEIR], [])


def test_marks_stay_with_the_origin(tmp_path: Path) -> None:
    """Although a prompt of the copy has the same id."""
    home, prompt = Home(tmp_path), asked(str(uuid.UUID(int=5)), "How warm is it?")
    old = home.log("weather/chats/session-2026-11-15T06-00-aaaaaaaa.jsonl", header(), prompt, gemini("g1", "Mild."))
    with library_in(tmp_path) as library:
        library.marks.change([Target("gemini:aaaaaaaa-1")], Edit(starred=True))
    note = asked("n1", "[pollux: handed over from gemini:aaaaaaaa-1 at 2026-11-15T07:00:00.000Z]")
    home.log("weather/chats/session-2026-11-15T07-00-bbbbbbbb.jsonl", header("bbbbbbbb-1"), note, prompt)
    old.unlink()
    with library_in(tmp_path) as library:
        assert [(entry.summary.id, entry.marks) for entry in library.list(Filter())] == [("bbbbbbbb-1", None)]


def test_copied_words_are_found_once_before_their_copies(library: Library) -> None:
    hits = library.search("warm", limit=10).hits
    assert hits[0].key == ORIGIN


def test_a_chain_of_hand_overs(home: Path) -> None:
    other = str(uuid.UUID(int=8))
    hand_over(home, HEIR, other)
    with library_in(home) as library:
        last = library.session(f"codex:{other}")
        assert [link.target for link in last.links] == [HEIR]
        assert (last.usage.total, last.exact) == (0, True)
        assert [m.text for m in last.prompts] == ["How warm is it today?", "Sure?", "And the wind?"]
        _, *rows = listing(Wide(), library.list(Filter()), "/home/mia")  # type: ignore[arg-type]
        assert ["└" in row for row in rows] == [False, True, True]


def test_a_made_up_reply_counts_nowhere(home: Path) -> None:
    """session-migrate writes zeros: no request of ours."""
    zeros = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    id = str(uuid.UUID(int=9))
    records = in_chain([user("One?"), model("1", "msg_session_migrate_0a", figures=zeros)])
    folder = home / ".claude/projects/-work-weather"
    with library_in(home) as library:
        before = library.usage.stats(Grouping.AGENT)
    (folder / f"{id}.jsonl").write_text(json_lines(*({**record, "sessionId": id} for record in records)))
    manifest = {"source": {"format": "codex", "session_id": COPY}, "target": {"records": 2}}
    place = home / ".claude/session-migrate/manifests" / f"{id}.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(manifest))
    with library_in(home) as library:
        after = library.usage.stats(Grouping.AGENT)
        assert after.total.usage == before.total.usage
        items = library.usage.audit(library.session(f"claude:{id}")).items
        assert [(item.counted, item.rule) for item in items] == [(False, f"inherited from {HEIR}: counted there")]
