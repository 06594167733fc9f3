"""The transcript in plain text, for a pager or a mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.model import Attachment, Session, summarize
from pollux.text.escape import one_line, visible
from pollux.writers.base import NO_CONTEXT, TRANSCRIPT, Options, Out, Report, WriterContext
from pollux.writers.calls import Bounds, Section, outcome
from pollux.writers.facts import Fact, attachment_facts, facts, figures, front_matter, moment, title, usage_facts
from pollux.writers.transcript import (
    AttachmentBlock,
    Block,
    CallBlock,
    FiguresBlock,
    Heading,
    NoteBlock,
    ReferenceBlock,
    ResultBlock,
    Speaker,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
)
from pollux.writers.transcript.document import DocumentTranscript, address, bracketed, file_facts, tool_name

BOUNDS = Bounds(head=5, tail=3, width=200)
RULES = {Speaker.ASSISTANT: "──"}


class PlainText:
    """A line for each speaker and each tool call, results indented below."""

    name = "text"
    suffix = ".txt"
    purpose = "a transcript in plain text, for a pager or a mail"
    supported_options = TRANSCRIPT
    between = f"\n{'═' * 72}\n\n"

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write the whole session, message by message."""
        summary = summarize(session)
        if options.front_matter:
            out(front_matter(summary, context))
        out(f"{title(summary, context)}\n\n")
        out("".join(f"{_fact(fact)}\n" for fact in facts(session, summary)))
        if options.tokens:
            out("".join(f"{line}\n" for line in usage_facts(summary, context)))
        transcript = DocumentTranscript(session, options, BOUNDS)
        for block in transcript.blocks():
            for paragraph in _paragraphs(block, transcript):
                out("\n")
                for line in paragraph:
                    out(f"{line}\n")
        return transcript.report()


def _fact(fact: Fact) -> str:
    return " ".join(word for word in (fact.words, fact.name) if word)


def _paragraphs(block: Block, transcript: DocumentTranscript) -> Iterator[Iterable[str]]:
    match block:
        case Heading():
            yield [_heading(block, transcript)]
        case TextBlock(text=text):
            yield [visible(text).strip("\n").rstrip()]
        case ThinkingBlock(subject=subject, text=text):
            yield [f"  Thinking: {one_line(subject)}" if subject else "  Thinking:", _indented(text, "    ")]
        case CallBlock(call=call):
            yield [_call(block, transcript), *_sections(block, transcript)]
            yield from map(_attachment, call.attachments)
        case ResultBlock():
            yield from _answer(block, transcript)
        case ReferenceBlock(file=file):
            yield [_mention("File", one_line(file.path), file_facts(file)), *_sections(block, transcript)]
            yield from map(_attachment, file.attachments)
        case AttachmentBlock(attachment=attachment):
            yield _attachment(attachment)
        case UnknownBlock():
            yield [_mention("A part of an unknown kind"), *_sections(block, transcript)]
        case SummaryBlock(text=text):
            head = " ".join(["  The conversation so far, summed up", *bracketed(block.marks)])
            yield [f"{head}:", _indented(text, "    ")]
        case NoteBlock():
            yield _remark(block)
        case FiguresBlock(usage=usage):
            yield [f"  Tokens: {figures(usage)}"]


def _heading(heading: Heading, transcript: DocumentTranscript) -> str:
    model = transcript.model(heading)
    words = [heading.speaker, moment(heading.message.at), model and one_line(model)]
    line = ", ".join(word for word in words if word)
    return " ".join([RULES.get(heading.speaker, "━━"), line, *bracketed(heading.marks)])


def _call(block: CallBlock, transcript: DocumentTranscript) -> str:
    call = block.call
    arguments = ", ".join(a.text if a.name is None else f"{a.name}: {a.text}" for a in block.arguments)
    line = f"  {tool_name(call)} {arguments}".rstrip() + f" — {outcome(call)}"
    if (reason := transcript.reason(call)) is not None:
        line += f": {one_line(reason)}"
    if call.child:
        line += f" — session {one_line(call.child)}"
    return line


def _answer(block: ResultBlock, transcript: DocumentTranscript) -> Iterator[list[str]]:
    if block.result.output is not None:
        yield [f"  {tool_name(block.result)} — a result without its call", *_sections(block, transcript)]
    yield from map(_attachment, block.result.attachments)


def _attachment(attachment: Attachment) -> list[str]:
    return [_mention("Attachment", address(attachment), attachment_facts(attachment))]


def _mention(what: str, name: str | None = None, facts: str | None = None) -> str:
    words = [what, name, f"({facts})" if facts is not None else None]
    return "  " + " ".join(word for word in words if word is not None)


def _remark(remark: NoteBlock) -> list[str]:
    head = " ".join([f"  {remark.kind}", *bracketed(remark.marks)])
    text = visible(remark.text).strip()
    if "\n" in text:
        return [f"{head}:", _indented(text, "    ")]
    return [f"{head}: {text}" if text else head]


def _sections(
    block: CallBlock | ResultBlock | ReferenceBlock | UnknownBlock, transcript: DocumentTranscript
) -> Iterator[str]:
    for section in transcript.sections(block):
        yield from _section(section)


def _section(section: Section) -> Iterator[str]:
    yield f"    {section.label}"
    yield _indented(section.text, "    | ")


def _indented(text: str, margin: str) -> str:
    lines = visible(text).strip("\n").rstrip().split("\n")
    return "\n".join(f"{margin}{line}".rstrip() for line in lines)


WRITER = PlainText()
