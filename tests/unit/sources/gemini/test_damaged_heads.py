"""Files that lost their heads belong to the session whose messages they hold, wherever they lie."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from pollux.model import Session
from pollux.registry import source
from pollux.sources.base import OtherFiles, SourceContext
from pollux.sources.gemini_sessions.format.message_ids import MessageIds, hash_of, message_ids_of
from pollux.sources.walk import stat_file
from tests.unit.sources.gemini.conftest import LOG, Home, Json, call, context, document, gemini, header, info, user

NAME = "aaaaaaaa-1"


def name(number: int) -> str:
    """An id as the agent makes them."""
    return str(uuid.UUID(int=number, version=4))


def turn(number: int, tokens: int, at: str = "06:00:02") -> tuple[Json, Json]:
    """A prompt and its answer."""
    return user(name(2 * number), f"ask {number}", at), gemini(name(2 * number + 1), f"say {number}", at, tokens)


TALK = (*turn(1, 10, "06:00:01"), *turn(2, 200, "06:00:02"), *turn(3, 4000, "06:00:03"))
PLACES = {
    "another folder": "garden/chats/session-2026-11-15T06-00-aaaaaaaa.jsonl",
    "another name": "weather/chats/session-2026-11-15T06-00-aaaaaaaa (copy).jsonl",
    "another root": "../two/tmp/weather/chats/session-2026-11-15T06-00-aaaaaaaa.jsonl",
}


def library(home: Home) -> Library:
    roots = (home.tmp, home.tmp.parent / "two" / "tmp")
    return home.library(POLLUX_GEMINI_DIR=os.pathsep.join(map(str, roots)))


def figures(home: Home) -> dict[str, int | None]:
    """The input of each session by id."""
    return {one.summary.id: one.summary.usage.input for one in library(home).list(Filter(everything=True))}


def session(home: Home, id: str = NAME) -> Session:
    return library(home).session(f"gemini:{id}")


def words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("lost", [0, 2, 4])
def test_a_copy_without_its_head_belongs_to_the_session(home: Home, place: str, lost: int) -> None:
    home.log(LOG, header(), *TALK)
    assert figures(home) == {NAME: 4210}
    home.log(place, *TALK[lost:])
    assert figures(home) == {NAME: 4210}
    one = session(home)
    assert words(one) == ["ask 1", "say 1", "ask 2", "say 2", "ask 3", "say 3"]
    assert {message.fate.value for message in one.messages} == {"live"}
    assert [link.kind for link in one.links] == ["copy_of"]
    assert len(one.files) == 2


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_session_that_comes_after_its_damaged_copy(home: Home, place: str) -> None:
    copy = home.log(place, *TALK[2:])
    (alone,) = figures(home).items()
    assert alone == (copy.stem, 4200)
    whole = home.log(LOG, header(), *TALK)
    assert figures(home) == {NAME: 4210}
    whole.unlink()
    assert figures(home) == {copy.stem: 4200}


def test_what_only_the_damaged_copy_has_counts(home: Home) -> None:
    home.log(LOG, header(), *TALK[:2], *TALK[4:])
    home.log(PLACES["another folder"], *TALK[2:])
    assert figures(home) == {NAME: 4210}
    assert words(session(home)) == ["ask 1", "say 1", "ask 2", "say 2", "ask 3", "say 3"]


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_two_copies_without_heads_are_one_session(home: Home, place: str) -> None:
    home.log(LOG, *TALK)
    home.log(place, *TALK)
    assert figures(home) == {"session-2026-11-15T06-00-aaaaaaaa": 4210}
    typed = {"sessionId": NAME, "messageId": 0, "type": "user", "message": "ask 1", "timestamp": "2026-11-15T06:00:01Z"}
    home.write("weather/logs.json", json.dumps([typed]))
    assert figures(home) == {NAME: 4210}


def test_a_damaged_copy_may_show_where_another_belongs(home: Home) -> None:
    home.log(LOG, header(), *TALK[:2])
    home.log("garden/chats/session-x.jsonl", *TALK[:4])
    home.log("yard/chats/session-y.jsonl", *TALK[2:])
    assert figures(home) == {NAME: 4210}


def test_a_header_that_was_cut_names_no_project(home: Home) -> None:
    home.log(LOG, header(), *TALK)
    head = json.dumps(header())
    lines = [head[: head.index("projectHash") + 30], *map(json.dumps, TALK)]
    for text in ("\n".join(lines) + "\n", "".join(lines[:2]) + "\n" + "\n".join(lines[2:])):
        home.write(PLACES["another folder"], text)
        assert figures(home) == {NAME: 4210}


@pytest.mark.parametrize("line", range(5))
def test_a_document_with_a_cut_head_keeps_its_messages(home: Home, line: int) -> None:
    lines = json.dumps(document(TALK), indent=2).split("\n")
    place = "weather/chats/session-2026-11-15T06-00-aaaaaaaa.json"
    home.write(place, "\n".join([*lines[:line], lines[line][: len(lines[line]) // 2], *lines[line + 1 :]]))
    assert sum(figure or 0 for figure in figures(home).values()) == 4210
    home.document("yard/chats/session-2026-11-15T06-00-aaaaaaaa.json", document(TALK))
    assert figures(home) == {NAME: 4210}


def test_a_damaged_copy_of_a_sub_agent(home: Home) -> None:
    kid = header("kid", kind="subagent")
    home.log(LOG, header(), *turn(1, 10))
    home.log(f"weather/chats/{NAME}/kid.jsonl", kid, *turn(2, 200), gemini(name(9), "", toolCalls=[call("c1")]))
    assert figures(home) == {NAME: 10, "kid": 210}
    for place in (f"weather/chats/{NAME}/kid (copy).jsonl", "garden/chats/session-x.jsonl"):
        home.log(place, *turn(2, 200))
        assert figures(home) == {NAME: 10, "kid": 210}


def test_a_common_context_proves_nothing(home: Home) -> None:
    home.log(LOG, header(), {"$set": {"messages": [context()]}}, *turn(1, 10))
    home.log("garden/chats/session-x.jsonl", {"$set": {"messages": [context()]}}, *turn(2, 200))
    assert figures(home) == {NAME: 10, "session-x": 200}


def test_an_imported_session_without_its_head_is_not_its_origin(home: Home) -> None:
    line = info(name(90), "Imported session from /x/f.json", "09:00:01")
    imported = (*turn(1, 10), line, *turn(2, 200, "09:00:02"))
    home.log(LOG, header(), *turn(1, 10))
    home.log("weather/chats/session-2026-11-15T09-00-bbbbbbbb.jsonl", *imported)
    assert figures(home) == {NAME: 10, "session-2026-11-15T09-00-bbbbbbbb": 200}
    home.log("weather/chats/session-2026-11-15T09-00-bbbbbbbb.jsonl", header("bbbbbbbb-1", start="09:00:00"), *imported)
    home.log("garden/chats/session-x.jsonl", *turn(1, 10))
    home.log("garden/chats/session-y.jsonl", *turn(1, 10), *turn(2, 200, "09:00:02"))
    assert figures(home) == {NAME: 10, "bbbbbbbb-1": 200}


def test_a_file_with_messages_of_two_sessions_counts_none_twice(home: Home) -> None:
    home.log(LOG, header(), *turn(1, 10))
    home.log("weather/chats/session-2026-11-15T06-00-bbbbbbbb.jsonl", header("bbbbbbbb-1"), *turn(2, 200))
    home.log("garden/chats/session-x.jsonl", *turn(1, 10), *turn(2, 200), *turn(3, 4000))
    assert sum(figure or 0 for figure in figures(home).values()) == 4210


def test_files_that_only_the_archive_has_name_a_session(home: Home, tmp_path: Path) -> None:
    other = Home(tmp_path / "kept")
    whole = other.log(LOG, header(), *TALK)
    copy = home.log(PLACES["another folder"], *TALK[2:])
    gemini_source = source("gemini")
    others = OtherFiles({}, [stat_file(whole, "session")])
    found = list(gemini_source.find(home.tmp))
    (bundle,) = gemini_source.bundles(home.tmp, found, SourceContext(other_files=lambda: others))
    assert bundle.id == NAME
    assert [file.path for file in bundle.files] == [str(copy)]


def test_healthy_files_are_not_searched_for_messages(home: Home) -> None:
    home.log(LOG, header(), *TALK)
    gemini_source, peeks = source("gemini"), SourceContext()
    gemini_source.bundles(home.tmp, list(gemini_source.find(home.tmp)), peeks)
    assert {kind for kind, _ in peeks.peeks} == {"Identity"}
    home.log(PLACES["another folder"], *TALK)
    gemini_source.bundles(home.tmp, list(gemini_source.find(home.tmp)), peeks)
    assert {kind for kind, _ in peeks.peeks} == {"Identity", "MessageIds"}


@pytest.mark.parametrize("size", [1 << 20, (1 << 20) - 1, (1 << 20) + 1, (1 << 21) + 300])
def test_ids_are_found_wherever_a_file_is_divided(home: Home, size: int) -> None:
    for place in range(-200, 40, 7):
        line = json.dumps(TALK[0], separators=(",", ":"))
        filler = " " * (min(size, 1 << 20) + place)
        file = home.write(LOG, (filler + line).ljust(size))
        assert message_ids_of(stat_file(file, "session")).own_numbers() == {hash_of(TALK[0]["id"])}


def test_ids_of_calls_are_not_those_of_messages(home: Home) -> None:
    file = home.log(LOG, header(), gemini(name(1), "1", toolCalls=[call(name(2))]))
    assert message_ids_of(stat_file(file, "session")).all_numbers() == {hash_of(name(1))}
    assert message_ids_of(stat_file(file, "session")) != MessageIds()
