"""Messages in the order in which they happened, each response apart."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pollux.model import Author, Fate, Message, Origin, Role
from pollux.sources.opencode.format.schema import MessageInfo, Part
from pollux.sources.opencode.format.tokens import Place, Release, is_empty, usage_of
from pollux.sources.opencode.messages.ids import time_in, usable
from pollux.sources.opencode.messages.owner import Fetch, Owner
from pollux.sources.opencode.messages.parts import BOOKKEEPING, content
from pollux.sources.opencode.messages.told import Told, is_shell, told_in_order
from pollux.sources.opencode.witnesses.records import Gathered, PartRecord
from pollux.system.clock import since_epoch
from pollux.wire import Notes, tidy

_USER, _ASSISTANT, _SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
_LIVE, _REWOUND, _FAILED = Fate.LIVE, Fate.REWOUND, Fate.FAILED
_START, _FINISH = "step-start", "step-finish"
_TYPED = frozenset(("text", "file", "subtask", "agent"))
"""Parts that come from a prompt, unless they are marked as the client's."""


class Entry(Struct, frozen=True, gc=False):
    """A message with what decides its fate and its figures.

    `undated`: it is not known when it was made, so nobody knows whether it is a copy. `uncounted`: it is no response,
    and has figures all the same, which no agent writes. `unread`: only its parts say that it is no response, because
    its record cannot be read. `tail` is the first message that a compaction keeps. `finished` is what a whole summary
    answers: only as the answer to a compaction it replaces anything.
    """

    message: Message
    record: str
    is_response: bool = False
    is_compaction: bool = False
    is_summary: bool = False
    finished: str | None = None
    tail: str | None = None
    says: bool = False
    error: str | None = None
    undated: bool = False
    uncounted: bool = False
    unread: bool = False


class Setting(NamedTuple):
    """What all messages of a session share."""

    session: str
    is_child: bool
    release: Release | None
    created: float | None
    fetch: Fetch


def entries(gathered: Gathered, setting: Setting, notes: Notes) -> list[Entry]:
    """The messages of a session. An answer of many responses is divided into them."""
    told = told_in_order(gathered, setting.created)
    shells = {one.id for one in told if one.parts and one.parts[0].part.synthetic and is_shell(one)}
    last_answers = {one.record.info.parentID: place for place, one in enumerate(told)}
    result: list[Entry] = []
    for place, one in enumerate(told):
        info = one.record.info
        if info.role == "assistant":
            last = last_answers[info.parentID] == place
            # Up to 0.5 an answer does not name what it answers.
            asked = info.parentID or (told[place - 1].id if place else None)
            by_hand = asked in shells and is_empty(info.tokens)
            result += _responses(one, setting, notes, by_hand=by_hand, ends_turn=last)
        else:
            result.append(_users(one, setting, notes))
    return _with_lost_copies(result) if any(one.said is not None for one in told) else result


def _with_lost_copies(found: list[Entry]) -> list[Entry]:
    """The messages, with those as copies of which only parts are left, and which stand before a copy."""
    last = next((place for place in range(len(found) - 1, -1, -1) if found[place].message.inherited), 0)
    for place in range(last):
        message = found[place].message
        if message.at is None and message.fate is _REWOUND and not message.inherited:
            found[place] = replace(found[place], message=replace(message, inherited=True))
    return found


# ------------------------------------------------------------------ the user's place


def _users(one: Told, setting: Setting, notes: Notes) -> Entry:
    record, info = one.record, one.record.info
    role, origin = info.role, record.origin
    said, rest = content(one.parts, Owner(one.id, setting.session, setting.fetch, notes))
    is_users = role in ("user", None)
    if not is_users:
        notes.file, notes.line = origin.file, origin.line
        notes.add("role.unknown", f"A message has an unknown role {role!r}.", subject=f"role {role!r}")
    # The client, if it made all parts of a message itself.
    author = _CLIENT
    removed, counts = bool(one.parts), not is_empty(info.tokens)
    for its in one.parts:
        part = its.part
        if is_users and part.type in _TYPED and not part.synthetic:
            author = _MODEL if setting.is_child else _HUMAN
        removed = removed and its.removed
        counts = counts or (part.tokens is not None and not is_empty(part.tokens))
    message = Message(
        id=one.id,
        role=_USER if is_users else _SYSTEM,
        author=author,
        at=since_epoch(one.created, 1000),
        parts=tuple(said),
        fate=_REWOUND if removed or record.removed else _LIVE,
        inherited=_is_inherited(one, setting.created),
        origin=origin,
        extra=_extra(one, rest, setting.session),
    )
    unread = one.guessed and _is_undated(one)
    compacts = "compaction" in one.kinds
    tail = _tail(one) if compacts else None
    return Entry(message, one.id, is_compaction=compacts, tail=tail, uncounted=counts, unread=unread)


def _tail(one: Told) -> str | None:
    """The first message that a compaction keeps as it was, if it keeps any."""
    tails = (its.part.tail_start_id for its in one.parts if type(its.part) is Part and its.part.type == "compaction")
    return next((tail for tail in tails if tail), None)


def _is_inherited(one: Told, began: float | None) -> bool:
    """Was it made before the session? Then the session is a fork, and this is a copy.

    A copy gets its id when the session begins. Where the clock was set back, a message is older than its session, too,
    but its id is as old as the message. An id holds only a part of a time, so it is compared with both. Of a message
    of which only parts are left, these tell when it was made.
    """
    created = one.created if one.created is not None else one.said
    if created is None or began is None or created >= began or usable(created) is None:
        return False
    own, copied = time_in(one.id, created), time_in(one.id, began)
    return own is None or copied is None or abs(own - created) > abs(copied - began)


