"""Small sessions for the tests of the index."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pollux.index.search.passages import Facts, passages
from pollux.index.search.query import parse
from pollux.index.search.results import IndexHit
from pollux.index.search.word_index import WordIndex
from pollux.library.library import Library
from pollux.model import Author, Message, Part, Role, Session, Status, Text, ToolCall

CORPUS = Path(__file__).parents[3] / "corpus"
START = datetime(2026, 11, 1, 12, tzinfo=UTC)


def prompt(text: str, *more: Part, by: Author = Author.HUMAN, days: float = 0, model: str | None = None) -> Message:
    role = Role.USER if by is Author.HUMAN else Role.ASSISTANT
    at = START + timedelta(days=days)
    return Message(id=text[:8] or "m", role=role, author=by, at=at, model=model, parts=(Text(text=text), *more))


def reply(text: str, *more: Part, days: float = 0, model: str | None = "gemini-2.5-pro") -> Message:
    return prompt(text, *more, by=Author.MODEL, days=days, model=model)


def shell_call(command: str, output: str = "", status: Status = Status.OK) -> ToolCall:
    arguments = {"command": command}
    return _call("run_shell_command", "shell_exec", "execute", arguments, status, output)


def edit_call(path: str, new: str = "", status: Status = Status.OK) -> ToolCall:
    return _call("replace", "file_edit", "edit", {"file_path": path, "new_string": new}, status, "done")


def _call(name: str, canonical: str, kind: str, arguments: object, status: Status, output: str) -> ToolCall:
    return ToolCall(
        id="c", name=name, canonical=canonical, tool_kind=kind, input=arguments, status=status, output=output
    )


def session(*messages: Message, title: str | None = None, project: str | None = None, agent: str = "gemini") -> Session:
    return Session(agent=agent, id="s", title=title, project=project, started=START, messages=messages)


def make_index(folder: Path, *sessions: Session) -> WordIndex:
    """An index of these sessions, numbered from 0."""
    index = WordIndex.open(folder)
    with index.writer(heap=20_000_000) as writer:
        for number, each in enumerate(sessions):
            writer.add(number, Facts.of(each), passages(each))
        writer.commit(generation=1)
    return index


def find_sessions(index: WordIndex, query: str, limit: int = 50) -> list[int]:
    """The sessions a query finds, best first."""
    return list(dict.fromkeys(hit.session for hit in hits(index, query, limit)))


def hits(index: WordIndex, query: str, limit: int = 50) -> list[IndexHit]:
    return index.search(parse(query), limit=limit)


def corpus(*agents: str) -> list[Session]:
    """Every session of the corpus, or of these agents."""
    sessions = []
    for home in sorted(CORPUS.glob("*/*/home")):
        if agents and home.parts[-3] not in agents:
            continue
        places = {"HOME": str(home), "XDG_CACHE_HOME": os.devnull, "XDG_DATA_HOME": os.devnull}
        library = Library(places, home, hunt=False)
        for source, bundle in library._files.bundles():
            sessions += source.read(bundle).sessions
    return sessions
