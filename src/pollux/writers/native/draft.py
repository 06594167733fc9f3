"""Makes the conversation that an agent goes on with from a session of any agent, and the account of it."""

from __future__ import annotations

from datetime import datetime

from pollux.errors import RequestError, UnknownName
from pollux.model import Fate, Message, Session, first_words
from pollux.system.gc_pause import gc_paused
from pollux.writers.base import LOST_FATES
from pollux.writers.loss import CLIENT_MESSAGES, COMMANDS, NOTHING, REMARKS
from pollux.writers.native.account import Account
from pollux.writers.native.conversation import Conversation, NativeFormat
from pollux.writers.native.fit import fit
from pollux.writers.native.kinds import Left, left_out
from pollux.writers.native.ledger import Ledger
from pollux.writers.native.note import Handover, write_note
from pollux.writers.native.options import DraftOptions
from pollux.writers.native.parts import MessageDraft, Shared
from pollux.writers.native.times import in_order, in_utc

LATER = "messages after the last one that was asked for"
WHY = {
    Left.COMMAND: (COMMANDS, "a command to the client, which no model was sent"),
    Left.REMARK: (REMARKS, "a line of the client's own, which no model was sent"),
    Left.INSTRUCTIONS: (CLIENT_MESSAGES, "the client's own instructions, in whose place the target has others"),
    Left.EMPTY: (NOTHING, "empty"),
}


class NothingLive(RequestError):
    """Nothing of a session can go over; `account` says why, message by message."""

    def __init__(self, session: Session, options: DraftOptions, account: Account) -> None:
        where = f" up to {options.upto}" if options.upto is not None else ""
        dead = options.fate != "all" and any(message.fate is not Fate.LIVE for message in session.messages)
        super().__init__(
            f"Nothing in {session.key}{where} is live: there is no conversation to go on with.",
            "Try: --fate all, which takes along what is no longer live." if dead else f"Try: pollux show {session.key}",
        )
        self.account = account


def draft(  # noqa: PLR0913
    session: Session,
    options: DraftOptions,
    target: NativeFormat,
    *,
    id: str,
    folder: str,
    at: datetime,
    agent_title: str,
) -> tuple[Conversation, Account]:
    """The conversation, and what became of every message and part.

    Raises `NothingLive` where nothing can go over. `agent_title` is the name of the agent that the session is from.
    """
    at = in_utc(at) or at
    with gc_paused():  # nothing made here is a cycle, and there may be much of it
        return _draft(session, options, target, (id, folder, at), agent_title)


def _draft(
    session: Session, options: DraftOptions, target: NativeFormat, where: tuple[str, str, datetime], agent_title: str
) -> tuple[Conversation, Account]:
    id, folder, at = where
    ledger = Ledger(session.messages)
    drafts = _drafts(session, Shared(options, target, ledger, at), _end(session, options.upto))
    if not drafts:
        raise NothingLive(session, options, ledger.account())
    note = write_note(Handover(origin=session.key, at=at), agent_title)
    if options.fit is not None:
        fit(drafts, options.fit, session.key, note, ledger)
    times = in_order([draft.message.at for draft in drafts], at, ledger)
    turns = [turn for draft, time in zip(drafts, times, strict=True) for turn in draft.turns(time)]
    for sentence in target.added(turns):
        ledger.add(sentence)
    conversation = Conversation(id=id, title=_title(session), folder=folder, at=at, note=note, turns=tuple(turns))
    return conversation, ledger.account()


def _drafts(session: Session, shared: Shared, end: int) -> list[MessageDraft]:
    """The messages of which something goes over."""
    before: Message | None = None
    drafts: list[MessageDraft] = []
    for number, message in enumerate(session.messages):
        if (reason := _reason(message, number >= end, shared.options)) is not None:
            shared.ledger.leave_out(number, *reason)
            continue
        drafts.append(MessageDraft(number, message, before, shared))
        before = message
    return [draft for draft in drafts if draft.pieces]


def _end(session: Session, upto: str | None) -> int:
    """The number of the first message that was not asked for."""
    if upto is None:
        return len(session.messages)
    same = [number for number, message in enumerate(session.messages) if message.id == upto]
    found = same or [number for number, message in enumerate(session.messages) if message.id.startswith(upto)]
    if not found or not upto:
        raise UnknownName("message", upto, hint=f"Try: pollux show {session.key} --json, which names every message.")
    if len({session.messages[number].id for number in found}) > 1:
        raise RequestError(f"{len(found)} messages of {session.key} begin with {upto!r}.", "Type more of the id.")
    return found[-1] + 1


def _reason(message: Message, is_later: bool, options: DraftOptions) -> tuple[str, str] | None:  # noqa: FBT001
    """Why a message does not go over at all: what it is, and the reason."""
    if is_later:
        return LATER, f"only what stands up to {options.upto} was asked for"
    if message.fate is not Fate.LIVE and options.fate != "all":
        return LOST_FATES, f"{message.fate}: the agent itself would not go on with it"
    left = left_out(message)
    return None if left is None else WHY[left]


def _title(session: Session) -> str | None:
    if session.title and (title := " ".join(session.title.split())):
        return title
    return next((first_words(text) for prompt in session.prompts if (text := prompt.text.strip())), None)
