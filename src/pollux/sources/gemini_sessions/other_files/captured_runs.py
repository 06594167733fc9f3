"""Runs captured from standard output: `--output-format json` and `stream-json`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from pollux.model import Author, Kind, Message, Origin, Part, Role, Session, Status, Text, ToolCall, Unknown, Usage
from pollux.sources.gemini_sessions.format.content import as_text
from pollux.sources.gemini_sessions.format.tools import canonical
from pollux.sources.gemini_sessions.messages.calls import SHELL, exit_code_of
from pollux.system.clock import recorded
from pollux.wire import Notes, coherent, display_path

if TYPE_CHECKING:
    from pollux.sources.base import File
    from pollux.sources.gemini_sessions.bundle import GeminiBundle

Event = dict[str, Any]
_MODEL, _CLIENT = (Role.ASSISTANT, Author.MODEL), (Role.SYSTEM, Author.CLIENT)


def session(events: list[tuple[int | None, Event]], bundle: GeminiBundle, file: File, notes: Notes) -> Session:
    """The session of one captured run."""
    run = _Run(display_path(file.path), notes)
    for line, event in events:
        notes.line = line
        if line is None and "type" not in event:
            run.add_result(event)
        else:
            run.add_event(event, line)
    notes.line = None
    project, evidence = bundle.project()
    messages = run.messages()
    times = [message.at for message in messages if message.at is not None]
    return Session(
        agent=bundle.agent,
        id=run.id or bundle.id,
        kind=Kind.MAIN,
        project=project,
        project_evidence=evidence,
        project_hash=bundle.hash,
        started=min(times, default=None),
        ended=max(times, default=None),
        messages=tuple(messages),
        notices=notes.all(),
        files=(display_path(file.path),),
        exact=None if run.usage is None else run.usage.exact,
        extra=run.extra,
    )


class _Run:
    """Builds a run from its events."""

    def __init__(self, file: str, notes: Notes) -> None:
        self.file = file
        self.notes = notes
        self.id: str | None = None
        self.model: str | None = None
        self.usage: Usage | None = None
        self.extra: dict[str, Any] = {}
        self._messages: list[Message] = []
        self._calls: dict[str, tuple[int, int]] = {}

    def messages(self) -> list[Message]:
        """The messages. The model's last turn has the figures of the whole run."""
        if self.usage is not None:
            last = next(
                (n for n in range(len(self._messages) - 1, -1, -1) if self._messages[n].role is Role.ASSISTANT), None
            )
            if last is None:
                self._say(_MODEL, (), None, None, {})
                last = len(self._messages) - 1
            self._messages[last] = _with(self._messages[last], usage=self.usage)
        return self._messages

    def add_result(self, event: Event) -> None:
        """The one object of `--output-format json`."""
        rest = dict(event)
        if isinstance(rest.get("session_id"), str):
            self.id = rest.pop("session_id")
        if isinstance(rest.get("response"), str):
            self._say(_MODEL, (Text(text=rest.pop("response")),), None, None, {})
        if rest.get("error") is not None:
            self._say(_CLIENT, (Text(text=as_text(rest.pop("error"))),), None, None, {"level": "error"})
        if isinstance(rest.get("stats"), dict):
            self._stats(rest["stats"])
        self.extra.update(rest)

    def add_event(self, event: Event, line: int | None) -> None:
        """One line of `stream-json`."""
        rest = dict(event)
        kind = rest.pop("type", None)
        at = _time(rest)
        match kind:
            case "init":
                self.id = rest.pop("session_id") if isinstance(rest.get("session_id"), str) else self.id
                self.model = rest.pop("model") if isinstance(rest.get("model"), str) else self.model
                self.extra.update(rest)
            case "message" if isinstance(rest.get("content"), str):
                self._message(rest, at, line)
            case "tool_use":
                self._tool_use(rest, at, line)
            case "tool_result" if rest.get("tool_id") in self._calls:
                self._tool_result(rest, at)
            case "error":
                text = rest.pop("message") if isinstance(rest.get("message"), str) else as_text(rest)
                self._say(_CLIENT, (Text(text=text),), at, line, {"level": "error", **rest})
            case "result":
                if isinstance(rest.get("stats"), dict):
                    self._stats(rest["stats"])
                self.extra["result"] = rest
            case _:
                self.notes.add(
                    "record.unknown",
                    f"An event of the unknown type {kind!r}; kept.",
                    subject=f"event {kind!r}",
                )
                self._say(_CLIENT, (Unknown(raw=event),), at, line, {})

    def _message(self, rest: Event, at: datetime | None, line: int | None) -> None:
        text, role, delta = rest.pop("content"), rest.pop("role", None), rest.pop("delta", None)
        assistant = role == "assistant"
        last = self._messages[-1] if self._messages else None
        if (
            delta
            and assistant
            and last is not None
            and last.role is Role.ASSISTANT
            and not any(type(p) is ToolCall for p in last.parts)
        ):
            before = last.text
            self._messages[-1] = _with(last, parts=(Text(text=before + text),))
            return
        if role not in ("user", "assistant"):
            rest["role"] = role
        speaker = _MODEL if assistant else (Role.USER, Author.HUMAN)
        self._say(speaker, (Text(text=text),), at, line, rest)

    def _tool_use(self, rest: Event, at: datetime | None, line: int | None) -> None:
        name = rest.pop("tool_name") if isinstance(rest.get("tool_name"), str) else "?"
        call_id = rest.pop("tool_id") if isinstance(rest.get("tool_id"), str) else None
        shared, kind = canonical(name)
        call = ToolCall(
            id=call_id,
            name=name,
            canonical=shared,
            tool_kind=kind,
            input=rest.pop("parameters", None),
            at=at,
            extra=rest,
        )
        last = self._messages[-1] if self._messages else None
        if last is not None and last.role is Role.ASSISTANT:
            self._messages[-1] = _with(last, parts=(*last.parts, call))
        else:
            self._say(_MODEL, (call,), at, line, {})
        if call_id is not None:
            self._calls[call_id] = (len(self._messages) - 1, len(self._messages[-1].parts) - 1)

    def _tool_result(self, rest: Event, at: datetime | None) -> None:
        place, index = self._calls[rest.pop("tool_id")]
        message = self._messages[place]
        call = message.parts[index]
        if type(call) is not ToolCall:
            return
        status, error, output = rest.pop("status", None), rest.pop("error", None), rest.pop("output", None)
        text = as_text(output) if output is not None else as_text(error) if error is not None else None
        exit_code, killed = exit_code_of(text) if call.name == SHELL and text is not None else (None, False)
        failed = status == "error" or error is not None or killed or bool(exit_code)
        extra = {**call.extra, **rest, **({"error": error} if error is not None and output is not None else {})}
        if status not in ("success", "error", None):
            self.notes.add(
                "status.unknown",
                f"A tool call has the unknown status {status!r}.",
                subject=f"status {status!r}",
            )
            extra["status"] = status
        finished = ToolCall(
            id=call.id,
            name=call.name,
            canonical=call.canonical,
            tool_kind=call.tool_kind,
            input=call.input,
            status=Status.ERROR if failed else Status.OK,
            output=text,
            exit_code=exit_code,
            at=at or call.at,
            extra=extra,
        )
        self._messages[place] = _with(message, parts=(*message.parts[:index], finished, *message.parts[index + 1 :]))

    def _say(
        self, speaker: tuple[Role, Author], parts: tuple[Part, ...], at: datetime | None, line: int | None, extra: Event
    ) -> None:
        role, author = speaker
        self._messages.append(
            Message(
                id=f"event-{line if line is not None else len(self._messages)}",
                role=role,
                author=author,
                at=at,
                parts=parts,
                model=self.model if role is Role.ASSISTANT else None,
                origin=Origin(file=self.file, line=line),
                extra=extra,
            )
        )

    def _stats(self, stats: Event) -> None:
        """The run's figures: per model in `json`, summed in `stream-json`."""
        models = stats.get("models")
        if isinstance(models, dict) and models:
            self.extra.setdefault("stats", stats)
            tokens = [m["tokens"] for m in models.values() if isinstance(m, dict) and isinstance(m.get("tokens"), dict)]
            if self.model is None and len(models) == 1:
                self.model = next(iter(models))
                self._messages = [_with(m, model=self.model) if m.role is Role.ASSISTANT else m for m in self._messages]
            if tokens:
                prompt, tool = _total(tokens, "prompt"), _total(tokens, "tool")
                answer, thoughts = _total(tokens, "candidates"), _total(tokens, "thoughts")
                requests = [
                    m["api"].get("totalRequests")
                    for m in models.values()
                    if isinstance(m, dict) and isinstance(m.get("api"), dict)
                ]
                cached = _total(tokens, "cached")
                usage = Usage(
                    input=_with_more(prompt, tool, odd=tool is None and _has_figure(tokens, "tool")),
                    cached=cached,
                    output=_with_more(answer, thoughts, odd=thoughts is None and _has_figure(tokens, "thoughts")),
                    reasoning=thoughts,
                    requests=sum(n for n in requests if isinstance(n, int)) or None,
                    exact=None if None in (prompt, tool, cached, answer, thoughts) else True,
                    native=stats,
                )
                self.usage = coherent(usage, self.notes)
                return
        prompt, answer = _count(stats, "input_tokens"), _count(stats, "output_tokens")
        if prompt is not None or answer is not None:
            total = _count(stats, "total_tokens")
            # Only the total includes thoughts: the part that is neither prompt nor answer was reasoning.
            reasoning = total - prompt - answer if None not in (total, prompt, answer) else None  # type: ignore[operator]
            output = (answer or 0) + reasoning if reasoning is not None and reasoning > 0 else answer
            cached = _count(stats, "cached")
            odd = None in (prompt, answer) or (cached is None and "cached" in stats)
            usage = Usage(input=prompt, cached=cached, output=output, exact=None if odd else True, native=stats)
            self.usage = coherent(usage, self.notes)


def _count(stats: Event, name: str) -> int | None:
    value = stats.get(name)
    return value if type(value) is int and value >= 0 else None


def _total(tokens: list[Event], name: str) -> int | None:
    """The sum over all models; None if one of them lacks the figure."""
    total = 0
    for figures in tokens:
        if (figure := _count(figures, name)) is None:
            return None
        total += figure
    return total


def _has_figure(tokens: list[Event], name: str) -> bool:
    return any(name in figures for figures in tokens)


def _time(rest: Event) -> datetime | None:
    at = recorded(rest.get("timestamp"), zone=None)
    if at is not None:
        del rest["timestamp"]
    return at


def _with(message: Message, **changes: Any) -> Message:
    return msgspec.structs.replace(message, **changes)


def _with_more(figure: int | None, more: int | None, *, odd: bool) -> int | None:
    """A sum of two figures, as far as it is known. None if the second is `odd`: its size is not known."""
    return None if figure is None or odd else figure + (more or 0)
