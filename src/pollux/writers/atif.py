"""ATIF 1.7, the Agent Trajectory Interchange Format: one document a session, a step a message.

What the format has no field for stands in `extra`, which it allows everywhere. A sub-agent's session stands within the
one that started it; in a folder, where it has a file of its own, that file is named instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pollux.model import (
    Attachment,
    Author,
    Fate,
    Message,
    Part,
    Role,
    Session,
    Status,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
)
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import CallIds, arguments, words
from pollux.writers.json import encode, known, stamp
from pollux.writers.loss import BYTES, DETAILS, FIGURES, LINKED, NOTHING, NOTICES, ORIGINS, LossCounter
from pollux.writers.program import version

VERSION = "ATIF-v1.7"
SOURCES = {Role.USER: "user", Role.ASSISTANT: "agent", Role.SYSTEM: "system"}

WHY = {
    BYTES: "pictures can only be files beside the document, and are named",
    NOTHING: "empty, or shown with the call they answer",
    FIGURES: "only steps of the agent have figures",
    **dict.fromkeys((DETAILS, NOTICES, LINKED, ORIGINS), "a trajectory holds what was said and done"),
}


class Atif:
    """One JSON object a session."""

    name = "atif"
    suffix = ".atif.json"
    purpose = "an ATIF trajectory, to evaluate agents and train models"
    supported_options = ("ids",)

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write the document, step by step, and a newline."""
        report = _trajectory(session, out, options, context, (session.key,))
        out("\n")
        return report


def _trajectory(session: Session, out: Out, options: Options, context: WriterContext, above: tuple[str, ...]) -> Report:
    tally = LossCounter(WHY)
    steps = _Steps(session, options, context, tally, above)
    out(encode(_head(session, tally))[:-1] + ',"steps":[')
    for number, step in enumerate(steps, 1):
        out(("," if number > 1 else "") + encode({"step_id": number, **step}))
    out("]," + encode({"final_metrics": steps.totals(), "extra": _facts(session)})[1:-1])
    report = Report()
    for number, child in enumerate(steps.children.values()):
        out("," if number else ',"subagent_trajectories":[')
        report.add(_trajectory(child, out, options, context, (*above, child.key)))
    out("]}" if steps.children else "}")
    tally.session(session)
    report.add(tally.report())
    return report


def _head(session: Session, tally: LossCounter) -> dict[str, Any]:
    release = version(session)
    if release is None:
        tally.fabricate("the agent's version `unknown`", "the format demands one, and the agent wrote none down")
    model = next((m.model for m in session.messages if m.model and not m.inherited), None)
    agent = {"name": session.agent or "unknown", "version": release or "unknown", "model_name": model}
    return {
        "schema_version": VERSION,
        "session_id": session.id,
        "trajectory_id": session.key,
        "agent": known(agent),
    }


def _facts(session: Session) -> dict[str, Any]:
    times = {"started": stamp(session.started), "ended": stamp(session.ended)}
    facts = {name: getattr(session, name) for name in ("kind", "parent", "title", "project")}
    return known({**facts, **times, "exact_usage": session.exact})


