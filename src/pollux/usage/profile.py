"""One session looked into: where its tokens went, turn by turn, and which tools took long or failed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from datetime import datetime

from pollux.model import (
    NOTHING_USED,
    Author,
    Context,
    FileReference,
    Gap,
    Message,
    Role,
    Session,
    Status,
    SummaryPart,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Value,
    add,
    combine_exact,
    exactness,
)
from pollux.usage.rates import dollars

Price = Callable[[Message], int | None]
"""What a message's requests cost."""

Charge = Callable[[Message], tuple[int | None, int]]
"""What a message's requests cost, and how many have no price."""


class Turn(Value, frozen=True, kw_only=True):
    """A prompt and everything up to the next one.

    `context` is the largest prompt that was sent, which is how much the conversation had grown to.
    """

    prompt: str | None
    message: str | None
    at: datetime | None
    usage: Usage
    context: int | None
    calls: int
    failed: int
    cost_usd: float | None
    unpriced_requests: int
    requests: tuple[int, ...]


class SentCharacters(Value, frozen=True, kw_only=True):
    """Characters that entered the conversation from outside the model, by where they came from."""

    typed: int = 0
    files: int = 0
    injected: int = 0
    summaries: int = 0
    tools: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.typed + self.files + self.injected + self.summaries + self.tools


class NotableCall(Value, frozen=True, kw_only=True):
    """A slow or failed tool call."""

    name: str
    status: str
    seconds: float | None
    what: str
    message: str
    output: str | None


class Profile(Value, frozen=True, kw_only=True):
    """The profile of one session, without what it inherited."""

    turns: tuple[Turn, ...]
    sent: SentCharacters
    slowest: tuple[NotableCall, ...]
    failed: tuple[NotableCall, ...]


def profile(session: Session, charge: Charge) -> Profile:
    """Make the profile of a session."""
    own = [message for message in session.messages if not message.inherited]
    groups = _turns(own)
    calls = [(m, part) for m in own for part in m.parts if type(part) is ToolCall]
    timed = [(m, call) for m, call in calls if call.seconds is not None]
    timed.sort(key=lambda pair: -(pair[1].seconds or 0))
    return Profile(
        turns=tuple(
            _turn(group, charge, exact=exact) for group, exact in zip(groups, _exact(session, groups), strict=True)
        ),
        sent=_sent_characters(own),
        slowest=tuple(_notable_call(*pair) for pair in timed[:5]),
        failed=tuple(_notable_call(m, call) for m, call in calls if call.status is Status.ERROR),
    )


def _turns(messages: list[Message]) -> list[list[Message]]:
    """Each turn begins with a prompt. What comes before the first is a turn of its own if it used something."""
    groups: list[list[Message]] = [[]]
    for message in messages:
        if message.role is Role.USER and message.author is not Author.CLIENT:
            groups.append([])
        groups[-1].append(message)
    return [group for group in groups if any(m.usage is not None or _asks(m) for m in group)]


def _asks(message: Message) -> bool:
    return message.role is Role.USER and message.author is not Author.CLIENT


def _exact(session: Session, groups: list[list[Message]]) -> list[bool | None]:
    """Whether the figures of each turn are complete. A gap belongs to the turn before it; without one, to any turn."""
    missing: list[list[Gap]] = [[] for _ in groups]
    places: dict[str | None, list[tuple[int, int]]] = {}
    for number, group in enumerate(groups):
        for origin in (message.origin for message in group if message.origin is not None):
            for file in (origin.file, None):
                places.setdefault(file, []).append((origin.line or 0, number))
    for lines in places.values():
        lines.sort()
    sure = session.exact or bool(session.gaps)
    for gap in session.gaps:
        lines = places.get(gap.file, [])
        before = bisect_right(lines, (gap.line or 0, len(groups)))
        if before:
            missing[lines[before - 1][1]].append(gap)
        else:
            sure = False
    exact = [combine_exact(m.usage.exact for m in group if m.usage is not None) for group in groups]
    return [
        combine_exact((exactness(gaps) if gaps or sure else None, one))
        for gaps, one in zip(missing, exact, strict=True)
    ]


def _turn(group: list[Message], charge: Charge, *, exact: bool | None) -> Turn:
    prompt = group[0] if _asks(group[0]) else None
    usages = [m.usage for m in group if m.usage is not None]
    prompts = [one.input for usage in usages for one in usage.each or (usage,) if one.input is not None]
    calls = [part for m in group for part in m.parts if type(part) is ToolCall]
    charges = [charge(m) for m in group if m.usage is not None]
    costs = [cost for cost, _ in charges if cost is not None]
    return Turn(
        prompt=prompt.text if prompt is not None else None,
        message=prompt.id if prompt is not None else None,
        at=group[0].at,
        usage=add(usages, exact=exact) if usages or not exact else NOTHING_USED,
        context=max(prompts, default=None),
        calls=len(calls),
        failed=sum(call.status is Status.ERROR for call in calls),
        cost_usd=dollars(sum(costs)) if costs else None,
        unpriced_requests=sum(unpriced for _, unpriced in charges),
        requests=tuple(prompts),
    )


def _sent_characters(messages: list[Message]) -> SentCharacters:
    typed = files = injected = summaries = tools = 0
    for message in messages:
        human = message.author is Author.HUMAN
        for part in message.parts:
            match part:
                case FileReference(text=str(text)):
                    files += len(text)
                case Context(text=text):
                    injected += len(text)
                case SummaryPart(text=text):
                    summaries += len(text)
                case ToolCall(output=str(text)) | ToolResult(output=str(text)):
                    tools += len(text)
                case Text(text=text) if message.role is Role.USER and message.author is not Author.MODEL:
                    typed, injected = (typed + len(text), injected) if human else (typed, injected + len(text))
    return SentCharacters(typed=typed, files=files, injected=injected, summaries=summaries, tools=tools)


def _notable_call(message: Message, call: ToolCall) -> NotableCall:
    arguments = call.input if isinstance(call.input, dict) else {}
    values = (
        arguments.get(name)
        for name in ("command", "cmd", "file_path", "filePath", "path", "pattern", "query", "prompt")
    )
    what = next((str(value) for value in values if value), str(call.input or ""))
    return NotableCall(
        name=call.name,
        status=call.status,
        seconds=call.seconds,
        what=what,
        message=message.id,
        output=call.output,
    )
