"""A tool call: one line that tells what was done and how it ended, and all the rest folded below it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.model import Status, ToolCall, ToolResult
from pollux.text.escape import one_line
from pollux.writers.calls import arguments as brief, outcome, reason
from pollux.writers.html import arguments, diffs
from pollux.writers.html.folds import fold, lines
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.pictures import attachment
from pollux.writers.html.prose import markdown
from pollux.writers.html.terminal import terminal
from pollux.writers.html.times import clock

_MARKS = {Status.OK: "✓", Status.ERROR: "✗", Status.CANCELLED: "⊘", Status.UNFINISHED: "…"}


def call(told: ToolCall, child: Html | None) -> Html:
    """A call with its outcome; `child` is the session it started, or the way there."""
    changes, rest = diffs.asked(told.input)
    noted = diffs.recorded(told)
    if noted and diffs.covers(noted, changes):
        changes = noted
    body = [
        *(diffs.diff(change) for change in changes),
        *arguments.shown(rest),
        *_result(told),
        *map(attachment, told.attachments),
        child,
        _used(told.at, told.id),
    ]
    return fold(_line(told, changes), *body, class_=f"call {told.status}")


def result(told: ToolResult) -> Html:
    """An answer whose call is not in the session any more."""
    name = tag("b", one_line(told.name or "") or "unnamed tool")
    body = [*_output(told.output), *map(attachment, told.attachments), _used(None, told.call)]
    return fold(join([_mark(Status.OK), name, " ", tag("small", "a result without its call")]), *body, class_="call ok")


def _used(at: datetime | None, id: str | None) -> Html | None:
    """When a call was made and what it is called by, shown when asked for."""
    told = [join(["Called ", clock(at)]) if at is not None else None, f"id {one_line(id)}" if id is not None else None]
    known = [piece for piece in told if piece is not None]
    return tag("p", join(known, Html(" · ")), class_="used") if known else None


def _line(told: ToolCall, changes: list[diffs.Diff]) -> Html:
    asked = [
        join([tag("small", f"{a.name} ") if a.name is not None else None, tag("code", a.text)])
        for a in brief(told.input)[0]
    ]
    ending = None if told.status is Status.OK and not told.exit_code else outcome(told)
    if ending is not None and (why := reason(told)) is not None:
        ending = f"{ending}: {one_line(why)}"
    return join(
        [
            _mark(told.status),
            tag("b", one_line(told.name) or "unnamed tool", title=f"{told.canonical} ({told.tool_kind})"),
            " ",
            tag("span", join(asked, Html(" ")), class_="asked"),
            tag("span", diffs.sizes(changes), class_="sizes") if changes else None,
            tag("span", ending, class_="ending") if ending is not None else None,
        ]
    )


def _mark(status: Status) -> Html:
    return tag("span", _MARKS[status], class_="mark", title=str(status), role="img", aria_label=str(status))


def _result(told: ToolCall) -> Iterator[Html]:
    if told.tool_kind == "agent" and told.output is not None and told.output.strip():
        yield tag("p", "Answer", class_="what")
        yield markdown(told.output)
    else:
        yield from _output(told.output)


def _output(output: str | None) -> Iterator[Html]:
    if output is None:
        yield tag("p", "No result was recorded.", class_="note")
    elif not output.strip():
        yield tag("p", "The result is empty.", class_="note")
    else:
        yield tag("p", f"Result: {lines(output)}", class_="what")
        yield terminal(output)
