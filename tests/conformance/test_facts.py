"""What sessions of the corpus tell of their surroundings is shown, and finds them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.library.library import ABOUT, Filter, Library
from pollux.model import FACTS, Fate, Session, ToolCall

CORPUS = Path(__file__).parents[1] / "corpus"
HOMES = ["claude/2.1.325", "claude/2.1.112", "claude/1.0.128", "codex/0.166.0", "codex/0.130.0", "gemini/0.61.0"]
RECORDED = {
    "claude": {"branch", "directory", "version", "client", "mode", "effort", "subagent", "name"},
    "codex": set(FACTS),
    "gemini": {"directory"},
}


@pytest.fixture(params=HOMES)
def library(request: pytest.FixtureRequest, tmp_path: Path) -> Library:
    home = CORPUS / request.param / "home"
    places = {"HOME": str(home), **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "CONFIG", "DATA")}}
    return Library(places, home, hunt=False)


def test_every_fact_finds_its_sessions(library: Library) -> None:
    """By each value of each fact, those sessions are found that have it, and no others; in a search and in a list."""
    sessions = {session.key: session for session in library.sessions(Filter(everything=True))}
    values = {(name, one) for session in sessions.values() for name in ABOUT for one in session.facts.get(name, ())}
    for name, value in sorted(values):
        holding = {key for key, session in sessions.items() if value in session.facts.get(name, ())}
        listed = {one.summary.key for one in library.list(Filter(everything=True, facts=((name, value),)))}
        assert listed >= holding
        assert all(any(value in one for one in sessions[key].facts[name]) for key in listed)
        searched = {hit.key for hit in library.search(f'{name}:"{value}"', limit=10_000, exact=True).hits}
        assert searched == {key for key in listed if _has_words(sessions[key])}


def _has_words(session: Session) -> bool:
    return any(message.parts for message in session.messages) or bool(session.title)


def test_deeds_find_their_messages(library: Library) -> None:
    sessions = list(library.sessions(Filter(everything=True)))
    calls = [
        (session.key, message.id, part.exit_code)
        for session in sessions
        for message in session.messages
        for part in message.parts
        if isinstance(part, ToolCall) and part.exit_code is not None
    ]
    for code in {code for _, _, code in calls}:
        hits = library.search(f"exit:{code}", limit=10_000).hits
        assert {(hit.key, hit.message_id) for hit in hits} == {(key, id) for key, id, one in calls if one == code}
    for fate in Fate:
        keys = {session.key for session in sessions for message in session.messages if message.fate is fate}
        assert {hit.key for hit in library.search(f"fate:{fate}", limit=10_000).hits} <= keys


@pytest.mark.parametrize("agent", RECORDED)
def test_each_agent_tells_what_the_documentation_says(agent: str, tmp_path: Path) -> None:
    told: set[str] = set()
    for folder in sorted((CORPUS / agent).iterdir()):
        if (home := folder / "home").is_dir():
            places = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
            with Library(places, home, hunt=False) as library:
                told |= {
                    name
                    for source, bundle in library._files.bundles()
                    for one in source.read(bundle).sessions
                    for name in one.facts
                }
    assert told >= RECORDED[agent]
