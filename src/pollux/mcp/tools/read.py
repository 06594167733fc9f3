"""`read_session`: an overview of a session, or the turns around a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from pollux.errors import RequestError, UnknownName
from pollux.index.catalogue.prefixes import short_id
from pollux.library.for_agents.service import ReadSession
from pollux.library.for_agents.state import change_between
from pollux.library.for_agents.texts import LARGEST, MOST_TURNS, READ, USUAL
from pollux.library.reader import find_message
from pollux.mcp.answer import answer, fitting, invocation, room
from pollux.mcp.arguments import Arguments
from pollux.mcp.desk import Desk, is_being_written, key_of, project, when
from pollux.mcp.tools.page import Page, Position, account, page
from pollux.mcp.tools.turns import Turn, is_short, turn_at, turns
from pollux.model import Author, Fate, Message
from pollux.text.fence import harmless, harmless_line
from pollux.text.figures import KINDS, plural

_PLAIN = re.compile(r"[a-z]{1,20}:[\w.-]{1,24}", re.ASCII)
_LEAST = 2_000
_TITLE = 140
_PROMPT, _REPLY = 220, 260
_CHARACTERS, _FEWEST = 4, 100
"""About how many characters a token has, and how many tokens a brief needs."""
_ACCOUNT = 360
"""How long the lines about what was left out get."""


def call(desk: Desk, arguments: Arguments) -> str:
    """A session, or a part of it. Raises `RequestError`."""
    name = arguments.text("key")
    if name is None:
        raise RequestError("`key` is empty.")
    plain, state = key_of(name)
    key, _, message = plain.partition("#")
    try:
        found = desk.view.read(key)
    except UnknownName as error:
        if state is None:
            raise
        raise RequestError("This session is gone. Perhaps its agent deleted it.") from error
    size = arguments.number("characters", USUAL, least=_LEAST)
    reading = Reading(desk, found, arguments, min(size, LARGEST), cited=state)
    cursor, at = arguments.text("cursor"), arguments.text("at") or message or None
    if cursor is not None and cursor.isascii() and cursor.isdigit():
        return reading.overview(int(cursor))
    if cursor is not None:
        return reading.part(Position.parse(cursor))
    if at is not None:
        return reading.around(at)
    return reading.part(reading.whole) if is_short(found.session, size) else reading.brief()


class Reading:
    """Gives one session to an agent, within a budget. `cited` is the state in which it was cited."""

    def __init__(self, desk: Desk, found: ReadSession, arguments: Arguments, size: int, *, cited: str | None) -> None:
        self._desk = desk
        self._found = found
        self._arguments = arguments
        self._extra = arguments.texts("with")
        self._size = size
        self._cited = cited
        self._messages = found.session.messages
        self._ids = [message.id for message in self._messages]
        self._given_key = key_of(arguments.text("key") or "").name.partition("#")[0]

    @property
    def whole(self) -> Position:
        """The beginning of the session, and its end."""
        return Position(0, 0, 0, len(self._messages))

    def around(self, at: str) -> str:
        """The turn of a message, with some turns before and after it. Raises `UnknownName`."""
        all_turns = turns(self._messages)
        place = find_message(self._messages, at.removeprefix("#"))
        number = turn_at(all_turns, place)
        first = max(0, number - self._arguments.number("before", 0))
        last = min(len(all_turns) - 1, number + self._arguments.number("after", 0))
        start = Position(all_turns[first].start, 0, 0, all_turns[last].end)
        return self.part(start, place)

    def part(self, start: Position, wanted: int | None = None) -> str:
        """The messages from a position on, as far as they fit.

        If they do not fit up to the one that is wanted, the answer begins with that one.
        """
        head, title = self._head(), self._title()
        space = room(self._size, head, title, "x" * _ACCOUNT, *[invocation(READ, self._next("0" * 24))] * 2)
        found, before = self._page(start, space), ""
        if wanted is not None and found.following is not None and found.following.message <= wanted > start.message:
            before = f"Before that: {invocation(READ, self._next(str(start._replace(end=wanted))))}"
            start = start._replace(message=wanted)
            found = self._page(start, space)
        end = min(start.end, len(self._messages))
        extent = f"Messages {start.message + 1:,} to {end:,} of {len(self._messages):,}."
        about = f"{extent} {account(found, self._extra)}"
        return answer(head, "\n".join([title, *found.lines]), about, before, self._rest(found, end))

    def _page(self, start: Position, space: int) -> Page:
        wanted = self._clean(self._messages[start.message : start.end])
        return page((*self._messages[: start.message], *wanted), start, self._extra, space, self._heading)

    def _rest(self, found: Page, end: int) -> str:
        """How to go on: with what did not fit, or with the next turn."""
        if found.following is not None:
            left = f"{plural(found.to_come, 'piece')}, {found.rest:,} characters"
            return f"To come: {left}: {invocation(READ, self._next(str(found.following)))}"
        if end < len(self._messages):
            following = next((turn for turn in turns(self._messages) if turn.start >= end), None)
            if following is not None:
                position = Position(following.start, 0, 0, following.end)
                return f"The next turn: {invocation(READ, self._next(str(position)))}"
        return ""

    def brief(self) -> str:
        """What was asked, decided, tried and changed, as `pollux brief` tells it; then how to get all turns."""
        head, title = f"{self._head()} This is its brief.", self._title()
        turns_ = f"All turns, one by one: {invocation(READ, self._next('0'))}"
        usage = 'To read around a citation: read_session {"key": "…"}.'
        space = room(self._size, head, title, turns_, usage)
        tokens = space // _CHARACTERS
        while tokens > _FEWEST:
            try:
                body = self._desk.brief(self._found.session, tokens)
            except RequestError:  # not even its head has room
                break
            if len(body) <= space:
                return answer(head, f"{title}\n{body}", usage, turns_)
            tokens = tokens * min(space, len(body) - 1) // len(body)
        return self.overview(0)

    def overview(self, skip: int) -> str:
        """Every turn in short: its prompt, how much was done, and the last reply."""
        all_turns = turns(self._messages)
        if skip and skip >= len(all_turns):
            return "There are no more turns."
        head, title = self._head(), self._title()
        usage = f"To read a turn: {invocation(READ, {'key': self._key, 'at': '…'})} with the id behind the #."
        space = room(self._size, head, title, usage, "x" * 60, invocation(READ, self._next("0" * 7)))
        blocks = [self._turn(turn) for turn in all_turns[skip : skip + 4 * MOST_TURNS]]
        shown = fitting(blocks, space)
        end = skip + len(shown)
        left = len(all_turns) - end
        extent = f"Turns {skip + 1:,} to {end:,} of {len(all_turns):,}, in short."
        go_on = f"{plural(left, 'more turn')}: {invocation(READ, self._next(str(end)))}" if left else ""
        return answer(f"{head} {extent}", "\n".join([title, *shown]), usage, go_on)

    def _turn(self, turn: Turn) -> str:
        prompt, reply = self._clean([message for message in (turn.prompt, turn.reply) if message is not None]), None
        lines: list[str] = []
        for message in prompt:
            is_reply = turn.reply is not None and message.id == turn.reply.id
            words = harmless_line(message.text, _REPLY if is_reply else _PROMPT)
            if is_reply:
                reply = f"{self._heading(message)}: {words}"
            else:
                lines.append(f"{self._heading(message)}: {words}")
        failed = f", {turn.failed:,} failed" if turn.failed else ""
        if turn.calls:
            lines.append(f"  {plural(turn.calls, 'tool call')}{failed}")
        return "\n".join([*lines, *([reply] if reply else [])])

    # ------------------------------------------------------------------ what stands around it

    @property
    def _key(self) -> str:
        """The key for the next call. An id of other signs might be old words: then it is the key as it was given."""
        key = self._found.short_key if _PLAIN.fullmatch(self._found.short_key) else self._given_key
        return f"{key}@{self._found.state}"

    def _next(self, cursor: str) -> dict[str, Any]:
        """The arguments that go on."""
        kept = {name: value for name, value in self._arguments.given.items() if name in ("with", "characters")}
        return {"key": self._key, **kept, "cursor": cursor}

    def _head(self) -> str:
        """What is read, and what became of it since it was cited; all of it our own words."""
        session = self._found.session
        facts = [
            f"A session of {session.agent}",
            *([KINDS[session.kind]] if session.kind in KINDS else []),
            f"{when(session.started)} to {when(session.ended, session.started)}" if session.started else when(None),
            plural(len(self._messages), "message"),
            *(["being written now"] if is_being_written(session.ended) else []),
        ]
        changed = change_between(self._cited, self._found.state) if self._cited is not None else None
        gone = "Its agent has deleted it; this is the copy that pollux kept." if session.kept else None
        return " ".join(filter(None, [", ".join(facts) + ".", changed, gone, *self._desk.remarks()]))

    def _title(self) -> str:
        """What the session is about; the first line among the old words."""
        session = self._found.session
        marks = self._desk.library.marks.of(session.key)
        title = (marks.session.name if marks is not None else None) or session.title or ""
        branch = next(iter(session.facts.get("branch", ())), "")
        facts = [
            f"{self._found.short_key}@{self._found.state}",
            project(session.project),
            *([f"branch {branch}"] if branch else []),
            title,
        ]
        return " · ".join(self._desk.line(fact, _TITLE) for fact in facts if fact)

    def _heading(self, message: Message) -> str:
        """The citation of a message, who wrote it, when, and what became of it."""
        facts = [
            harmless(f"{self._found.short_key}#{short_id(message.id, self._ids)}"),
            _author(message),
            when(message.at, self._found.session.started),
            *([str(message.fate)] if message.fate is not Fate.LIVE else []),
            *(["inherited"] if message.inherited else []),
        ]
        return " · ".join(facts)

    def _clean(self, messages: Sequence[Message]) -> Sequence[Message]:
        if not self._desk.redact:
            return messages
        clean = self._desk.view.redacted(self._found.session, messages).messages
        # An id may look like a secret. It still names its message.
        return [replace(one, id=message.id) for one, message in zip(clean, messages, strict=True)]


def _author(message: Message) -> str:
    if message.author is Author.MODEL and message.model:
        return f"model {harmless_line(message.model, 60)}"
    return str(message.author)
