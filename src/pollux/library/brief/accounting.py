"""What a brief tells of a session, and what it leaves out: both together are all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pollux.library.brief.values import WORDS, Account, Item, Line, Section, Share, Unit
from pollux.model import Author, Message, Session, SummaryPart, Text, Thinking, ToolCall, is_prompt, is_reply

PROMPTS, TASKS, REPLIES, CALLS, SUMMARIES = "prompts", "tasks", "replies", "tool calls", "summaries"
THOUGHTS, COMMANDS, OTHER = "thoughts", "typed commands", "other texts"
KINDS = (PROMPTS, TASKS, REPLIES, CALLS, SUMMARIES, THOUGHTS, COMMANDS, OTHER)
"""The pieces of a session. Tasks are what another model asked a sub-agent; other texts are those of the client,
referenced files, attachments and stored results."""


Pieces = Mapping[str, set[Unit]]


def account(pieces: Pieces, items: Sequence[Item], lines: Sequence[Line | None]) -> Account:
    """The account of these items, each with its line or None, of a session with these pieces."""
    told = {unit for item, line in zip(items, lines, strict=True) if line is not None for unit in item.covers}
    shares = {kind: Share(shown=len(units & told), total=len(units)) for kind, units in pieces.items()}
    sections = {
        section: Share(
            shown=sum(line is not None and line.section is section for line in lines),
            total=sum(item.section is section for item in items),
        )
        for section in Section
    }
    return Account(
        sections={section: share for section, share in sections.items() if share.total},
        pieces={kind: share for kind, share in shares.items() if share.total},
        shortened=sum(line is not None and line.shortened for line in lines),
    )


def pieces_of(session: Session) -> Pieces:
    """All pieces of a session by their kinds."""
    pieces: dict[str, set[Unit]] = {kind: set() for kind in KINDS}
    for place, message in enumerate(session.messages):
        for number, kind in _of_message(message):
            pieces[kind].add((place, number))
    return pieces


def _of_message(message: Message) -> Iterable[tuple[int, str]]:
    """The pieces of a message: where they stand in it, and what they are."""
    if is_prompt(message):
        yield WORDS, PROMPTS if message.author is Author.HUMAN else TASKS
    elif is_reply(message):
        yield WORDS, REPLIES
    elif message.author is Author.HUMAN:
        yield WORDS, COMMANDS
    for number, part in enumerate(message.parts):
        match part:
            case ToolCall():
                yield number, CALLS
            case SummaryPart():
                yield number, SUMMARIES
            case Thinking():
                yield number, THOUGHTS
            case Text():
                if message.author is Author.CLIENT:
                    yield number, OTHER
            case _:
                yield number, OTHER
