"""A session as a chat: turns for programs that train models on conversations, or show them.

Only what is still live is a turn. What was rewound or compressed away is no part of the conversation that the model
last saw, and a chat has no way to say so. Every tool call is answered in the turn that made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Value,
)
from pollux.writers.base import LOST_FATES, Options
from pollux.writers.loss import (
    BYTES,
    CLIENT_TEXTS,
    COMMANDS,
    DETAILS,
    FACTS,
    FIGURES,
    FILE_TEXTS,
    LINKED,
    NOTHING,
    NOTICES,
    ODDITIES,
    ORIGINS,
    OUTCOMES,
    OUTPUTS,
    REMARKS,
    THINKING,
    LossCounter,
)

_NO_PLACE = "a chat has no place for them"
WHY = {
    LOST_FATES: "a chat is the conversation as the agent would resume it",
    REMARKS: "they are no part of the conversation",
    COMMANDS: "they are no part of the conversation",
    NOTHING: "empty, or shown with the call they answer",
    FIGURES: _NO_PLACE,
    BYTES: _NO_PLACE,
    ODDITIES: _NO_PLACE,
    DETAILS: _NO_PLACE,
    NOTICES: _NO_PLACE,
    LINKED: _NO_PLACE,
    ORIGINS: _NO_PLACE,
    FACTS: _NO_PLACE,
    OUTPUTS: "no call asked for them",
    OUTCOMES: "a chat holds the answer alone",
    FILE_TEXTS: _NO_PLACE,
    CLIENT_TEXTS: _NO_PLACE,
}


class AnsweredCall(Value, frozen=True, kw_only=True):
    """A tool call with its answer."""

    id: str
    name: str
    arguments: dict[str, Any]
    answer: str


class Turn(Value, frozen=True, kw_only=True):
    """What one side said, or the model did, before it was the other's turn."""

    role: Role
    message: Message
    text: str
    thinking: str
    images: tuple[Attachment, ...]
    calls: tuple[AnsweredCall, ...]


class CallIds:
    """Gives every call an id that no other call of the session has."""

    def __init__(self, options: Options, tally: LossCounter) -> None:
        self._short = options.ids == "short"
        self._tally = tally
        self._given: set[str] = set()
        self._new = (f"call_{number}" for number in count(1))

    def __call__(self, call: ToolCall) -> str:
        """The call's own id if it is usable, else a new one."""
        own = call.id if not self._short else None
        if not own or own in self._given:
            why = "short ones were asked for" if self._short else "the agent gave none, or one twice"
            self._tally.fabricate("ids of tool calls", why)
            own = next(new for new in self._new if new not in self._given)
        self._given.add(own)
        return own


def arguments(call: ToolCall, tally: LossCounter) -> dict[str, Any]:
    """The arguments of a call, as the object that chats want."""
    if isinstance(call.input, dict):
        return call.input
    if call.input is None:
        return {}
    tally.fabricate("the argument `value`", "the format wants arguments by name, and a call was given none")
    return {"value": call.input}


def words(part: Part) -> str | None:
    """The words of a part as the model saw them; None where it has none."""
    match part:
        case Text() | SummaryPart():
            return part.text
        case Context():
            return f"[{part.source}]\n{part.text}"
        case FileReference():
            return f"[file {part.path}]" if part.text is None else f"[file {part.path}]\n{part.text}"
        case _:
            return None


class _SoFar:
    """What a message holds since its last turn ended."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.text: list[str] = []
        self.thinking: list[str] = []
        self.images: list[Attachment] = []
        self.calls: list[AnsweredCall] = []

    def think(self, thought: str) -> None:
        """Add a thought. Only the assistant has thoughts; those of others become text."""
        if thought:
            (self.thinking if self.message.role is Role.ASSISTANT else self.text).append(thought)

    def turn(self) -> Iterator[Turn]:
        """The turn, if there is anything in it."""
        text = "\n\n".join(text for text in self.text if text.strip())
        if text or self.thinking or self.images or self.calls:
            yield Turn(
                role=Role.ASSISTANT if self.calls else self.message.role,
                message=self.message,
                text=text,
                thinking="\n\n".join(self.thinking),
                images=tuple(self.images),
                calls=tuple(self.calls),
            )


class Chat:
    """Divides a session into turns, and counts what is in none."""

    def __init__(
        self, session: Session, options: Options, tally: LossCounter, *, thinking: bool, pictures: bool
    ) -> None:
        self._session = session
        self._tally = tally
        self._thinking = thinking
        self._pictures = pictures
        self._id = CallIds(options, tally)

    def turns(self) -> Iterator[Turn]:
        """The turns, in order."""
        for message in self._session.messages:
            reason = _left_out(message)
            if reason is not None:
                self._tally.drop(reason)
                continue
            before = self._tally.kept
            for turn in self._turns(message):
                self._tally.kept = before + 1
                yield turn
            if self._tally.kept == before:
                self._tally.drop(NOTHING)
            self._tally.message(message)
            self._tally.drop(FIGURES, message.usage is not None)
        self._tally.session(self._session)

    def _turns(self, message: Message) -> Iterator[Turn]:
        so_far = _SoFar(message)
        for part in message.parts:
            self._tally.part(part)
            said_after_a_call = bool(so_far.calls) and type(part) in (Text, Thinking)  # and after its answer
            asked_by_another = type(part) is ToolCall and message.role is not Role.ASSISTANT and not so_far.calls
            if said_after_a_call or asked_by_another:
                yield from so_far.turn()
                so_far = _SoFar(message)
            if asked_by_another:
                self._tally.fabricate("a turn of the assistant", "in a chat only the assistant calls tools")
            self._take(part, so_far)
        yield from so_far.turn()

    def _take(self, part: Part, so_far: _SoFar) -> None:
        match part:
            case ToolCall():
                so_far.calls.append(self._answered_call(part))
            case Thinking() if not self._thinking:
                self._tally.drop(THINKING)
            case Thinking():
                so_far.think("\n".join(filter(None, (part.subject, part.text))))
            case Attachment() if self._pictures and can_be_shown(part) and so_far.message.role is Role.USER:
                so_far.images.append(part)
                self._tally.drop(BYTES, part.data is not None and part.uri is not None)
            case Attachment():
                self._tally.drop(BYTES)
            case ToolResult():
                self._tally.drop(OUTPUTS, part.output is not None)
            case Unknown():
                self._tally.drop(ODDITIES)
            case _:
                so_far.text.append(words(part) or "")
        attachments: tuple[Attachment, ...] = getattr(part, "attachments", ())
        self._tally.drop(BYTES, len(attachments))
        self._tally.drop(DETAILS, sum(bool(one.extra) for one in attachments))

    def _answered_call(self, call: ToolCall) -> AnsweredCall:
        self._tally.drop(OUTCOMES)
        if call.output is None:
            self._tally.fabricate("an answer to tool calls that have none", "in a chat every call is answered")
        answer = call.output if call.output is not None else f"[{call.status}]"
        return AnsweredCall(id=self._id(call), name=call.name, arguments=arguments(call, self._tally), answer=answer)


def can_be_shown(part: Attachment) -> bool:
    """Can a picture be put into a chat?"""
    return part.media_type.startswith("image/") and (part.data is not None or part.uri is not None)


def _left_out(message: Message) -> str | None:
    if message.fate is not Fate.LIVE:
        return LOST_FATES
    if message.role is not Role.SYSTEM:
        return None
    if message.author is Author.HUMAN:
        return COMMANDS
    return REMARKS if "level" in message.extra else None
