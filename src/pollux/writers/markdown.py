"""The transcript a person wants to keep or paste, in Markdown.

The human's prompts are headings of the second level, the replies to each stand below it, tool results are folded.
"""

from __future__ import annotations

import html

from pollux.model import Session, Status, summarize
from pollux.text.escape import one_line, visible
from pollux.writers.base import ALONE, TRANSCRIPT, Options, Out, Report, WriterContext
from pollux.writers.calls import Bounds, Section
from pollux.writers.facts import Fact, facts, front_matter, moment, title, usage_facts
from pollux.writers.loss import Tally
from pollux.writers.safe_markdown import code, fence, plain, tame
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

BOUNDS = Bounds(head=20, tail=8, width=500)
LEVELS = {"Assistant": "###"}


class Markdown:
    """Headings for speakers, one line for a tool call, its result folded below."""

    name = "markdown"
    suffix = ".md"
    purpose = "a transcript to keep, to share or to paste"
    heeds = TRANSCRIPT
    between = "\n---\n\n"

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = ALONE) -> Report:
        """Write the whole session, message by message."""
        summary = summarize(session)
        if options.front_matter:
            out(front_matter(summary, context))
        out(f"# {plain(title(summary))}\n\n")
        out(" · ".join(_fact(fact) for fact in facts(session, summary)) + "\n")
        if options.tokens:
            out("".join(f"\n{plain(line)}\n" for line in usage_facts(summary, context)))
        tally = Tally()
        said = False
        for block in blocks(session, options, BOUNDS, tally):
            text = _block(block)
            if said and text[:1].isspace():
                # Without this, what begins indented would become part of a list that the text before ends with.
                out("\n<!-- -->\n")
            said = isinstance(block, Words)
            out(f"\n{text}\n")
        return tally.report()


def _fact(fact: Fact) -> str:
    words = [plain(fact.words)] if fact.words else []
    return " ".join([*words, code(fact.name)] if fact.name is not None else words)


def _block(block: Block) -> str:
    match block:
        case Turn():
            return _turn(block)
        case Words(text=text):
            return tame(text)
        case Thought(subject=subject, text=text):
            return _folded(f"Thinking: {subject}" if subject else "Thinking", tame(text))
        case Call():
            return _call(block)
        case Mention():
            return _mention(block)
        case Digest(text=text):
            words = " ".join(["The conversation so far, summed up", *_bracketed(block.marks)])
            marked_up = text.lstrip().startswith("<")
            return _folded(words, fence(visible(text).strip(), "xml") if marked_up else tame(text))
        case Remark():
            return _remark(block)
        case Figures(text=text):
            return f"*Tokens: {plain(text)}*"


def _turn(turn: Turn) -> str:
    words = [turn.speaker, moment(turn.at), turn.model and one_line(turn.model)]
    told = " · ".join(plain(word) for word in words if word)
    return " ".join([LEVELS.get(turn.speaker, "##"), told, *_bracketed(turn.marks)])


def _bracketed(marks: tuple[str, ...]) -> list[str]:
    return [f"({mark})" for mark in marks]


def _call(call: Call) -> str:
    told = [code(a.text) if a.name is None else f"{plain(a.name)}: {code(a.text)}" for a in call.arguments]
    outcome = call.outcome if call.status is Status.OK else f"**{call.outcome}**"
    line = f"**{plain(call.name)}** {', '.join(told)}".rstrip() + f" — {outcome}"
    if call.reason is not None:
        line += f": {plain(one_line(call.reason))}"
    if call.child is not None:
        line += f" — session {code(call.child)}"
    return "\n\n".join([line, *(_section(section) for section in call.sections)])


def _mention(mention: Mention) -> str:
    line = f"*{mention.what}*"
    if mention.name is not None:
        line += f" {code(mention.name)}"
    if mention.facts is not None:
        line += f" ({plain(mention.facts)})"
    return line if mention.section is None else f"{line}\n\n{_section(mention.section)}"


def _remark(remark: Remark) -> str:
    kind = f"**{remark.kind}**" if remark.kind == "Error" else f"*{remark.kind}*"
    head = " ".join([f"> {kind}", *_bracketed(remark.marks)])
    if not remark.text:
        return head
    if "\n" in remark.text:
        return f"{head}\n\n{fence(remark.text, 'text')}"
    return f"{head}: {code(one_line(remark.text)) if remark.kind == 'Command' else plain(one_line(remark.text))}"


def _section(section: Section) -> str:
    return _folded(section.label, fence(section.text, section.language))


def _folded(words: str, body: str) -> str:
    return f"<details><summary>{html.escape(words, quote=False)}</summary>\n\n{body}\n\n</details>"


WRITER = Markdown()
