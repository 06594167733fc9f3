"""What was done in some messages of a session."""

from __future__ import annotations

from collections.abc import Sequence

from pollux.library.compare.values import FileCount, PromptAt, Stretch, ToolCount
from pollux.model import NOTHING_USED, Message, Session, Status, ToolCall, Usage, add, is_prompt, is_reply
from pollux.usage.profile import Charge
from pollux.usage.rates import dollars
from pollux.writers.changed_files import changed_files, located


def stretch(session: Session, messages: Sequence[Message], charge: Charge) -> Stretch:
    """What was done in these messages, which belong to a session. `charge` tells what a message cost."""
    own = [message for message in messages if not message.inherited]
    calls = [part for message in own for part in message.parts if type(part) is ToolCall]
    charges = [charge(message) for message in own if message.usage is not None]
    costs = [cost for cost, _ in charges if cost is not None]
    times = sorted(message.at for message in own if message.at is not None)
    return Stretch(
        messages=len(messages),
        inherited=len(messages) - len(own),
        prompts=tuple(_prompt(message) for message in messages if is_prompt(message)),
        replies=sum(map(is_reply, own)),
        models=tuple(dict.fromkeys(message.model for message in own if message.model)),
        tools=_tools(calls),
        files=_files(calls, session.project),
        usage=_usage(session, messages, own),
        cost_usd=dollars(sum(costs)) if costs else None,
        unpriced_requests=sum(unpriced for _, unpriced in charges),
        started=times[0] if times else None,
        ended=times[-1] if times else None,
        seconds=(times[-1] - times[0]).total_seconds() if times else None,
    )


def _prompt(message: Message) -> PromptAt:
    return PromptAt(message_id=message.id, at=message.at, text=message.text, fate=message.fate)


def _usage(session: Session, messages: Sequence[Message], own: Sequence[Message]) -> Usage:
    """The tokens of these messages. Of a part of a session, nobody knows in which part figures are missing."""
    if len(messages) == len(session.messages):
        return session.usage
    usages = [message.usage for message in own if message.usage is not None]
    exact = True if session.exact else None
    return add(usages, exact=exact) if usages or not exact else NOTHING_USED


def _tools(calls: Sequence[ToolCall]) -> tuple[ToolCount, ...]:
    """The tools, those that were called most often first."""
    by_name: dict[str, list[ToolCall]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    counts = [
        ToolCount(
            name=name,
            canonical=same[0].canonical,
            calls=len(same),
            failed=_ended(same, Status.ERROR),
            cancelled=_ended(same, Status.CANCELLED),
            unfinished=_ended(same, Status.UNFINISHED),
        )
        for name, same in by_name.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-count.calls, count.name)))


def _ended(calls: Sequence[ToolCall], status: Status) -> int:
    return sum(call.status is status for call in calls)


def _files(calls: Sequence[ToolCall], project: str | None) -> tuple[FileCount, ...]:
    """The files that were to change, by path."""
    by_path: dict[str, list[Status]] = {}
    for call in calls:
        for path in {located(file.path, call, project) for file in changed_files(call)}:
            by_path.setdefault(path, []).append(call.status)
    return tuple(
        FileCount(path=path, edits=endings.count(Status.OK), unsuccessful=len(endings) - endings.count(Status.OK))
        for path, endings in sorted(by_path.items())
    )
