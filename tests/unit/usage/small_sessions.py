"""Small sessions with figures, and the catalogue that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import BundleRows, entry
from pollux.model import Author, Kind, Message, Part, Role, Session, Usage
from pollux.usage.service import UsageService

NOON = datetime(2026, 11, 10, 12, tzinfo=UTC)
PRO, OPUS, CODEX = "gemini-2.5-pro", "claude-opus-4-5", "gpt-5-codex"


def reply(
    usage: Usage | None, *parts: Part, at: datetime | None = NOON, model: str | None = PRO, inherited: bool = False
) -> Message:
    return Message(
        id="m",
        role=Role.ASSISTANT,
        author=Author.MODEL,
        at=at,
        model=model,
        usage=usage,
        parts=parts,
        inherited=inherited,
    )


def token_usage(tokens: int, output: int) -> Usage:
    return Usage(input=tokens, output=output, requests=1, exact=True)


def session(
    *messages: Message,
    id: str = "one",
    agent: str = "gemini",
    project: str | None = "/code/tides",
    parent: str | None = None,
    exact: bool | None = True,
) -> Session:
    return Session(
        agent=agent,
        id=id,
        kind=Kind.SUBAGENT if parent is not None else Kind.MAIN,
        parent=parent,
        project=project,
        started=NOON,
        ended=NOON,
        messages=messages,
        exact=exact,
    )


def questions(sessions: Sequence[Session]) -> CatalogueQueries:
    """A catalogue in memory that holds these."""
    catalogue = Catalogue(None, "test")
    with catalogue.change():
        catalogue.begin()
        root = catalogue.add_root("test", "/root")
        for number, each in enumerate(sessions):
            reading = BundleRows(0, None, (), b"", [entry(each, catalogue.number(), 0)])
            catalogue.add(root, f"{number}", "", reading)
    return CatalogueQueries(catalogue, [("test", "/root")])


def usage_of(folder: Path, *sessions: Session) -> UsageService:
    current = questions(sessions)
    return UsageService(
        lambda question: question(current), settings=folder / "config.toml", prices=folder / "cache" / "prices.json"
    )
