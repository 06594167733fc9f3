"""Files that are rewritten again and again: every word that was on the disk at a sync is found, shown and listed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from tests.archive.conftest import World

ID = "11111111-2222-4333-8444-555555555555"
PROJECT = "/home/ada/code/weather"
HASH = hashlib.sha256(PROJECT.encode()).hexdigest()

WORDS = ("amber", "birch", "cedar", "dahlia", "elder", "fennel", "gorse", "hazel", "iris", "juniper", "kelp", "larch")
STATES = ("amber birch cedar dahlia", "amber dahlia elder fennel gorse", "birch gorse hazel iris juniper kelp larch")


def at(word: str) -> str:
    return f"2026-10-01T10:{WORDS.index(word):02}:00.000Z"


def gemini_log(words: list[str]) -> str:
    head = {"sessionId": ID, "projectHash": HASH, "startTime": at("amber"), "lastUpdated": at("amber"), "kind": "main"}
    lines = [head] + [{"id": word, "timestamp": at(word), "type": "user", "content": word} for word in words]
    return "".join(json.dumps(line) + "\n" for line in lines)


def gemini_document(words: list[str]) -> str:
    messages = [{"id": word, "timestamp": at(word), "type": "user", "content": word} for word in words]
    head = {"sessionId": ID, "projectHash": HASH, "startTime": at("amber"), "lastUpdated": at(words[-1])}
    return json.dumps({**head, "messages": messages}, indent=2)


def claude(words: list[str]) -> str:
    lines = []
    for number, word in enumerate(words):
        told = {"parentUuid": words[number - 1] if number else None, "isSidechain": False, "cwd": PROJECT}
        told |= {"sessionId": ID, "version": "2.1.112", "type": "user", "uuid": word, "timestamp": at(word)}
        lines.append({**told, "message": {"role": "user", "content": word}})
    return "".join(json.dumps(line) + "\n" for line in lines)


def codex(words: list[str]) -> str:
    meta = {"id": ID, "timestamp": at("amber"), "cwd": PROJECT, "originator": "codex-tui", "cli_version": "0.145.0"}
    lines = [{"timestamp": at("amber"), "type": "session_meta", "payload": meta}]
    for word in words:
        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": word}]}
        lines.append({"timestamp": at(word), "type": "response_item", "payload": said})
    return "".join(json.dumps(line) + "\n" for line in lines)


FILES: dict[str, tuple[str, Callable[[list[str]], str]]] = {
    "log": (".gemini/tmp/weather/chats/session-2026-10-01T10-00-11111111.jsonl", gemini_log),
    "document": (".gemini/tmp/weather/chats/session-2026-10-01T10-00-11111111.json", gemini_document),
    "transcript": (f".claude/projects/-home-ada-code-weather/{ID}.jsonl", claude),
    "rollout": (f".codex/sessions/2026/10/01/rollout-2026-10-01T10-00-00-{ID}.jsonl", codex),
}


def found(library: Library, word: str) -> set[str]:
    return {hit.key for hit in library.search(word).hits}


@pytest.mark.parametrize("kind", FILES)
def test_every_word_that_was_on_the_disk(world: World, kind: str) -> None:
    path, made = FILES[kind]
    file = world.home / path
    file.parent.mkdir(parents=True)
    seen: set[str] = set()
    for state in STATES:
        file.write_text(made(state.split()))
        world.tomorrow()
        library = world.keeping()
        seen.update(state.split())
        assert {word for word in seen if not found(library, word)} == set()
        (listed,) = library.list(Filter(everything=True))
        assert set(seen) <= {message.text for message in library.session(listed.summary.key).messages}
    assert seen == set(WORDS)
    file.unlink()
    world.tomorrow()
    library = world.keeping()
    assert {word for word in seen if not found(library, word)} == set()


def test_what_came_of_the_states_is_found_out_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path, made = FILES["document"]
    file = world.home / path
    file.parent.mkdir(parents=True)
    for state in STATES:
        file.write_text(made(state.split()))
        world.tomorrow()
        world.keeping()
    monkeypatch.setattr("pollux.archive.merge.joined_versions_of", lambda *_: pytest.fail("it was known"))
    other = file.with_name("session-2026-10-02T10-00-22222222.json")
    other.write_text(file.read_text().replace(ID, ID.replace("1", "2")))
    world.tomorrow()
    assert len(found(world.keeping(), "amber")) == 1


def test_a_session_that_only_grows_is_no_other_than_the_agents(world: World) -> None:
    path, made = FILES["document"]
    file: Path = world.home / path
    file.parent.mkdir(parents=True)
    for length in range(3, 9):
        file.write_text(made(list(WORDS[:length])))
        world.tomorrow()
        (listed,) = world.keeping().list(Filter(everything=True))
        assert listed.summary.kept is False
        assert listed.summary.counts.prompts == length


def fates(world: World) -> dict[str, str]:
    (listed,) = world.keeping().list(Filter(everything=True))
    return {message.text: str(message.fate) for message in world.keeping().session(listed.summary.key).messages}


@pytest.mark.parametrize("kind", ["log", "document", "transcript"])
def test_what_the_agent_took_back_is_not_live(world: World, kind: str) -> None:
    path, made = FILES[kind]
    file = world.home / path
    file.parent.mkdir(parents=True)
    for state in ("amber birch cedar", "amber dahlia", "amber dahlia elder"):
        file.write_text(made(state.split()))
        world.tomorrow()
        world.keeping()
    told = fates(world)
    assert list(told) == ["amber", "birch", "cedar", "dahlia", "elder"]
    assert {word for word, fate in told.items() if fate == "live"} == {"amber", "dahlia", "elder"}


@pytest.mark.parametrize("kind", ["log", "document"])
@pytest.mark.parametrize("end", ["emptied", "without a message", "cut"])
def test_what_was_lost_by_accident_is_as_it_was(world: World, kind: str, end: str) -> None:
    path, made = FILES[kind]
    file = world.home / path
    file.parent.mkdir(parents=True)
    for state in ("amber birch cedar", "amber dahlia elder fennel"):
        file.write_text(made(state.split()))
        world.tomorrow()
        world.keeping()
    before = fates(world)
    whole = file.read_text()
    file.write_text({"emptied": "", "without a message": made([]) if kind == "log" else "{}", "cut": whole[:-40]}[end])
    world.tomorrow()
    assert fates(world) == before
    assert [word for word, fate in before.items() if fate == "live"] == ["amber", "dahlia", "elder", "fennel"]


def test_a_document_that_is_rewritten_often_takes_no_more_than_its_turns(world: World) -> None:
    path, made = FILES["document"]
    file = world.home / path
    file.parent.mkdir(parents=True)
    file.write_text(made(["amber", "birch", "cedar"]))
    world.tomorrow()
    world.keeping()
    for length in range(4, len(WORDS)):
        file.write_text(made(["amber", *WORDS[3:length]]))
        world.tomorrow()
        world.keeping()
    (held,) = world.library()._places.kept.glob("*/tmp/weather/chats/*.json")
    assert len(held.read_text()) < 3 * len(file.read_text())
    assert set(fates(world)) == set(WORDS[: len(WORDS) - 1])


@pytest.mark.parametrize("kind", ["log", "document", "transcript"])
def test_recover_tells_what_the_agent_has_no_more(world: World, kind: str) -> None:
    path, made = FILES[kind]
    file = world.home / path
    file.parent.mkdir(parents=True)
    for state in ("amber birch cedar", "amber dahlia elder"):
        file.write_text(made(state.split()))
        world.tomorrow()
        world.keeping()
    library = world.keeping()
    (listed,) = library.list(Filter(everything=True))
    found = library.recover.join(library.session(listed.summary.key))
    own = {m.text for m in found.session.messages if m.origin is not None and m.origin.file == str(file)}
    assert ([m.text for m in found.session.messages], own, found.lost) == (
        ["amber", "birch", "cedar", "dahlia", "elder"],
        {"amber", "dahlia", "elder"},
        2,
    )
    file.unlink()
    world.tomorrow()
    library = world.keeping()
    gone = library.recover.join(library.session(listed.summary.key))
    assert (len(gone.session.messages), gone.lost) == (5, 5)


@pytest.mark.parametrize("kind", FILES)
def test_a_cut_file_whose_session_is_kept_is_not_missed(world: World, kind: str) -> None:
    path, made = FILES[kind]
    file = world.home / path
    file.parent.mkdir(parents=True)
    file.write_text(made(["amber", "birch"]))
    other = file.with_name(file.name.replace("11111111", "22222222"))
    other.write_text("{" * 10)
    world.tomorrow()
    library = world.keeping()
    before = library.index.unread(), library.index.lacking()
    assert before[0] == (0 if kind == "rollout" else 1)  # Codex' rollouts may be that short
    file.write_text(file.read_text()[:10])
    world.tomorrow()
    library = world.keeping()
    assert len(found(library, "amber")) == 1
    assert (library.index.unread(), library.index.lacking()) == before
