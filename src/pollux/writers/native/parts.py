"""What the parts of a message become: words, pictures and answered calls, in turns of one side each."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import (
    Attachment,
    Author,
    Context,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
)
from pollux.writers.loss import BYTES, CALLS, CLIENT_TEXTS, FILE_TEXTS, ODDITIES, OUTPUTS, TEXTS, THINKING
from pollux.writers.native.account import Carried
from pollux.writers.native.calls import FAILED, CallNames, told
from pollux.writers.native.conversation import AnsweredCall, Media, NativeFormat, Piece, Turn, Words
from pollux.writers.native.kinds import is_carried, is_expansion
from pollux.writers.native.ledger import NATIVE, Ledger, Place, Way
from pollux.writers.native.media import line_about, media
from pollux.writers.native.options import DraftOptions
from pollux.writers.native.times import in_utc

SUMMARY = "Summary of the conversation so far: "
SUMMARIES = "summaries"
EMPTY = "empty texts"

_EMPTY = Way(Carried.LEFT_OUT, EMPTY, "empty")
_CLIENT = Way(Carried.LEFT_OUT, CLIENT_TEXTS, "the client wrote it for its own model: context, reminders")
_EXPANSION = Way(Carried.TEXT, CLIENT_TEXTS, "the client wrote it, and the model was asked it")
_THINKING = Way(Carried.LEFT_OUT, THINKING, "other vendors' models refuse it; --thinking takes it along as text")
_THOUGHT = Way(Carried.TEXT, THINKING, "no model takes another's thinking")
_TOLD = Way(Carried.TEXT, CALLS, "told in words, as was asked for")
_SUMMARY = Way(Carried.TEXT, SUMMARIES, "a summary is a text of the user")
_FILE = Way(Carried.TEXT, FILE_TEXTS, "a file that a prompt refers to is a text of the user")
_ORPHAN = Way(Carried.TEXT, OUTPUTS, "no call asked for it")
_ALONE = Way(Carried.LEFT_OUT, OUTPUTS, "its call was left out")
_UNKNOWN = Way(Carried.LEFT_OUT, ODDITIES, "pollux does not know what it is")
_PICTURE = Way(Carried.NATIVE, BYTES, "a line of its result stands for what the target cannot hold there")
_NO_PLACE = Way(Carried.TEXT, BYTES, "the target cannot hold it in this place, or its bytes are not known")


class Shared:
    """What the messages of a session share while they are drafted."""

    def __init__(self, options: DraftOptions, target: NativeFormat, ledger: Ledger, at: datetime) -> None:
        self.options = options
        self.target = target
        self.ledger = ledger
        self.at = at
        self.names = CallNames(ledger)
        self.answered: dict[str, Place] = {}
        """The places of calls, by the ids that the agent gave them: their results go with them."""


class MessageDraft:
    """The pieces of a message, each with its side and its place."""

    __slots__ = ("_expanded", "_mark", "_number", "_shared", "message", "pieces")

    def __init__(self, number: int, message: Message, before: Message | None, shared: Shared) -> None:
        self.message = message
        self.pieces: list[tuple[Role, Piece, Place]] = []
        self._number = number
        self._shared = shared
        self._expanded = message.author is Author.CLIENT and is_expansion(message, before)
        self._mark = "" if message.fate is Fate.LIVE else f"[{message.fate}: no longer part of the conversation]\n"
        for part in message.parts:
            self._take(part)

    def turns(self, at: datetime) -> Iterator[Turn]:
        """The turns: another one begins where the other side speaks, and where something is said after a call.

        They have the pieces from then on, and the draft has none: a large session is in memory only once.
        """
        pieces: list[Piece] = []
        side: Role | None = None
        drafted, self.pieces = self.pieces, []
        for role, piece, _ in drafted:
            after_call = bool(pieces) and isinstance(pieces[-1], AnsweredCall) and not isinstance(piece, AnsweredCall)
            if side is not None and (role is not side or after_call):
                yield Turn(role=side, at=at, pieces=tuple(pieces), model=self._model(side))
                pieces = []
            side = role
            pieces.append(piece)
        if side is not None:
            yield Turn(role=side, at=at, pieces=tuple(pieces), model=self._model(side))

    def _model(self, side: Role) -> str | None:
        return self.message.model if side is Role.ASSISTANT else None

    def _add(self, piece: Piece, way: Way, role: Role | None = None) -> None:
        place = self._shared.ledger.enter(self._number, self._marked(way))
        self.pieces.append((role or self.message.role, piece, place))

    def _also(self, piece: Piece, role: Role | None = None) -> None:
        """Another piece of the part that was added last."""
        self.pieces.append((role or self.message.role, piece, self.pieces[-1][2]))

    def _say(self, text: str, way: Way, role: Role | None = None) -> None:
        self._add(Words(text=self._mark + text), way, role)

    def _leave(self, way: Way) -> None:
        self._shared.ledger.enter(self._number, way)

    def _marked(self, way: Way) -> Way:
        if self._mark and way.carried is Carried.NATIVE:
            return Way(Carried.TEXT, TEXTS, f"{self.message.fate}: it stands there as a marked text")
        return way

    def _take(self, part: Part) -> None:
        match part:
            case Text():
                self._text(part)
            case Thinking():
                self._thinking(part)
            case ToolCall():
                self._call(part)
            case ToolResult():
                self._result(part)
            case Attachment():
                self._attachment(part)
            case FileReference():
                self._file(part)
            case SummaryPart() if part.text.strip():
                self._say(SUMMARY + part.text, _SUMMARY, Role.USER)
            case Context() if is_carried(part) and part.text.strip():
                self._say(part.text, _EXPANSION)
            case Context():
                self._leave(_CLIENT)
            case Unknown():
                self._leave(_UNKNOWN)
            case _:
                self._leave(_EMPTY)

    def _text(self, part: Text) -> None:
        if not part.text.strip():
            self._leave(_EMPTY)
        elif self.message.author is not Author.CLIENT:
            self._say(part.text, NATIVE)
        elif self._expanded:
            self._say(part.text, _EXPANSION)
        else:
            self._leave(_CLIENT)

    def _thinking(self, part: Thinking) -> None:
        words = "\n".join(filter(str.strip, (part.subject or "", part.text)))
        if not words or not self._shared.options.thinking:
            self._leave(_THINKING if words else _EMPTY)
        else:
            self._say(f"[thinking]\n{words}", _THOUGHT)

    def _call(self, call: ToolCall) -> None:
        shared = self._shared
        if self._mark or shared.options.tools == "told":
            self._say(told(call), NATIVE if self._mark else _TOLD, Role.ASSISTANT)
            for one in call.attachments:
                self._also(Words(text=self._mark + line_about(one)), Role.ASSISTANT)
        else:
            answered = self._answered(call)
            way = NATIVE if len(answered.media) == len(call.attachments) else _PICTURE
            self._add(answered, way, Role.ASSISTANT)
        if call.id is not None:
            shared.answered[call.id] = self.pieces[-1][2]

    def _answered(self, call: ToolCall) -> AnsweredCall:
        shared = self._shared
        held = [(one, media(one, Role.ASSISTANT, shared.target)) for one in call.attachments]
        lines = [line_about(one) for one, found in held if found is None]
        time = in_utc(call.at)
        return AnsweredCall(
            id=shared.names.id(call),
            name=shared.names.name(call),
            input=shared.names.input(call),
            output="\n".join([shared.names.output(call), *lines]) if lines else shared.names.output(call),
            failed=call.status in FAILED,
            media=tuple(found for _, found in held if found is not None),
            at=time if time is not None and time <= shared.at else None,
        )

    def _result(self, part: ToolResult) -> None:
        if part.output is None and not part.attachments:
            place = self._shared.answered.get(part.call or "")
            if place is None:
                self._leave(_ALONE)
            else:
                self._shared.ledger.join(self._number, place)
            return
        name = f" of {part.name}" if part.name else ""
        self._with(f"[A result{name}, whose call is not known:]\n{part.output or ''}", _ORPHAN, part.attachments)

    def _file(self, part: FileReference) -> None:
        self._with(f"[The file {part.path}]" + (f"\n{part.text}" if part.text else ""), _FILE, part.attachments)

    def _with(self, text: str, way: Way, attachments: tuple[Attachment, ...]) -> None:
        """Add a text of the user with pictures and documents, or lines about them."""
        held = [self._media(one, Role.USER) for one in attachments]
        self._say(text, _NO_PLACE if None in held else way, Role.USER)
        for one, found in zip(attachments, held, strict=True):
            self._also(found or Words(text=self._mark + line_about(one)), Role.USER)

    def _attachment(self, part: Attachment) -> None:
        found = self._media(part, self.message.role) if self.message.role is Role.USER else None
        if found is None:
            self._say(line_about(part), _NO_PLACE)
        else:
            self._add(found, NATIVE)

    def _media(self, attachment: Attachment, role: Role) -> Media | None:
        return None if self._mark else media(attachment, role, self._shared.target)
