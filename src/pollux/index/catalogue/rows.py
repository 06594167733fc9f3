"""The rows of a session for the catalogue, made where the session is read, and small enough to be sent on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from pollux.index.catalogue.rollups import Row, micros, moment_of, quarter, roll_up
from pollux.model import (
    Anchor,
    Author,
    Gap,
    Message,
    Notice,
    Role,
    Session,
    Severity,
    Summary,
    Tally,
    ToolCall,
    Usage,
    by_name,
    hash_words,
    summarize,
    values,
)
from pollux.model.project_hash import unsettled_hash
from pollux.system.decoders import msgpack_decoder
from pollux.text.folding import fold


class AuditFacts(msgspec.Struct, array_like=True, frozen=True):
    """What a session's figures can be checked by: their gaps, and the agent's own totals."""

    gaps: tuple[Gap, ...]
    tallies: tuple[Tally, ...]

    def pack(self) -> bytes:
        """As they are stored. Gaps repeat their words and paths, so each of these is stored once."""
        kinds: dict[_GapKind, int] = {}
        places = [(kinds.setdefault((gap.why, gap.certain, gap.file), len(kinds)), gap.line) for gap in self.gaps]
        return _encode(_PackedFacts(list(kinds), places, self.tallies))

    @classmethod
    def unpack(cls, data: bytes) -> AuditFacts:
        """As they were before they were stored."""
        packed = msgpack_decoder(_PackedFacts).decode(data)
        gaps = [(*packed.kinds[kind], line) for kind, line in packed.places]
        return cls(
            tuple(Gap(why=why, certain=certain, file=file, line=line) for why, certain, file, line in gaps),
            packed.tallies,
        )


_GapKind = tuple[str, bool, str | None]
"""What gaps have in common: why, whether they are certain, and their file."""


class _PackedFacts(msgspec.Struct, array_like=True):
    """Such facts as they are stored: of each gap, the number of its kind, and its line."""

    kinds: list[_GapKind]
    places: list[tuple[int, int | None]]
    tallies: tuple[Tally, ...]


class MessageAnchors(msgspec.Struct, array_like=True):
    """When each message was said (microseconds), and the hashes of the words of all: by these, marks find it again."""

    times: list[int | None]
    words: bytes

    def anchors(self, ids: Sequence[str]) -> list[Anchor]:
        """The anchors of the messages, which have these ids."""
        size = len(self.words) // len(ids) if ids else 0
        return [
            Anchor(id=id, at=moment_of(at), words=self.words[place * size : (place + 1) * size].hex())
            for place, (id, at) in enumerate(zip(ids, self.times, strict=True))
        ]


class MessageIndex(msgspec.Struct, array_like=True):
    """Each message's id, and the numbers of its role and author, so that a search can look up one message."""

    ids: list[str]
    roles: bytes
    authors: bytes

    def role(self, message: int) -> Role:
        """A message's role."""
        return _ROLES[self.roles[message]]

    def author(self, message: int) -> Author:
        """A message's author."""
        return _AUTHORS[self.authors[message]]


_ROLES, _AUTHORS = tuple(Role), tuple(Author)
_ROLE_NUMBERS = {role: number for number, role in enumerate(Role)}
_AUTHOR_NUMBERS = {author: number for number, author in enumerate(Author)}
_encode = msgspec.msgpack.Encoder().encode


class Details(msgspec.Struct, array_like=True):
    """The rows of what a session edited, of the prompts that asked for it, and of the friction in it."""

    edits: list[Row]
    turns: list[Row]
    frictions: list[Row]


class Entry(msgspec.Struct, array_like=True):
    """One session for the catalogue, whose words are indexed under `no`: the values of its rows in each table.

    The rows lack the number of the session, and `session` also the numbers of its root and its bundle. Without
    `details`, these are added together with its words.
    """

    no: int
    session: Row
    about: Row
    facts: list[Row]
    links: list[Row]
    usage: list[Row]
    calls: list[Row]
    quarters: list[Row]
    prompts: list[Row]
    details: Details | None

    @property
    def key(self) -> str:
        """The key of the session."""
        return str(self.session[0])

    @property
    def moment(self) -> int:
        """When the session ended, or began (microseconds); 0 where that is not known."""
        return self.session[_MOMENT] or 0


_MOMENT = 9
"""The place of the moment in the row of a session."""


class BundleRows(msgspec.Struct, array_like=True):
    """The rows of one bundle; `number` is its place in the list of bundles to read.

    `wasted` are numbers whose words were indexed before the reading failed. `passing`: something was not read because
    of a trouble that may be over at the next sync, which reads the bundle again.
    """

    number: int
    problem: str | None
    notices: tuple[Notice, ...]
    dependencies: bytes
    entries: list[Entry]
    wasted: list[int] = []
    passing: bool = False


_LARGEST = 1 << 53  # sums of many such figures must fit, too


def storable(figure: int | None) -> int | None:
    """A figure that the database can store; None for a larger one."""
    return figure if figure is None or -_LARGEST <= figure <= _LARGEST else None


def details_of(session: Session) -> Details:
    """What a session edited, and the friction in it."""
    # Imported only where a session is read.
    from pollux.index.catalogue.edits.rows import edit_rows
    from pollux.index.catalogue.friction.rows import friction_rows

    return Details(*edit_rows(session), friction_rows(session))