class _Steps:
    """The steps of a session, and the sessions that some of them started."""

    def __init__(
        self, session: Session, options: Options, context: WriterContext, tally: LossCounter, above: tuple[str, ...]
    ) -> None:
        self.children: dict[str, Session] = {}
        self._session = session
        self._options = options
        self._context = context
        self._tally = tally
        self._above = above
        self._id = CallIds(options, tally)
        self._price = context.price(session)
        self._costs: list[float | None] = []
        self._count = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for message in self._session.messages:
            if self._options.live_only and message.fate is not Fate.LIVE:
                self._tally.drop(LOST_FATES)
                continue
            if _says_nothing(message):
                self._tally.drop(NOTHING)
                continue
            self._tally.kept += 1
            self._count += 1
            yield self._step(message)
        if not self._count:
            self._tally.fabricate("an empty step", "the format demands one, and there is no message")
            yield {"source": "system", "message": ""}

    def totals(self) -> dict[str, Any]:
        """What all steps used, and cost where every price is known."""
        usage = self._session.usage
        costs = [cost for cost in self._costs if cost is not None]
        return known(
            {
                "total_prompt_tokens": usage.input,
                "total_completion_tokens": usage.output,
                "total_cached_tokens": usage.cached,
                "total_cost_usd": sum(costs) if costs and len(costs) == len(self._costs) else None,
                "total_steps": self._count or 1,
            }
        )

    def _step(self, message: Message) -> dict[str, Any]:
        calls = [part for part in message.parts if type(part) is ToolCall]
        agent = bool(calls) or message.role is Role.ASSISTANT
        if calls and message.role is not Role.ASSISTANT:
            self._tally.fabricate("steps of the agent", "only the agent's steps hold tool calls")
        thoughts = [part for part in message.parts if type(part) is Thinking]
        texts = [text for part in message.parts if (text := words(part)) is not None]
        step: dict[str, Any] = {
            "timestamp": stamp(message.at),
            "source": "agent" if agent else SOURCES[message.role],
            "model_name": message.model if agent else None,
            "message": "\n\n".join(texts if agent else [*texts, *map(_thought, thoughts)]),
            "reasoning_content": "\n".join(map(_thought, thoughts)) if agent and thoughts else None,
            "is_copied_context": True if message.inherited else None,
        }
        pairs = [(self._id(call), call) for call in calls]
        step["tool_calls"] = [self._call(id, call) for id, call in pairs] or None
        results = [self._result(id, call) for id, call in pairs if _ended(call)]
        results += [_orphan(part) for part in message.parts if type(part) is ToolResult and part.output is not None]
        step["observation"] = {"results": results} if results else None
        if agent:
            step |= self._metrics(message, thinking=bool(thoughts))
        else:
            self._tally.drop(FIGURES, message.usage is not None)
        step["extra"] = self._extra(message, agent=agent)
        self._tally.message(message)
        for part in message.parts:
            self._tally.part(part)
        return known(step)

    def _metrics(self, message: Message, *, thinking: bool) -> dict[str, Any]:
        usage = message.usage
        if usage is None:
            invented = message.author is Author.CLIENT and not thinking
            return {"llm_call_count": 0 if invented else None}
        known, unpriced = self._price(message)
        cost = None if unpriced else known
        if not message.inherited:
            self._costs.append(cost)
        requests = usage.requests if usage.requests is not None and usage.requests > 0 else None
        return {"metrics": _metrics(usage, cost), "llm_call_count": requests}

    def _call(self, id: str, call: ToolCall) -> dict[str, Any]:
        facts = {name: getattr(call, name) for name in ("canonical", "tool_kind", "status", "exit_code", "seconds")}
        extra = known({**facts, "at": stamp(call.at), "child": call.child})
        return {
            "tool_call_id": id,
            "function_name": call.name,
            "arguments": arguments(call, self._tally),
            "extra": extra,
        }

    def _result(self, id: str, call: ToolCall) -> dict[str, Any]:
        result: dict[str, Any] = {"source_call_id": id, "content": call.output, "extra": {"status": call.status}}
        if call.child is not None and (reference := self._reference(call.child)) is not None:
            result["subagent_trajectory_ref"] = [reference]
        return known(result)

    def _reference(self, key: str) -> dict[str, Any] | None:
        """Where the session is that a call started: in a file of its own, or within this document."""
        if key in self._context.files:
            return {"trajectory_path": self._context.files[key], "extra": {"key": key}}
        if key in self._above:
            return None
        if key not in self.children:
            child = self._context.child(key)
            if child is None:
                return None
            self.children[key] = child
        return {"trajectory_id": self.children[key].key, "session_id": self.children[key].id}

    def _extra(self, message: Message, *, agent: bool) -> dict[str, Any]:
        attachments = list(_attachments(message.parts))
        self._tally.drop(BYTES, sum(one.data is not None for one in attachments))
        self._tally.drop(DETAILS, sum(bool(one.extra) for one in attachments))
        level = message.extra.get("level")
        return known(
            {
                "message_id": message.id,
                "role": message.role if agent and message.role is not Role.ASSISTANT else None,
                "model": None if agent else message.model,
                "author": message.author,
                "fate": None if message.fate is Fate.LIVE else message.fate,
                "level": level if isinstance(level, str) else None,
                "attachments": [known({"media_type": a.media_type, "uri": a.uri}) for a in attachments] or None,
                "unknown_parts": [part.raw for part in message.parts if type(part) is Unknown] or None,
            }
        )


def _ended(call: ToolCall) -> bool:
    return call.status is not Status.UNFINISHED or call.output is not None or call.child is not None


def _says_nothing(message: Message) -> bool:
    """Is it empty, or does it only say that a tool answered, which the step of the call holds?"""
    parts = message.parts
    answers = (type(part) is ToolResult and part.output is None and not part.attachments for part in parts)
    return message.usage is None and all(answers)


def _metrics(usage: Usage, cost: float | None) -> dict[str, Any]:
    extra = {"reasoning_tokens": usage.reasoning, "cache_write_tokens": usage.cache_write}
    return known(
        {
            "prompt_tokens": usage.input,
            "completion_tokens": usage.output,
            "cached_tokens": usage.cached,
            "cost_usd": cost,
            "extra": known(extra) or None,
        }
    )


def _thought(thought: Thinking) -> str:
    return ": ".join(filter(None, (thought.subject, thought.text)))


def _orphan(result: ToolResult) -> dict[str, Any]:
    """An answer whose call is not in the session."""
    extra = known({"call": result.call, "name": result.name})
    return {"content": result.output, "extra": extra}


def _attachments(parts: tuple[Part, ...]) -> Iterator[Attachment]:
    for part in parts:
        if type(part) is Attachment:
            yield part
        yield from getattr(part, "attachments", ())


WRITER = Atif()
