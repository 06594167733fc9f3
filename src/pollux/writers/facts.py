"""Facts about a session in a few words: when, how much, which files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pollux.model import NO_MARKS, Attachment, Counts, Kind, Session, Summary, Usage, Value, first_words
from pollux.text.escape import one_line
from pollux.writers.base import NO_CONTEXT, WriterContext
from pollux.writers.json import stamp

KINDS = {Kind.SUBAGENT: "sub-agent", Kind.CHECKPOINT: "checkpoint", Kind.PROMPTS: "prompt log"}
LINKS = {"continues": "continues", "forked_from": "forked from", "handed_over_from": "handed over from"}


class Fact(Value, frozen=True, kw_only=True):
    """One fact: words, and a name to be shown as it is."""

    words: str | None = None
    name: str | None = None


def title(summary: Summary, context: WriterContext = NO_CONTEXT) -> str:
    """The name that the user gave the session, or its title, on one line."""
    marks = context.marks(summary.key)
    name = marks.session.name if marks is not None else None
    return first_words(one_line(name or summary.title or "", 1000)) or "Untitled session"


def facts(session: Session, summary: Summary) -> list[Fact]:
    """What stands under the title."""
    facts = [Fact(words=one_line(session.agent))]
    if session.kind in KINDS:
        facts.append(Fact(words=KINDS[session.kind]))
    if session.parent:
        facts.append(Fact(words="started by", name=one_line(session.parent)))
    facts += [Fact(words=LINKS[link.kind], name=one_line(link.target)) for link in session.links if link.kind in LINKS]
    if summary.project:
        guess = "probably" if summary.project_evidence == "guess" else None
        facts.append(Fact(words=guess, name=one_line(summary.project)))
    if (span := period(summary.started, summary.ended)) is not None:
        facts.append(Fact(words=span))
    if models := ", ".join(one_line(model) for model in summary.models):
        facts.append(Fact(words=models))
    facts.append(Fact(words=counted(summary.counts)))
    facts.append(Fact(name=one_line(session.key)))
    return facts


def front_matter(summary: Summary, context: WriterContext) -> str:
    """The facts as YAML front matter, which site generators and note programs read."""
    marks = context.marks(summary.key)
    own = marks.session if marks is not None else NO_MARKS
    lines = {
        "title": title(summary, context),
        "own_title": summary.title if own.name else None,
        "key": summary.key,
        "agent": summary.agent,
        "kind": summary.kind,
        "parent": summary.parent,
        "project": summary.project,
        "started": stamp(summary.started),
        "ended": stamp(summary.ended),
        "models": summary.models,
        **{name: getattr(summary.counts, name) for name in ("prompts", "replies", "tool_calls", "failed_tool_calls")},
        "tokens": summary.usage.total,
        "family_tokens": context.family_usage.total if context.family_usage is not None else None,
        "cost_usd": context.cost_usd,
        "starred": own.starred or None,
        "tags": own.tags,
        "note": own.note,
        "private": own.private or None,
    }
    # A JSON value is a YAML value, whatever is in it. A fact that is not known is not there.
    known = (f"{name}: {_yaml(value)}\n" for name, value in lines.items() if value not in (None, ()))
    return f"---\n{''.join(known)}---\n\n"


def _yaml(value: Any) -> str:
    words = [one_line(each) for each in value] if isinstance(value, tuple) else value
    return json.dumps(one_line(words) if isinstance(words, str) else words, ensure_ascii=False)


def usage_facts(summary: Summary, context: WriterContext) -> list[str]:
    """What the session used, and what it used with its sub-agents where that is more."""
    lines = [f"Tokens: {figures(summary.usage) or 'not recorded'}"]
    family = context.family_usage
    if family is not None and family.total != summary.usage.total:
        lines.append(f"With sub-agents: {figures(family) or 'not recorded'}")
    return lines


def moment(at: datetime | None) -> str | None:
    """A time to the minute, in UTC."""
    if at is None:
        return None
    try:
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:  # the first or the last day of the calendar, in another zone
        return None
    return at.replace(tzinfo=None).isoformat(" ", "minutes")


def period(start: datetime | None, end: datetime | None) -> str | None:
    """From when to when; the day stands once where it is the same."""
    first, last = moment(start), moment(end)
    if first is None or last is None or first == last:
        only = first or last
        return None if only is None else f"{only} UTC"
    return f"{first}–{last[11:]} UTC" if first[:10] == last[:10] else f"{first} – {last} UTC"


def counted(counts: Counts) -> str:
    """How much was said and done."""
    words = [_some(counts.prompts, "prompt", "prompts"), _some(counts.replies, "reply", "replies")]
    if counts.tool_calls:
        failed = f" ({counts.failed_tool_calls:,} failed)" if counts.failed_tool_calls else ""
        words.append(_some(counts.tool_calls, "tool call", "tool calls") + failed)
    return ", ".join(words)


def figures(usage: Usage) -> str | None:
    """Tokens in words, without what is not known."""
    words = []
    if usage.input is not None:
        cached = [
            f"{count:,} {name}"
            for count, name in ((usage.cached, "cached"), (usage.cache_write, "written to cache"))
            if count
        ]
        words.append(f"{usage.input:,} in" + (f" ({', '.join(cached)})" if cached else ""))
    if usage.output is not None:
        words.append(f"{usage.output:,} out" + (f" ({usage.reasoning:,} reasoning)" if usage.reasoning else ""))
    if usage.requests is not None and usage.requests > 1:
        words.append(f"{usage.requests:,} requests")
    if not words:
        return None
    return ("at least " if usage.exact is False else "") + ", ".join(words)


def attachment_facts(part: Attachment) -> str:
    """Media type and size."""
    kind = one_line(part.media_type, 100) or "unknown type"
    if part.data is None:
        return kind
    size = len(part.data) * 3 // 4 - part.data[-2:].count("=")
    return f"{kind}, {_some(max(size, 0), 'byte', 'bytes')}"


def _some(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
