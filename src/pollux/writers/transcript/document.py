"""What a transcript on paper, Markdown or text, shows of a session.

Kept: what the human and the model said, tool calls, files, errors, the summary a conversation was folded into.
Left out unless asked for: thinking, token figures, info and warning lines, typed commands. Left out always: what the
client put in between (context, tool results as messages of their own). The report accounts for all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.model import (
    Attachment,
    Author,
    Fate,
    FileReference,
    Message,
    Part,
    Role,
    Session,
    SummaryPart,
    ToolCall,
    ToolResult,
)
from pollux.text.escape import one_line
from pollux.writers.base import LOST_FATES, Options, Report
from pollux.writers.calls import Bounds, Section, as_section, excerpt, reason, whole, whole_input
from pollux.writers.facts import figures
from pollux.writers.loss import (
    BYTES,
    CALLS,
    CLIENT_MESSAGES,
    CLIENT_TEXTS,
    COMMANDS,
    FIGURES,
    FILE_TEXTS,
    INPUTS,
    NOTHING,
    ODDITIES,
    OUTPUTS,
    REMARKS,
    THINKING,
    LossCounter,
)
from pollux.writers.transcript.blocks import (
    AttachmentBlock,
    Block,
    Branch,
    CallBlock,
    ContextBlock,
    FiguresBlock,
    Heading,
    ReferenceBlock,
    ResultBlock,
    Speaker,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
    is_blank,
)
from pollux.writers.transcript.walk import walk

LONGEST_ADDRESS = 300
_SPOKEN = (Speaker.YOU, Speaker.ASSISTANT, Speaker.TASK)


class DocumentTranscript:
    """The blocks of a session that the options ask for, and the account of all others."""

    def __init__(self, session: Session, options: Options, bounds: Bounds) -> None:
        self._session = session
        self._options = options
        self._is_full = options.tools == "full"
        self._bounds = bounds
        self._tally = LossCounter()
        models = {message.model for message in session.messages if message.model}
        own = {message.model for message in session.messages if not message.inherited}
        self._names_models = len(models) > 1 or not models <= own

    def blocks(self) -> Iterator[Block]:
        """The transcript, block by block. A heading stands only where somebody else speaks, or about something new."""
        before: tuple[object, ...] | None = None
        for block in walk(self._session.messages, self._choose):
            match block:
                case Branch():
                    continue
                case Heading(speaker=speaker):
                    if speaker not in _SPOKEN:
                        continue
                    voice = (speaker, self.model(block), block.marks)
                    goes_on = speaker is Speaker.ASSISTANT and voice == before
                    before = voice
                    if goes_on:
                        continue
            yield block

    def report(self) -> Report:
        """The account, complete when all blocks were written."""
        self._tally.session(self._session)
        return self._tally.report()

    # ------------------------------------------------------------------ what blocks show

    def model(self, heading: Heading) -> str | None:
        """The model that speaks, where there are several."""
        return heading.message.model if self._names_models else None

    def reason(self, call: ToolCall) -> str | None:
        """Why a call failed, where that stands on its line."""
        return None if self._is_full else reason(call)

    def sections(self, block: CallBlock | ResultBlock | ReferenceBlock | UnknownBlock) -> tuple[Section, ...]:
        """The texts that stand below a block's line."""
        match block:
            case CallBlock(call=call):
                inputs = whole_input(call.input) if self._is_full else ()
                return inputs if self.reason(call) is not None else (*inputs, *self._output(call.output))
            case ResultBlock(result=result):
                return self._output(result.output)
            case ReferenceBlock(file=file):
                text = _text(file)
                return (whole("Text", text),) if text is not None and self._is_full else ()
            case UnknownBlock(raw=raw):
                return (as_section("Raw", raw),) if self._is_full else ()

    def _output(self, output: str | None) -> tuple[Section, ...]:
        if output is None or not output.strip():
            return ()
        if self._is_full:
            return (whole("Result", output),)
        section, complete = excerpt(output, self._bounds)
        if not complete:
            self._tally.drop(OUTPUTS)
        return (section,)

    # ------------------------------------------------------------------ which blocks are shown

    def _choose(self, message: Message, blocks: Iterator[Block]) -> Iterable[Block]:
        if (why := self._left_out(message)) is not None:
            self._tally.drop(why)
            return ()
        self._tally.message(message)
        for part in message.parts:
            self._tally.part(part)
        chosen = [block for block in blocks if self._is_wanted(block)]
        if chosen:
            self._tally.kept += 1
        else:
            self._tally.drop(NOTHING)
        return chosen

    def _left_out(self, message: Message) -> str | None:
        """Why a message is not in the transcript; None for those that are."""
        if self._options.live_only and message.fate is not Fate.LIVE:
            return LOST_FATES
        if message.role is Role.SYSTEM:
            if self._options.notices or message.extra.get("level") == "error":
                return None
            return COMMANDS if message.author is Author.HUMAN else REMARKS
        if message.author is Author.CLIENT and not any(map(_matters, message.parts)):
            return CLIENT_MESSAGES
        return None

    def _is_wanted(self, block: Block) -> bool:
        """Is a block shown? What it loses by being shown in brief is counted too."""
        match block:
            case TextBlock(author=Author.CLIENT) | ContextBlock():
                return self._drop(CLIENT_TEXTS, not is_blank(block))
            case ThinkingBlock() if not self._options.thinking:
                return self._drop(THINKING)
            case CallBlock() | ResultBlock() if self._options.tools == "none":
                return self._drop(CALLS, not is_blank(block))
            case FiguresBlock(usage=usage):
                known = figures(usage) is not None
                return known if self._options.tokens else self._drop(FIGURES, known)
        if not is_blank(block):
            self._count_losses(block)
            return True
        return False

    def _count_losses(self, block: Block) -> None:
        """What is missing of a block that is shown."""
        attachments: tuple[Attachment, ...] = ()
        match block:
            case CallBlock(call=call):
                self._drop(INPUTS, not block.is_whole and not self._is_full)
                attachments = call.attachments
            case ResultBlock(result=result):
                attachments = result.attachments
            case ReferenceBlock(file=file):
                self._drop(FILE_TEXTS, _text(file) is not None and not self._is_full)
                attachments = file.attachments
            case AttachmentBlock(attachment=attachment):
                attachments = (attachment,)
            case UnknownBlock():
                self._drop(ODDITIES, not self._is_full)
        for attachment in attachments:
            self._drop(BYTES, attachment.data is not None or len(attachment.uri or "") > LONGEST_ADDRESS)

    def _drop(self, what: str, count: int = 1) -> bool:
        self._tally.drop(what, count)
        return False


def bracketed(marks: tuple[str, ...]) -> list[str]:
    """The marks of a block, each in brackets."""
    return [f"({mark})" for mark in marks]


def address(attachment: Attachment) -> str | None:
    """Where an attachment lies, on one line."""
    return one_line(attachment.uri, LONGEST_ADDRESS) if attachment.uri else None


def file_facts(file: FileReference) -> str | None:
    """How long a file is that a prompt names; None where there is nothing to read in it."""
    text = _text(file)
    return f"{len(text):,} characters" if text is not None else None


def tool_name(call: ToolCall | ToolResult) -> str:
    """What a tool is called."""
    return one_line(call.name or "", 100) or "unnamed tool"


def _text(file: FileReference) -> str | None:
    return file.text if file.text is not None and file.text.strip() else None


def _matters(part: Part) -> bool:
    """Of the client's own messages only a summary and a result that stands nowhere else are worth reading."""
    return type(part) is SummaryPart or (type(part) is ToolResult and part.output is not None)
