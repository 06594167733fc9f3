"""Lines that stand only in an agent's log of typed prompts, where session files are gone and kept."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from pollux.library.library import Filter, Library
from tests.archive.conftest import CORPUS, World

LOGS = sorted(
    path.parents[4].name
    for path in CORPUS.glob("gemini/*/home/.gemini/tmp/*/logs.json")
    if "/clear" in path.read_text()
)


def typed(library: Library) -> set[tuple[str, datetime | None]]:
    """What humans typed and when, as the sessions that are listed tell it."""
    keys = [one.summary.key for one in library.list(Filter(everything=True))]
    messages = (message for key in keys for message in library.session(key).messages)
    return {(message.text, message.at) for message in messages if message.author == "human"}


def dangling(library: Library, words: set[str]) -> set[tuple[str, str]]:
    """The messages that a search names and their sessions do not hold."""
    by_word = [hit for word in words for hit in library.search(word, limit=1000).hits]
    named = {(hit.key, hit.message_id) for hit in (*by_word, *library.match("."))}
    return {(key, id) for key, id in named if id not in {message.id for message in library.session(key).messages}}


def chats(home: Path) -> list[Path]:
    return sorted(home.glob(".gemini/tmp/*/chats/session-*"))


@pytest.mark.parametrize("version", LOGS)
def test_no_typed_line_goes_with_a_session_file(world: World, version: str) -> None:
    world.furnish(f"gemini/{version}")
    before = typed(world.keeping())
    for file in chats(world.home):
        content = file.rename(world.folder / file.name)
        world.tomorrow()
        assert before - typed(world.keeping()) == set(), file.name
        shutil.move(content, file)
    for file in chats(world.home):
        file.unlink()
    world.tomorrow()
    library = world.keeping()
    assert before - typed(library) == set()
    words = {word for text, _ in before for word in text.split() if word.isalpha()}
    assert dangling(library, words) == set()
