"""Messages in the order in which they happened, each response apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from pollux.model import Author, Fate, Message, Origin, Role
from pollux.sources.opencode.format.schema import MessageInfo, State, Times
from pollux.sources.opencode.format.tokens import Place, Release, is_empty, usage_of
from pollux.sources.opencode.messages.calls import Fetch
from pollux.sources.opencode.messages.ids import time_in, usable
from pollux.sources.opencode.messages.parts import content, say_something, says_something
from pollux.sources.opencode.witnesses.records import Gathered, MessageRecord, PartRecord
from pollux.system.clock import since_epoch
from pollux.wire import Notes, tidy_without

_id: Callable[[tuple[str, PartRecord]], str] = itemgetter(0)
_SHELL = "The following tool was executed by the user"


class Entry(NamedTuple):
    """A message with what decides its fate and its figures."""

    message: Message
    record: str
    is_response: bool = False
    is_compaction: bool = False
    is_summary: bool = False
    says: bool = False
    error: str | None = None
    undated: bool = False
    """Is it not known when it was made? Then nobody knows whether it is a copy."""
    uncounted: bool = False
    """Has a message that is no response figures, which no agent writes?"""
    unread: bool = False
    """Is it taken for no response only by its parts, because its record cannot be read?"""


class Setting(NamedTuple):
    """What all messages of a session share."""

    session: str
    is_child: bool
    release: Release | None
    created: float | None
    fetch: Fetch


class _Told(msgspec.Struct, frozen=True, gc=False):
    """A message and its parts, in order. `guessed`: its record does not say who spoke."""

    id: str
    record: MessageRecord
    parts: list[PartRecord]
    guessed: bool = False


def entries(gathered: Gathered, setting: Setting, notes: Notes) -> list[Entry]:
    """The messages of a session. An answer of many responses is divided into them."""
    told = sorted(_told(gathered), key=lambda one: _order(one, setting.created))
    shells = {one.id for one in told if _is_shell(one)}
    last_answers = {one.record.info.parentID: place for place, one in enumerate(told)}
    result: list[Entry] = []
    for place, one in enumerate(told):
        is_assistant = one.record.info.role == "assistant"
        last = last_answers[one.record.info.parentID] == place
        if is_assistant:
            # Up to 0.5 an answer does not name what it answers.
            asked = one.record.info.parentID or (told[place - 1].id if place else None)
            by_hand = asked in shells and is_empty(one.record.info.tokens)
            result += _responses(one, setting, notes, by_hand=by_hand, ends_turn=last)
        else:
            result.append(_users(one, setting, notes))
    return result


def _told(gathered: Gathered) -> Iterator[_Told]:
    """Every message, also those of which only parts are left."""
    for id, record in gathered.messages.items():
        members = _sorted(gathered.parts.get(id, {}))
        guessed = record.info.role is None
        if guessed:
            record.info.role = _role_by(members)
        yield _Told(id, record, members, guessed)
    for id, parts in gathered.parts.items():
        if id not in gathered.messages:
            members = _sorted(parts)
            info = MessageInfo(id=id, role=_role_by(members))
            yield _Told(id, MessageRecord(info, members[0].origin, removed=True), members)


def _role_by(parts: list[PartRecord]) -> str:
    """Who spoke, as far as one can guess by the parts."""
    kinds = {member.part.type for member in parts}
    return "assistant" if kinds & {"step-start", "step-finish", "reasoning", "tool"} else "user"


def _sorted(parts: dict[str, PartRecord]) -> list[PartRecord]:
    return [part for _, part in sorted(parts.items(), key=_id)]


def _order(one: _Told, near: float | None) -> tuple[float, str]:
    created = _created(one.record.info)
    if created is None:
        created = time_in(one.id, near)
    return created if created is not None else float("inf"), one.id


def _created(info: MessageInfo) -> float | None:
    return info.time.created if info.time is not None else None


def _is_shell(one: _Told) -> bool:
    if one.record.info.role != "user":
        return False
    texts = [part.part.text for part in one.parts if part.part.type == "text"]
    return texts == [_SHELL] and bool(one.parts[0].part.synthetic)


# ------------------------------------------------------------------ the user's place


def _users(one: _Told, setting: Setting, notes: Notes) -> Entry:
    info = one.record.info
    parts, rest = content(one.parts, setting.fetch, notes, summary=False, ends_turn=False)
    kinds = [part.part.type for part in one.parts]
    own = [p for p in one.parts if p.part.type in ("text", "file", "subtask", "agent") and not p.part.synthetic]
    author = Author.CLIENT if not own else Author.MODEL if setting.is_child else Author.HUMAN
    if not one.parts and not setting.is_child:
        author = Author.CLIENT
    if info.role not in ("user", None):
        notes.file, notes.line = one.record.origin.file, one.record.origin.line
        notes.add("role.unknown", f"A message has an unknown role {info.role!r}.", subject=f"role {info.role!r}")
    message = Message(
        id=one.id,
        role=Role.USER if info.role in ("user", None) else Role.SYSTEM,
        author=author if info.role in ("user", None) else Author.CLIENT,
        at=since_epoch(_created(info), 1000),
        parts=tuple(parts),
        fate=_removed(one),
        inherited=_is_inherited(one, setting),
        origin=one.record.origin,
        extra=_extra(one, rest, setting.session),
    )
    figures = [info.tokens, *(part.part.tokens for part in one.parts)]
    uncounted = not all(map(is_empty, figures))
    unread = one.guessed and _is_undated(one)
    return Entry(message, one.id, is_compaction="compaction" in kinds, uncounted=uncounted, unread=unread)


def _removed(one: _Told) -> Fate:
    words = bool(one.parts) and all(part.removed for part in one.parts)
    return Fate.REWOUND if one.record.removed or words else Fate.LIVE


def _is_inherited(one: _Told, setting: Setting) -> bool:
    """Was it made before the session? Then the session is a fork, and this is a copy.

    A copy gets its id when the session begins. Where the clock was set back, a message is older than its session, too,
    but its id is as old as the message. An id holds only a part of a time, so it is compared with both.
    """
    created, began = usable(_created(one.record.info)), setting.created
    if created is None or began is None or created >= began:
        return False
    own, copied = time_in(one.id, created), time_in(one.id, began)
    return own is None or copied is None or abs(own - created) > abs(copied - began)


def _is_undated(one: _Told) -> bool:
    """Is its time unknown? A message of which files or the log of changes have parts alone was put back, and is known.

    A database removes the parts of a message with it.
    """
    if usable(_created(one.record.info)) is not None:
        return False
    return not one.record.removed or any(part.origin.row is not None and not part.removed for part in one.parts)


def _extra(one: _Told, rest: list[dict[str, Any]], session: str, *used: str) -> dict[str, Any]:
    """What the records say beyond the message itself, and the fields that it `used`."""
    info = one.record.info
    extra = tidy_without(info, "id", "role", "parts", *used, exact=one.record.exact)
    if info.role not in ("user", "assistant", None):
        extra["role"] = info.role
    if extra.get("sessionID") == session:
        del extra["sessionID"]
    if kept := _kept(rest, one.id, session):
        extra["parts"] = kept
    return extra


def _kept(rest: list[dict[str, Any]], message: str, session: str) -> list[dict[str, Any]]:
    """What the records of parts say, without the ids that the message has."""
    for part in rest:
        if "messageID" in part and part["messageID"] == message:
            del part["messageID"]
        if "sessionID" in part and part["sessionID"] == session:
            del part["sessionID"]
    return [part for part in rest if part]


# ------------------------------------------------------------------ responses


def _responses(one: _Told, setting: Setting, notes: Notes, *, by_hand: bool, ends_turn: bool) -> Iterator[Entry]:
    """The responses in an answer. Before 0.6 one answer holds all responses of a turn."""
    info = one.record.info
    segments = list(_segments(one.parts)) or [[]]
    finishes = [_finish(segment) for segment in segments]
    has_figures = any(finish is not None for finish in finishes)
    for number, (segment, finish) in enumerate(zip(segments, finishes, strict=True)):
        is_last = number == len(segments) - 1
        is_summary = info.summary is True
        parts, rest = content(segment, setting.fetch, notes, summary=is_summary, ends_turn=ends_turn and is_last)
        notes.file, notes.line = one.record.origin.file, one.record.origin.line
        usage = None
        if finish is not None and finish.part.tokens is not None and not by_hand:
            place = _place(finish, one.record.origin)
            usage = usage_of(finish.part.tokens, info.providerID, setting.release, notes, place)
        elif info.tokens is not None and not has_figures and is_last and not by_hand and not is_empty(info.tokens):
            usage = usage_of(info.tokens, info.providerID, setting.release, notes)
        # What was removed and what was not are never in one segment.
        removed = one.record.removed or bool(segment and segment[0].removed)
        error = _error(info) if is_last else None
        message = Message(
            id=one.id if number == 0 else f"{one.id}.{number + 1}",
            role=Role.SYSTEM if by_hand else Role.ASSISTANT,
            author=Author.HUMAN if by_hand else Author.MODEL,
            at=since_epoch(_created(info), 1000) if number == 0 else _began(segment),
            parts=tuple(parts),
            model=info.modelID if not by_hand else None,
            usage=usage,
            fate=Fate.REWOUND if removed else Fate.FAILED if error and not parts and not usage else Fate.LIVE,
            inherited=_is_inherited(one, setting),
            origin=one.record.origin if number == 0 else segment[0].origin,
            extra=_extra(one, rest, setting.session, *(() if by_hand else ("modelID",)))
            if number == 0
            else _rest_of(one, rest, setting.session),
        )
        yield Entry(
            message,
            one.id,
            is_response=not by_hand,
            is_summary=is_summary and is_last,
            says=say_something(segment),
            error=error,
            undated=_is_undated(one),
        )


def _rest_of(one: _Told, rest: list[dict[str, Any]], session: str) -> dict[str, Any]:
    kept = _kept(rest, one.id, session)
    return {"parts": kept} if kept else {}


def _segments(parts: list[PartRecord]) -> Iterator[list[PartRecord]]:
    """The parts of each response: one begins with `step-start`, or where another has ended."""
    segment: list[PartRecord] = []
    begun = ended = False
    for record in parts:
        kind = record.part.type
        starts = kind == "step-start" and (begun or ended or any(map(says_something, segment)))
        goes_on = ended and says_something(record)
        if segment and (starts or goes_on or record.removed != segment[-1].removed):
            yield segment
            segment, begun, ended = [], False, False
        segment.append(record)
        begun = begun or kind == "step-start"
        ended = ended or kind == "step-finish"
    if segment:
        yield segment


def _finish(segment: list[PartRecord]) -> PartRecord | None:
    """The part with the figures with which a response ends."""
    for record in reversed(segment):
        if record.part.type == "step-finish" and record.part.tokens is not None:
            return record
    return None


def _place(figures: PartRecord, origin: Origin) -> Place:
    """Where figures stand, which are a record of their own."""
    own = figures.origin
    if own == origin:
        return Place(exact=figures.exact)
    if own.row is not None:
        return Place(row=_field(own), exact=figures.exact)
    return Place(file=own.file if own.file != origin.file else None, exact=figures.exact)


def _field(origin: Origin) -> str | None:
    """The field of the figures: an entry in the log of changes holds the whole part."""
    if origin.row is None:
        return None
    return f"{origin.row}/data.part.tokens" if origin.row.startswith("event/") else f"{origin.row}/data.tokens"


def _began(segment: list[PartRecord]) -> datetime | None:
    for record in segment:
        state = record.part.state or State()
        for times in (record.part.time, state.time):
            if (at := since_epoch((times or Times()).start, 1000)) is not None:
                return at
    return None


def _error(info: MessageInfo) -> str | None:
    if isinstance(info.error, dict):
        name = info.error.get("name")
        return name if isinstance(name, str) else "error"
    return None
