"""A tool call: one line says what was done and how it ended, and the rest is folded below it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import Status, ToolCall, ToolResult
from pollux.text.escape import one_line
from pollux.writers.calls import outcome, reason
from pollux.writers.diffs import Diff, changes_of
from pollux.writers.html import arguments, diffs
from pollux.writers.html.details import fold, lines
from pollux.writers.html.markup import Html, escape, join, tag
from pollux.writers.html.pictures import attachment
from pollux.writers.html.prose import markdown
from pollux.writers.html.terminal import terminal
from pollux.writers.html.times import clock
from pollux.writers.transcript import CallBlock

_MARKS = {Status.OK: "✓", Status.ERROR: "✗", Status.CANCELLED: "⊘", Status.UNFINISHED: "…"}


def call(block: CallBlock, child: Html | None) -> Html:
    """A call with its outcome; `child` is the session it started, or a link to it."""
    tool_call = block.call
    changes, rest = changes_of(tool_call)
    body = [
        *(diffs.diff(change) for change in changes),
        *arguments.render_arguments(rest),
        *_result(tool_call),
        *map(attachment, tool_call.attachments),
        child,
        _used(tool_call.at, tool_call.id),
    ]
    return fold(_line(block, changes), *body, class_=f"call {tool_call.status}")


def answer(result: ToolResult) -> Html:
    """An answer whose call is no longer in the session."""
    name = tag("b", one_line(result.name or "") or "unnamed tool")
    body = [*_output(result.output), *map(attachment, result.attachments), _used(None, result.call)]
    return fold(join([_mark(Status.OK), name, " ", tag("small", "a result without its call")]), *body, class_="call ok")


def _used(at: datetime | None, id: str | None) -> Html | None:
    """The time and the id of a call, shown on request."""
    facts = [join(["Called ", clock(at)])] if at is not None else []
    facts += [escape(f"id {one_line(id)}")] if id is not None else []
    return tag("p", join(facts, Html(" · ")), class_="used") if facts else None


def _line(block: CallBlock, changes: list[Diff]) -> Html:
    tool_call = block.call
    brief = [
        join([tag("small", f"{a.name} ") if a.name is not None else None, tag("code", a.text)]) for a in block.arguments
    ]
    ending = None if tool_call.status is Status.OK and not tool_call.exit_code else outcome(tool_call)
    if ending is not None and (why := reason(tool_call)) is not None:
        ending = f"{ending}: {one_line(why)}"
    kind = f"{tool_call.canonical} ({tool_call.tool_kind})"
    return join(
        [
            _mark(tool_call.status),
            tag("b", one_line(tool_call.name) or "unnamed tool", title=kind),
            " ",
            tag("span", join(brief, Html(" ")), class_="asked"),
            tag("span", diffs.sizes(changes), class_="sizes") if changes else None,
            tag("span", ending, class_="ending") if ending is not None else None,
        ]
    )


def _mark(status: Status) -> Html:
    return tag("span", _MARKS[status], class_="mark", title=str(status), role="img", aria_label=str(status))


def _result(tool_call: ToolCall) -> Iterator[Html]:
    if tool_call.tool_kind == "agent" and tool_call.output is not None and tool_call.output.strip():
        yield tag("p", "Answer", class_="what")
        yield markdown(tool_call.output)
    else:
        yield from _output(tool_call.output)


def _output(output: str | None) -> Iterator[Html]:
    if output is None:
        yield tag("p", "No result was recorded.", class_="note")
    elif not output.strip():
        yield tag("p", "The result is empty.", class_="note")
    else:
        yield tag("p", f"Result: {lines(output)}", class_="what")
        yield terminal(output)