def _is_undated(one: Told) -> bool:
    """Is its time unknown? A message of which files or the log of changes have parts alone was put back, and is known.

    A database removes the parts of a message with it.
    """
    if usable(one.created) is not None:
        return False
    return not one.record.removed or any(part.origin.row is not None and not part.removed for part in one.parts)


def _extra(one: Told, rest: list[dict[str, Any]], session: str) -> dict[str, Any]:
    """What the records say beyond the message itself."""
    info = one.record.info
    role = info.role
    info.id = info.role = info.parts = None
    if info.sessionID == session:
        info.sessionID = None
    extra: dict[str, Any] = to_builtins(info) if one.record.exact else tidy(info)
    if role not in ("user", "assistant", None):
        extra["role"] = role
    if rest:
        extra["parts"] = rest
    return extra


# ------------------------------------------------------------------ responses


def _responses(one: Told, setting: Setting, notes: Notes, *, by_hand: bool, ends_turn: bool) -> Iterator[Entry]:
    """The responses in an answer. Before 0.6 one answer holds all responses of a turn."""
    record, info, origin = one.record, one.record.info, one.record.origin
    segments = _segments(one)
    finishes = [_finish(segment) for segment in segments]
    model, is_summary = info.modelID, info.summary is True
    if not by_hand:
        info.modelID = None
    for number, (segment, finish) in enumerate(zip(segments, finishes, strict=True)):
        is_last = number == len(segments) - 1
        at = since_epoch(one.created, 1000) if number == 0 else _began(segment)
        owner = Owner(
            one.id, setting.session, setting.fetch, notes, is_summary=is_summary, ends_turn=ends_turn and is_last
        )
        parts, rest = content(segment, owner)
        notes.file, notes.line = origin.file, origin.line
        usage = None
        if by_hand:
            pass
        elif finish is not None and finish.part.tokens is not None:
            usage = usage_of(finish.part.tokens, info.providerID, setting.release, notes, _place(finish, origin))
        elif is_last and not any(finishes) and info.tokens is not None and not is_empty(info.tokens):
            usage = usage_of(info.tokens, info.providerID, setting.release, notes)
        # What was removed and what was not are never in one segment.
        is_removed = record.removed or bool(segment and segment[0].removed)
        error = _error(info) if is_last else None
        message = Message(
            id=one.id if number == 0 else f"{one.id}.{number + 1}",
            role=_SYSTEM if by_hand else _ASSISTANT,
            author=_HUMAN if by_hand else _MODEL,
            at=at,
            parts=tuple(parts),
            model=None if by_hand else model,
            usage=usage,
            fate=_REWOUND if is_removed else _FAILED if error and not parts and not usage else _LIVE,
            inherited=_is_inherited(one, setting.created),
            origin=origin if number == 0 else segment[0].origin,
            extra=_extra(one, rest, setting.session) if number == 0 else {"parts": rest} if rest else {},
        )
        yield Entry(
            message,
            one.id,
            is_response=not by_hand,
            is_summary=is_summary and is_last,
            finished=info.parentID if is_summary and info.finish else None,
            says=not BOOKKEEPING.issuperset([part.part.type for part in segment]),
            error=error,
            undated=_is_undated(one),
        )


def _segments(one: Told) -> list[list[PartRecord]]:
    """The parts of each response: one begins with `step-start`, or where another has ended. Nearly all are one."""
    parts, kinds = one.parts, one.kinds
    if _START not in kinds[1:] and _FINISH not in kinds[:-1] and len({part.removed for part in parts}) < 2:
        return [parts]
    segments: list[list[PartRecord]] = [[]]
    begun = ended = says = False
    for record, kind in zip(parts, kinds, strict=True):
        segment = segments[-1]
        says_now = kind not in BOOKKEEPING
        starts = kind == _START and (begun or ended or says)
        goes_on = ended and says_now
        if segment and (starts or goes_on or record.removed != segment[-1].removed):
            segment, begun, ended, says = [], False, False, False
            segments.append(segment)
        segment.append(record)
        begun = begun or kind == _START
        ended = ended or kind == _FINISH
        says = says or says_now
    return segments


def _finish(segment: list[PartRecord]) -> PartRecord | None:
    """The part with the figures with which a response ends."""
    for record in reversed(segment):
        if record.part.type == _FINISH and record.part.tokens is not None:
            return record
    return None


def _place(figures: PartRecord, origin: Origin) -> Place:
    """Where figures stand, which are a record of their own."""
    own = figures.origin
    if own == origin:
        return Place(exact=figures.exact)
    if own.row is not None:
        return Place(row=_field(own.row), exact=figures.exact)
    return Place(file=own.file if own.file != origin.file else None, exact=figures.exact)


def _field(row: str) -> str:
    """The field of the figures: an entry in the log of changes holds the whole part."""
    return f"{row}/data.part.tokens" if row.startswith("event/") else f"{row}/data.tokens"


def _began(segment: list[PartRecord]) -> datetime | None:
    for record in segment:
        state = record.part.state
        for times in (record.part.time, state.time if state is not None else None):
            if times is not None and (at := since_epoch(times.start, 1000)) is not None:
                return at
    return None


def _error(info: MessageInfo) -> str | None:
    if isinstance(info.error, dict):
        name = info.error.get("name")
        return name if isinstance(name, str) else "error"
    return None
