"""A session as a trace: one span for all of it, within it a span for each reply and each tool call.

The words are only there where they are asked for: traces go to services that many can look into. A reply's input is
what came since the reply before; to repeat the whole conversation with each would make a trace of a long one enormous.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from pollux.model import Author, Fate, Message, Role, Session, Status, ToolCall, Usage
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Options, Out, Report, WriterContext
from pollux.writers.chat import CallIds
from pollux.writers.dropped_words import DROPPED_WORDS, count_dropped_words
from pollux.writers.json import encode
from pollux.writers.loss import DETAILS, FACTS, FIGURES, LINKED, NOTHING, NOTICES, ORIGINS, LossCounter
from pollux.writers.otel.messages import answered, messages, spoken
from pollux.writers.otel.span import Kind, Span, attributes, interval, nanoseconds, span_id, trace_id
from pollux.writers.program import vendor, version

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"

WHY = {
    NOTHING: "a span is a reply or a tool call; the other messages come with --content",
    **dict.fromkeys(DROPPED_WORDS, "they come with --content"),
    FIGURES: "they belong to replies, and are not counted twice where a session was copied",
    **dict.fromkeys((FACTS, DETAILS, NOTICES, LINKED, ORIGINS), "a span has no attribute for them"),
}


class Otel:
    """One request to a collector, as JSON: `ExportTraceServiceRequest`."""

    name = "otel"
    suffix = ".otel.json"
    purpose = "OpenTelemetry spans with the GenAI names, for viewers of traces"
    supported_options = ("content", "ids")

    def write(self, session: Session, out: Out, options: Options, _context: WriterContext = NO_CONTEXT) -> Report:
        """Write the request, span by span, and a newline."""
        trace = _Trace(session, options)
        resource = {"service.name": session.agent or "unknown", "service.version": version(session)}
        head = {"resource": {"attributes": attributes(resource)}, "schemaUrl": SCHEMA}
        scope = {"scope": {"name": "pollux"}, "schemaUrl": SCHEMA}
        out('{"resourceSpans":[' + encode(head)[:-1] + ',"scopeSpans":[' + encode(scope)[:-1] + ',"spans":[')
        for number, span in enumerate(trace.spans()):
            out(("," if number else "") + encode(span.document()))
        out("]}]}]}\n")
        return trace.tally.report()


class _Trace:
    """Makes spans of a session."""

    def __init__(self, session: Session, options: Options) -> None:
        self.tally = LossCounter(WHY)
        self._session = session
        self._options = options
        self._trace = trace_id(session.key)
        self._root = span_id(session.key)
        self._id = CallIds(options, self.tally)
        self._seen: Counter[str] = Counter()
        self._waiting: list[dict[str, Any]] = []
        self._now = nanoseconds(session.started) or 0
        self._times: list[int] = [time for at in (session.started, session.ended) if (time := nanoseconds(at))]

    def spans(self) -> Iterator[Span]:
        """The spans of replies and calls as they come, then the one that holds them all."""
        for message in self._session.messages:
            if self._options.live_only and message.fate is not Fate.LIVE:
                self.tally.drop(LOST_FATES)
                continue
            yield from self._message(message)
        yield self._whole()
        self.tally.session(self._session)

    def _message(self, message: Message) -> Iterator[Span]:
        ids = {place: self._id(part) for place, part in enumerate(message.parts) if type(part) is ToolCall}
        at = nanoseconds(message.at)
        if at is None:
            self.tally.fabricate("times of spans", "no time was recorded, and every span has one")
        else:
            self._now = at
        self._seen[message.id] += 1  # an id that comes again must not make the same span again
        reply = span_id(self._session.key, "reply", message.id, str(self._seen[message.id]))
        spans = [] if message.inherited else [*self._reply(message, ids, reply), *self._calls(message, ids, reply)]
        for span in spans:
            self._times += (span.start, span.end)
            yield span
        if self._options.content:
            self._say(message, ids)
        else:
            count_dropped_words(message, self.tally)
        self.tally.drop(FACTS)
        self.tally.drop(FIGURES, message.usage is not None and not any(span.kind is Kind.CLIENT for span in spans))
        self.tally.message(message)
        for part in message.parts:
            self.tally.part(part)
            self.tally.drop(DETAILS, sum(bool(one.extra) for one in getattr(part, "attachments", ())))
        if spans or self._options.content:
            self.tally.kept += 1
        else:
            self.tally.drop(NOTHING)

    def _say(self, message: Message, ids: dict[int, str]) -> None:
        """Remember what the next reply answers."""
        is_reply = _is_reply(message) and not message.inherited
        self._waiting += answered(message, ids) if is_reply else messages(message, ids)

    def _reply(self, message: Message, ids: dict[int, str], reply: str) -> Iterator[Span]:
        if not _is_reply(message):
            return
        maker = vendor(message.model)
        if maker is None:
            self.tally.fabricate("the provider `unknown`", "the conventions demand one, and the model tells none")
        known: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": maker.provider if maker is not None else "unknown",
            "gen_ai.conversation.id": self._session.id,
            "gen_ai.request.model": message.model,
            "gen_ai.response.model": message.model,
            "gen_ai.response.id": message.id,
            **_figures(message.usage),
            "pollux.fate": None if message.fate is Fate.LIVE else str(message.fate),
        }
        if self._options.content:
            self.tally.fabricate("why replies ended", "the conventions demand it, and it was not recorded")
            known["gen_ai.input.messages"] = encode(self._waiting)
            known["gen_ai.output.messages"] = encode(spoken(message, ids))
            self._waiting = []
        yield Span(
            trace=self._trace,
            id=reply,
            parent=self._root,
            name=f"chat {message.model}" if message.model else "chat",
            kind=Kind.CLIENT,
            start=self._now,
            end=self._now,
            attributes=known,
            failed=message.fate is Fate.FAILED,
        )

    def _calls(self, message: Message, ids: dict[int, str], reply: str) -> Iterator[Span]:
        calls = (part for part in message.parts if type(part) is ToolCall)
        for id, call in zip(ids.values(), calls, strict=True):
            start, end = interval(call, self._now)
            yield Span(
                trace=self._trace,
                id=span_id(self._session.key, "call", id),
                parent=reply if _is_reply(message) else self._root,
                name=f"execute_tool {call.name}",
                kind=Kind.INTERNAL,
                start=start,
                end=end,
                attributes=self._about(call, id),
                failed=call.status in (Status.ERROR, Status.CANCELLED),
                links=(call.child,) if call.child is not None else (),
            )

    def _about(self, call: ToolCall, id: str) -> dict[str, Any]:
        known: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.conversation.id": self._session.id,
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.id": id,
            "gen_ai.tool.type": "function",
            "process.exit.code": call.exit_code,
            "pollux.tool": call.canonical,
            "pollux.child": call.child,
            "error.type": None if call.status is Status.OK else str(call.status),
        }
        if self._options.content:
            known["gen_ai.tool.call.arguments"] = encode(call.input) if call.input is not None else None
            known["gen_ai.tool.call.result"] = call.output
        return known

    def _whole(self) -> Span:
        session = self._session
        known: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": session.agent,
            "gen_ai.agent.version": version(session),
            "gen_ai.conversation.id": session.id,
            "pollux.kind": str(session.kind),
            "pollux.project": session.project,
            "pollux.parent": session.parent,
        }
        if self._options.content:
            known["pollux.title"] = session.title
            known["gen_ai.input.messages"] = encode(self._waiting) if self._waiting else None
        self.tally.drop(FACTS, session.title is not None and not self._options.content)
        models = (vendor(message.model) for message in session.messages if message.model)
        maker = next((model for model in models if model is not None), None)
        known["gen_ai.provider.name"] = maker.provider if maker is not None else None
        return Span(
            trace=self._trace,
            id=self._root,
            parent=None,
            name=f"invoke_agent {session.agent}",
            kind=Kind.INTERNAL,
            start=min(self._times, default=0),
            end=max(self._times, default=0),
            attributes=known,
            links=(session.parent,) if session.parent is not None else (),
        )


def _is_reply(message: Message) -> bool:
    return message.role is Role.ASSISTANT and message.author is Author.MODEL


def _figures(usage: Usage | None) -> dict[str, Any]:
    if usage is None:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    }


WRITER = Otel()
