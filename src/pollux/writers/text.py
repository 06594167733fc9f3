"""The transcript in plain text, for a pager or a mail."""

from __future__ import annotations

from collections.abc import Iterator

from pollux.model import Session, summarize
from pollux.text.escape import one_line, visible
from pollux.writers.base import ALONE, TRANSCRIPT, Options, Out, Report, WriterContext
from pollux.writers.calls import Bounds, Section
from pollux.writers.facts import Fact, facts, front_matter, moment, title, usage_facts
from pollux.writers.loss import Tally
from pollux.writers.transcript import (
    Block,
    Call,
    Digest,
    Figures,
    Mention,
    Remark,
    Thought,
    Turn,
    Words,
    blocks,
)

BOUNDS = Bounds(head=5, tail=3, width=200)
RULES = {"Assistant": "──"}


class PlainText:
    """A line for each speaker and each tool call, results indented below."""

    name = "text"
    suffix = ".txt"
    purpose = "a transcript in plain text, for a pager or a mail"
    heeds = TRANSCRIPT
    between = f"\n{'═' * 72}\n\n"

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = ALONE) -> Report:
        """Write the whole session, message by message."""
        summary = summarize(session)
        if options.front_matter:
            out(front_matter(summary, context))
        out(f"{title(summary)}\n\n")
        out("".join(f"{_fact(fact)}\n" for fact in facts(session, summary)))
        if options.tokens:
            out("".join(f"{line}\n" for line in usage_facts(summary, context)))
        tally = Tally()
        for block in blocks(session, options, BOUNDS, tally):
            out("\n")
            for line in _block(block):
                out(f"{line}\n")
        return tally.report()


def _fact(fact: Fact) -> str:
    return " ".join(word for word in (fact.words, fact.name) if word)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Turn():
            words = [block.speaker, moment(block.at), block.model and one_line(block.model)]
            told = ", ".join(word for word in words if word)
            yield " ".join([RULES.get(block.speaker, "━━"), told, *_bracketed(block.marks)])
        case Words(text=text):
            yield visible(text).strip("\n").rstrip()
        case Thought(subject=subject, text=text):
            yield f"  Thinking: {subject}" if subject else "  Thinking:"
            yield _indented(text, "    ")
        case Call():
            yield from _call(block)
        case Mention():
            yield from _mention(block)
        case Digest(text=text):
            yield " ".join(["  The conversation so far, summed up", *_bracketed(block.marks)]) + ":"
            yield _indented(text, "    ")
        case Remark():
            yield from _remark(block)
        case Figures(text=text):
            yield f"  Tokens: {text}"


def _bracketed(marks: tuple[str, ...]) -> list[str]:
    return [f"({mark})" for mark in marks]


def _call(call: Call) -> Iterator[str]:
    told = ", ".join(a.text if a.name is None else f"{a.name}: {a.text}" for a in call.arguments)
    line = f"  {call.name} {told}".rstrip() + f" — {call.outcome}"
    if call.reason is not None:
        line += f": {one_line(call.reason)}"
    if call.child is not None:
        line += f" — session {call.child}"
    yield line
    for section in call.sections:
        yield from _section(section)


def _mention(mention: Mention) -> Iterator[str]:
    facts = f" ({mention.facts})" if mention.facts is not None else ""
    yield f"  {mention.what}{f' {mention.name}' if mention.name is not None else ''}{facts}"
    if mention.section is not None:
        yield from _section(mention.section)


def _remark(remark: Remark) -> Iterator[str]:
    head = " ".join([f"  {remark.kind}", *_bracketed(remark.marks)])
    if "\n" not in remark.text:
        yield f"{head}: {remark.text}" if remark.text else head
    else:
        yield f"{head}:"
        yield _indented(remark.text, "    ")


def _section(section: Section) -> Iterator[str]:
    yield f"    {section.label}"
    yield _indented(section.text, "    | ")


def _indented(text: str, margin: str) -> str:
    lines = visible(text).strip("\n").rstrip().split("\n")
    return "\n".join(f"{margin}{line}".rstrip() for line in lines)


WRITER = PlainText()
