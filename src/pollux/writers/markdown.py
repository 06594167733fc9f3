"""The transcript a person wants to keep or paste, in Markdown.

The human's prompts are headings of the second level, the replies to each stand below it, tool results are folded.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from pollux.model import Attachment, Session, Status, summarize
from pollux.text.escape import one_line, visible
from pollux.writers.base import NO_CONTEXT, TRANSCRIPT, Options, Out, Report, WriterContext
from pollux.writers.calls import Bounds, Section, outcome
from pollux.writers.facts import Fact, attachment_facts, facts, figures, front_matter, moment, title, usage_facts
from pollux.writers.safe_markdown import code, fence, plain, safe_markdown
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
from pollux.writers.transcript.blocks import COMMAND, ERROR
from pollux.writers.transcript.document import DocumentTranscript, address, bracketed, file_facts, tool_name

BOUNDS = Bounds(head=20, tail=8, width=500)
LEVELS = {Speaker.ASSISTANT: "###"}


class Markdown:
    """Headings for speakers, one line for a tool call, its result folded below."""

    name = "markdown"
    suffix = ".md"
    purpose = "a transcript to keep, to share or to paste"
    supported_options = TRANSCRIPT
    between = "\n---\n\n"

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write the whole session, message by message."""
        summary = summarize(session)
        if options.front_matter:
            out(front_matter(summary, context))
        out(f"# {plain(title(summary, context))}\n\n")
        out(" · ".join(_fact(fact) for fact in facts(session, summary)) + "\n")
        if options.tokens:
            out("".join(f"\n{plain(line)}\n" for line in usage_facts(summary, context)))
        transcript = DocumentTranscript(session, options, BOUNDS)
        after_words = False
        for block in transcript.blocks():
            text = "\n\n".join(_paragraphs(block, transcript))
            if after_words and text[:1].isspace():
                # Without this, what begins indented would become part of a list that the text before ends with.
                out("\n<!-- -->\n")
            after_words = isinstance(block, TextBlock)
            out(f"\n{text}\n")
        return transcript.report()


def _fact(fact: Fact) -> str:
    words = [plain(fact.words)] if fact.words else []
    return " ".join([*words, code(fact.name)] if fact.name is not None else words)


def _paragraphs(block: Block, transcript: DocumentTranscript) -> Iterator[str]:
    match block:
        case Heading():
            yield _heading(block, transcript)
        case TextBlock(text=text):
            yield safe_markdown(text)
        case ThinkingBlock(subject=subject, text=text):
            yield _folded(f"Thinking: {one_line(subject)}" if subject else "Thinking", safe_markdown(text))
        case CallBlock():
            yield _call(block, transcript)
            yield from map(_section, transcript.sections(block))
            yield from map(_attachment, block.call.attachments)
        case ResultBlock():
            yield from _answer(block, transcript)
        case ReferenceBlock(file=file):
            yield _mention("File", one_line(file.path), file_facts(file))
            yield from map(_section, transcript.sections(block))
            yield from map(_attachment, file.attachments)
        case AttachmentBlock(attachment=attachment):
            yield _attachment(attachment)
        case UnknownBlock():
            yield _mention("A part of an unknown kind")
            yield from map(_section, transcript.sections(block))
        case SummaryBlock(text=text):
            words = " ".join(["The conversation so far, summed up", *bracketed(block.marks)])
            marked_up = text.lstrip().startswith("<")
            yield _folded(words, fence(visible(text).strip(), "xml") if marked_up else safe_markdown(text))
        case NoteBlock():
            yield _remark(block)
        case FiguresBlock(usage=usage):
            yield f"*Tokens: {plain(figures(usage) or '')}*"


def _heading(heading: Heading, transcript: DocumentTranscript) -> str:
    model = transcript.model(heading)
    words = [heading.speaker, moment(heading.message.at), model and one_line(model)]
    line = " · ".join(plain(word) for word in words if word)
    return " ".join([LEVELS.get(heading.speaker, "##"), line, *bracketed(heading.marks)])


def _call(block: CallBlock, transcript: DocumentTranscript) -> str:
    call = block.call
    arguments = [code(a.text) if a.name is None else f"{plain(a.name)}: {code(a.text)}" for a in block.arguments]
    ending = outcome(call) if call.status is Status.OK else f"**{outcome(call)}**"
    line = f"**{plain(tool_name(call))}** {', '.join(arguments)}".rstrip() + f" — {ending}"
    if (reason := transcript.reason(call)) is not None:
        line += f": {plain(one_line(reason))}"
    if call.child:
        line += f" — session {code(one_line(call.child))}"
    return line


def _answer(block: ResultBlock, transcript: DocumentTranscript) -> Iterator[str]:
    if block.result.output is not None:
        yield f"**{plain(tool_name(block.result))}** — a result without its call"
    yield from map(_section, transcript.sections(block))
    yield from map(_attachment, block.result.attachments)


def _attachment(attachment: Attachment) -> str:
    return _mention("Attachment", address(attachment), attachment_facts(attachment))


def _mention(what: str, name: str | None = None, facts: str | None = None) -> str:
    line = f"*{what}*"
    if name is not None:
        line += f" {code(name)}"
    return line if facts is None else f"{line} ({plain(facts)})"


def _remark(remark: NoteBlock) -> str:
    kind = f"**{remark.kind}**" if remark.kind == ERROR else f"*{remark.kind}*"
    head = " ".join([f"> {kind}", *bracketed(remark.marks)])
    text = visible(remark.text).strip()
    if not text:
        return head
    if "\n" in text:
        return f"{head}\n\n{fence(text, 'text')}"
    return f"{head}: {code(one_line(text)) if remark.kind == COMMAND else plain(one_line(text))}"


def _section(section: Section) -> str:
    return _folded(section.label, fence(section.text, section.language))


def _folded(words: str, body: str) -> str:
    return f"<details><summary>{html.escape(words, quote=False)}</summary>\n\n{body}\n\n</details>"


WRITER = Markdown()
