"""How a session differs from the truth. Every function yields one sentence a difference."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from pollux import Message, Session, Summary, Usage
from pollux.model import Status, SummaryPart, Thinking, ToolCall
from tests.conformance.answers import said
from tests.conformance.truth import Json, Truth, normalize_space

FIGURES = ("input", "cached", "cache_write", "output", "reasoning", "total")
ENDED = {True: {"ok"}, False: {"error"}, None: {"cancelled", "unfinished"}}


def facts(truth: Truth, summary: Summary, parent: str | None, files: set[str]) -> Iterator[str]:
    """Kind, family, project, title, start and files."""
    wanted = {"kind": truth["kind"], "parent": parent, "project": truth["project"]}
    wanted |= {"title": truth["title"]} if truth.get("title") is not None else {}
    for name, value in wanted.items():
        if not truth.is_lost(name) and getattr(summary, name) != value:
            yield f"{name} is {getattr(summary, name)!r}, not {value!r}"
    if not files & set(truth["files"]):
        yield f"read from {sorted(files)}, not from {truth['files']}"
    if (started := truth.get("started")) is not None:
        late = abs(summary.started - datetime.fromisoformat(started)) if summary.started else timedelta.max
        if late > timedelta(minutes=2):
            yield f"started at {summary.started}, not at {started}"


def texts(truth: Truth, session: Session) -> Iterator[str]:
    """What the human typed and the model answered, in order."""
    typed = [text for message in session.prompts if (text := normalize_space(message.text))]
    for part, got in (("prompts", typed), ("replies", said(session))):
        wanted = truth.expected(part)
        if wanted is not None:
            yield from _in_order(
                part, [normalize_space(text) for text in wanted], got, truth.get(f"optional_{part}", [])
            )


def _in_order(part: str, wanted: list[str], got: list[str], optional: list[str]) -> Iterator[str]:
    due, matches = list(wanted), []
    for text in got:
        if text in due:
            due.remove(text)
        elif any(_fits(text, pattern) for pattern in optional):
            continue
        matches.append(text)
    if due:
        yield f"{part} missing: {due}"
    if surplus := [text for text in matches if text not in wanted]:
        yield f"{part} that were not: {surplus}"
    if not due and not surplus and matches != wanted:
        yield f"{part} in another order, or twice: {matches}"


def _fits(text: str, pattern: str) -> bool:
    return text.startswith(pattern[:-1]) if pattern.endswith("*") else text == normalize_space(pattern)


def thinking(truth: Truth, session: Session) -> Iterator[str]:
    """What the model thought, word for word; subject and text may be one or two."""
    wanted = truth.expected("thinking")
    if wanted is None:
        return
    thoughts = [part for message in session.messages for part in message.parts if isinstance(part, Thinking)]
    got = _bare(" ".join(f"{part.subject or ''} {part.text}" for part in thoughts))
    if got != _bare(" ".join(wanted)):
        yield f"thinking is {got!r}, not {_bare(' '.join(wanted))!r}"


def _bare(text: str) -> str:
    return normalize_space(text.replace("*", ""))


def tools(truth: Truth, session: Session) -> Iterator[str]:
    """Every call once, with what was asked and how it ended; and no other."""
    wanted = truth.expected("tool_calls")
    if wanted is None:
        return
    left = [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]
    for call in wanted:
        ended = set(call["status"]) if call.get("status") else ENDED[call["ok"]] if "ok" in call else set(Status)
        alike = [part for part in left if _same_tool(part.name, call["name"]) and _holds(part.input, call["input"])]
        right = [part for part in alike if part.status in ended]
        if not alike:
            yield f"no call of {call['name']} with {call['input']}"
            continue
        left.remove((right or alike)[0])
        if not right:
            yield f"{call['name']} is {alike[0].status.value}, not {' or '.join(sorted(ended))}"
    yield from (f"{part.name} with {part.input} was never called" for part in left)


def _same_tool(got: str, wanted: str) -> bool:
    def last(name: str) -> str:
        return re.split(r"__|[./]", name)[-1]

    return wanted in ("*", got) or last(got) == last(wanted)


def _holds(got: Any, wanted: Any) -> bool:
    """The recorded input holds at least what was asked; a relative path may have become an absolute one."""
    if isinstance(got, str) and not isinstance(wanted, str):
        try:
            got = json.loads(got)
        except ValueError:
            return False
    match wanted, got:
        case dict(), dict():
            return all(name in got and _holds(got[name], value) for name, value in wanted.items())
        case str(), dict():
            return any(_holds(value, wanted) for value in got.values())
        case str(), str():
            return got.strip() == wanted.strip() or (wanted != "" and got.endswith(f"/{wanted}"))
        case _:
            return bool(got == wanted)


def usage(truth: Truth, session: Session) -> Iterator[str]:
    """Tokens: the true figures, or at least what the files hold of them, and the right word about which it is."""
    if truth.is_lost("usage"):
        return
    got, wanted = session.usage, truth["usage"]
    if wanted is None:
        known = [name for name in FIGURES if _figure(got, name) is not None]
        yield from (f"usage.{name} is {_figure(got, name)}, but no file holds it" for name in known)
        return
    floor: Json = wanted if truth["exact"] is True else truth.get("usage_floor", {})
    for name in FIGURES:
        if wanted[name] is None:
            continue
        value, low, high = _figure(got, name), floor.get(name) or 0, wanted[name]
        if not low <= (value or 0) <= high or (value is None and low):
            yield f"usage.{name} is {value}, not {low} to {high}"
    if truth["exact"] is not None and wanted["total"] and got.exact is not truth["exact"]:
        yield f"usage.exact is {got.exact}, not {truth['exact']}"


def _figure(got: Usage, name: str) -> int | None:
    figure: int | None = getattr(got, name)
    return figure


def fates(truth: Truth, session: Session) -> Iterator[str]:
    """What became of a prompt, where that is beyond doubt."""
    for record in truth.get("fates", ()):
        same = (
            message for message in session.prompts if normalize_space(message.text) == normalize_space(record["prompt"])
        )
        entries = [message.fate.value for message in same]
        if record["fate"] not in entries:
            yield f"the fate of {record['prompt']!r} is {entries}, not {record['fate']}"


def resumed(truth: Truth, session: Session) -> Iterator[str]:
    """What is live is what the agent sent when it was resumed: the marks of prompts, replies and calls, in order."""
    wanted = truth.get("resumed")
    if wanted is None:
        return
    got: list[str] = []
    for message in session.messages:
        if message.fate.value == "live":
            for part in message.parts:
                if message.author == "client" and not isinstance(part, SummaryPart):
                    continue
                if isinstance(part, ToolCall):
                    got += [f"call:{mark}" for mark in _CALLED.findall(json.dumps(part.input))[:1]]
                else:
                    got += _SAID.findall(getattr(part, "text", ""))
    if got != wanted:
        yield f"live is {got}, and the agent resumed {wanted}"


_SAID = re.compile(r"z(?:q\d+|r\d+_\d+|snap\d+)z")
_CALLED = re.compile(r"z(?:c\d+_\d+|s\d+)z|(?<=\"limit\": )\d+|(?<=\"end_line\": )\d+")


def summary_of(session: Session, summary: Summary) -> Iterator[str]:
    """The list's figures are those of the messages."""
    own = [message for message in session.messages if not message.inherited]
    calls = [part for message in own for part in message.parts if isinstance(part, ToolCall)]
    counted = {
        "prompts": sum(message.role == "user" and message.author == "human" for message in own),
        "replies": sum(_reply(message) for message in own),
        "tool_calls": len(calls),
        "failed_tool_calls": sum(call.status is Status.ERROR for call in calls),
    }
    for name, count in counted.items():
        if getattr(summary.counts, name) != count:
            yield f"counts.{name} is {getattr(summary.counts, name)}, and the messages hold {count}"
    if summary.usage != session.usage:
        yield "the list and the session differ in usage"
    starts = {normalize_space(message.text)[:100].strip() for message in session.prompts if message.text.strip()}
    for name in ("first_prompt", "last_prompt"):
        if starts and normalize_space(getattr(summary, name) or "")[:100].strip() not in starts:
            yield f"{name} is none of the prompts"


def _reply(message: Message) -> bool:
    return message.role == "assistant" and message.author == "model" and bool(message.text.strip())
