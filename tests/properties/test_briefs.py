"""Briefs of every session of the corpus: within their tokens, the same every time, cited, and fully accounted for."""

from __future__ import annotations

import pytest

from pollux.library.brief.accounting import KINDS
from pollux.library.brief.one_session import About, Material
from pollux.library.brief.values import Brief, SessionBrief
from pollux.library.reader import cited
from pollux.model import Message, Session, ToolCall
from pollux.text.fence import harmless
from pollux.writers.native.tokens import of_text
from tests.conformance.answers import answers
from tests.conformance.truth import AGENTS, homes

HOMES = [(agent, home) for agent in AGENTS for home in homes(agent)]
TOKENS = (400, 2_000, 100_000)


def briefs(agent: str, home: str, tokens: int) -> list[tuple[Session, Brief]]:
    """The briefs of all sessions of a home for which there is room."""
    here = answers(agent, home)
    return [(session, here.library.brief.of(session, tokens=tokens)) for session in here.sessions.values()]


@pytest.mark.parametrize("tokens", TOKENS)
@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_brief(agent: str, home: str, tokens: int) -> None:
    library = answers(agent, home).library
    for session, brief in briefs(agent, home, tokens):
        assert brief.tokens == of_text(brief.text) <= tokens
        assert library.brief.of(session, tokens=tokens) == brief
        (told,) = brief.sessions
        _check_lines(brief, told, tokens)
        _check_citations(session, told)
        _check_account(session, told)


def _check_lines(brief: Brief, told: SessionBrief, tokens: int) -> None:
    """What is not shortened is all there; nothing inside can be taken for an end of the fence."""
    assert harmless(brief.body) == brief.body
    assert not any(line.shortened for line in told.lines) or tokens < max(TOKENS)
    assert all(line.citations for line in told.lines if line.section != "linked")
    shown = sum(share.shown for share in told.account.sections.values())
    assert shown == len(told.lines)
    assert told.account.shortened == sum(line.shortened for line in told.lines)
    if tokens == max(TOKENS):
        assert all(share.left_out == 0 for share in told.account.sections.values())


def _check_citations(session: Session, told: SessionBrief) -> None:
    """`pollux show` finds the very messages."""
    assert told.summary.key == session.key
    for line in told.lines:
        found = [_message(session, citation) for citation in line.citations]
        assert {message.id for message in found} == {*line.message_ids}


def _message(session: Session, citation: str) -> Message:
    assert citation.startswith(f"{session.agent}:")
    message = cited(citation, lambda name: _named(session, name)).message
    assert message is not None
    return message


def _named(session: Session, name: str) -> Session:
    assert session.key.startswith(name)
    return session


def _check_account(session: Session, told: SessionBrief) -> None:
    """Shown and left out are all that the session has."""
    pieces = told.account.pieces
    assert set(pieces) <= set(KINDS)
    assert all(0 <= share.shown <= share.total == share.shown + share.left_out for share in pieces.values())
    calls = sum(isinstance(part, ToolCall) for message in session.messages for part in message.parts)
    prompts = len(session.prompts)
    assert (pieces["tool calls"].total if calls else 0) == calls
    assert (pieces["prompts"].total if prompts else 0) == prompts
    if all(share.left_out == 0 for share in told.account.sections.values()):
        asked = [line for line in told.lines if line.what in ("asked", "taken back")]
        assert (pieces["prompts"].shown if prompts else 0) == len(asked)


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_names_of_briefs_name_their_sessions(agent: str, home: str) -> None:
    here = answers(agent, home)
    for key, session in here.sessions.items():
        name = here.library.brief.of(session).sessions[0].name
        assert here.library.session(name).key == key


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_a_session_without_messages_has_a_brief(agent: str, home: str) -> None:
    for session in answers(agent, home).sessions.values():
        empty = Session(agent=session.agent, id=session.id, kind=session.kind)
        brief = Material(empty, About(name=session.key)).brief(500)
        assert brief.lines == ()
        assert brief.account.pieces == {}