def entry(session: Session, no: int, cut: int, *, details: bool = True) -> Entry:
    """The rows of a session."""
    summary, places = summarize(session), {name: number for number, name in enumerate(session.files)}
    if (used := summary.usage) != (usable := storable_usage(used)):
        summary = msgspec.structs.replace(summary, usage=usable)
    times, prompts = [micros(message.at) for message in session.messages], session.prompts
    usage = [
        row
        for message, at in zip(session.messages, times, strict=True)
        if message.usage is not None
        for row in _usage_rows(message, at, places)
    ]
    return Entry(
        no=no,
        session=_session(session, summary, cut),
        about=_about(session, summary, prompts, times),
        facts=[(name, value) for name, values in summary.facts.items() for value in dict.fromkeys(values)],
        links=[(link.kind, link.target, link.evidence) for link in session.links],
        usage=usage,
        calls=[
            _call(message, at, part)
            for message, at in zip(session.messages, times, strict=True)
            for part in message.parts
            if type(part) is ToolCall
        ],
        quarters=[(*place, *total.values) for place, total in roll_up(usage, summary).items()],
        prompts=list(Counter(quarter(micros(p.at)) for p in prompts if not p.inherited).items()),
        details=details_of(session) if details else None,
    )


def _audit_facts(session: Session) -> AuditFacts:
    return AuditFacts(session.gaps, tuple(tally for tally in session.tallies if storable(tally.total) is not None))


def _session(session: Session, summary: Summary, cut: int) -> Row:
    """The row of a session."""
    moment = summary.ended or summary.started
    return (
        *(summary.key, summary.id, summary.agent, summary.kind.value, summary.parent),
        *(summary.project, summary.project_evidence, summary.project_hash),
        *(micros(summary.started), micros(moment), len(session.messages), summary.usage.exact),
        _audit_facts(session).pack(),
        any(notice.severity is not Severity.INFO for notice in session.notices),
        cut,
        _encode(summary),
        _encode(session.notices) if session.notices else None,
        unsettled_hash(session.project, session.project_evidence, session.project_hash),
    )


def _about(session: Session, summary: Summary, prompts: Sequence[Message], times: list[int | None]) -> Row:
    """The words by which a list is narrowed, and what is known of each message."""
    names = session.facts.get("name", ())
    texts = [summary.title or "", *names, session.project or "", *(prompt.text for prompt in prompts)]
    return "\n".join(map(fold, texts)), *_packed(session.messages, times)


def packed_messages(messages: Sequence[Message]) -> tuple[bytes, bytes]:
    """The index and the anchors of messages, as they are stored."""
    return _packed(messages, [micros(message.at) for message in messages])


def _packed(messages: Sequence[Message], times: list[int | None]) -> tuple[bytes, bytes]:
    index = MessageIndex(
        [message.id for message in messages],
        bytes([_ROLE_NUMBERS[message.role] for message in messages]),
        bytes([_AUTHOR_NUMBERS[message.author] for message in messages]),
    )
    return _encode(index), _encode(MessageAnchors(times, b"".join(map(hash_words, messages))))


def storable_usage(used: Usage) -> Usage:
    """A sum that the database can store. It is too low if a figure is left out."""
    usable = Usage(**by_name(map(storable, values(used))), exact=used.exact)
    return usable if usable == used else msgspec.structs.replace(usable, exact=False)


def _usage_rows(message: Message, at: int | None, places: dict[str, int]) -> list[Row]:
    """The rows of a message's requests, with the columns of a `UsageRow`."""
    assert message.usage is not None  # noqa: S101 (only such messages have rows)
    origin = message.origin
    file, line = (origin.file, origin.line) if origin is not None else ("", None)
    return [
        (
            *map(storable, values(usage)),
            *(message.id, at, message.model, message.fate, message.inherited, usage.exact),
            *(places.get(usage.file or file), usage.line or line),
        )
        for usage in message.usage.each or (message.usage,)
    ]


def _call(message: Message, said: int | None, call: ToolCall) -> Row:
    """The row of a tool call, in a message that was `said` at a time."""
    at = said if call.at is None else micros(call.at)
    return message.id, call.name, call.canonical, call.tool_kind, call.status, at, message.inherited, call.seconds


def summary_of(blob: bytes) -> Summary:
    """A stored summary."""
    summary: Summary = msgpack_decoder(Summary).decode(blob)
    return summary


def notices_of(blob: bytes | None) -> tuple[Notice, ...]:
    """Stored notices."""
    notices: tuple[Notice, ...] = msgpack_decoder(tuple[Notice, ...]).decode(blob) if blob is not None else ()
    return notices


def anchors_of(index: bytes, anchors: bytes) -> list[Anchor]:
    """The stored anchor of each message."""
    stored: MessageAnchors = msgpack_decoder(MessageAnchors).decode(anchors)
    return stored.anchors(message_index_of(index).ids)


def message_index_of(blob: bytes) -> MessageIndex:
    """The stored id, role and author of each message."""
    marks: MessageIndex = msgpack_decoder(MessageIndex).decode(blob)
    return marks
