"""The client's own account of its requests, which stands between the records: a second witness.

It has the requests that are in no answer: compressions, memory, titles, sub-agents without a file, and answers that
were lost before they were written.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pollux.model import Usage
from pollux.sources.qwen.format.schema import Record
from pollux.sources.qwen.transcript import Row
from pollux.wire import MOST_COUNT, Notes, coherent

RESPONSE, FAILURE = "qwen-code.api_response", "qwen-code.api_error"
_TELEMETRY = ("ui_telemetry", None)  # without a subtype that can be read, the event tells
_FIGURES = (
    "input_token_count", "output_token_count", "cached_content_token_count", "thoughts_token_count",
    "tool_token_count", "total_token_count",
)  # fmt: skip
# The requests of the conversation: `<session>########<number>`, and in runs with a prompt a random number.
_TURN = re.compile(r".+########.*|[0-9a-f]+", re.DOTALL)


class Request(msgspec.Struct, frozen=True, gc=False):
    """A request in the telemetry: the place of its record, what the client wrote, and whom it served.

    `helper` names what is not the conversation itself: a sub-agent, a compression, the memory.
    """

    place: int
    event: Mapping[str, Any]
    helper: str | None

    @property
    def key(self) -> tuple[int | None, int | None]:
        """The figures by which a request and its answer are recognized."""
        return _count(self.event.get("input_token_count")), _count(self.event.get("total_token_count"))

    @property
    def is_turn(self) -> bool:
        """Was the conversation itself sent? Titles, suggestions and other questions of the client name themselves."""
        prompt = self.event.get("prompt_id")
        return self.helper is None and (not isinstance(prompt, str) or _TURN.fullmatch(prompt) is not None)

    @property
    def text(self) -> str | None:
        """The words of the answer (0.15 and later)."""
        text = self.event.get("response_text")
        return text if isinstance(text, str) and text else None

    @property
    def model(self) -> str | None:
        """The model that answered."""
        model = self.event.get("model")
        return model if isinstance(model, str) and model else None

    def usage(self, notes: Notes) -> Usage | None:
        """The figures; None where nothing was counted."""
        figures = {name: _count(self.event.get(name)) for name in _FIGURES}
        if not figures["total_token_count"] and not figures["input_token_count"]:
            return None
        prompt, total = figures["input_token_count"], figures["total_token_count"]
        output = total - prompt if None not in (prompt, total) and total >= prompt else figures["output_token_count"]  # type: ignore[operator]
        usage = Usage(
            input=prompt,
            cached=figures["cached_content_token_count"],
            output=output,
            reasoning=figures["thoughts_token_count"],
            requests=1,
            exact=None if prompt is None or output is None else True,
            native={name: value for name, value in figures.items() if value is not None},
        )
        return coherent(usage, notes)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MOST_COUNT else None


def helper_of(event: Mapping[str, Any], session: str) -> str | None:
    """Whom a request served: `<session>########<number>` is the conversation, `<session>#<name>#<round>` is not."""
    if isinstance(named := event.get("subagent_id"), str) and named:
        return named
    prompt = event.get("prompt_id")
    if not isinstance(prompt, str):
        return None
    if prompt.startswith(session + "#") and not prompt.startswith("####", len(session)):
        return prompt[len(session) + 1 :].rpartition("#")[0] or prompt[len(session) + 1 :]
    name = event.get("subagent_name")
    if isinstance(name, str) and name:
        return name
    return "compression" if prompt.startswith("compress-") else None


class Requests:
    """The requests of a session, joined with its answers. `failures` are the events of those that failed."""

    def __init__(self, rows: Sequence[Row], session: str, children: Container[str]) -> None:
        self._open: dict[int, Request] = {}
        self.by_answer: dict[int, Request] = {}
        self.failures: dict[int, Mapping[str, Any]] = {}
        for place, row in enumerate(rows):
            record = row.record
            payload = record.systemPayload
            if type(payload) is not dict or record.subtype not in _TELEMETRY:
                continue
            event = payload.get("uiEvent")
            if type(event) is not dict:
                continue
            name = event.get("event.name")
            if name == RESPONSE:
                helper = helper_of(event, session)
                if helper is None or helper not in children:
                    self._open[place] = Request(place, event, helper)
            elif name == FAILURE:
                self.failures[place] = event

    def leave_out(self, answers: Callable[[], Iterable[Record]]) -> None:
        """Leave out the requests that these `answers` of sub-agents are to, by who asked and by the figures.

        0.21 names a sub-agent by a word made by chance, its file by the call.
        """
        helpers: dict[tuple[str | None, int, int], list[Request]] = {}
        for request in self._open.values():
            prompt, total = request.key
            if request.helper is not None and prompt is not None and total is not None:
                helpers.setdefault((request.helper.rpartition("-")[0], prompt, total), []).append(request)
        for record in answers() if helpers else ():
            tokens = record.usageMetadata
            if tokens is not None and tokens.promptTokenCount is not None and tokens.totalTokenCount is not None:
                same = helpers.get((record.agentName, tokens.promptTokenCount, tokens.totalTokenCount))
                if same:
                    del self._open[same.pop(0).place]

    def join(self, answers: Iterable[tuple[int, tuple[int | None, int | None] | None]]) -> None:
        """Join answers, each with its place and its figures: by the figures, or else as the next one."""
        by_key: dict[tuple[int | None, int | None], list[Request]] = {}
        for request in self._open.values():
            if request.helper is None and None not in (figures := request.key):
                by_key.setdefault(figures, []).append(request)
        waiting: list[tuple[int, tuple[int | None, int | None] | None]] = []
        for place, key in answers:
            same = by_key.get(key) if key is not None else None
            # The account of an answer stands before it; one behind it may be that of the same figures once more.
            if same and same[0].place < place:
                self._take(place, same.pop(0))
            else:
                waiting.append((place, key))
        if not waiting:
            return
        taken = sorted(self.by_answer)
        own = [request.place for request in self._open.values() if request.is_turn]
        for place, key in waiting:
            number = bisect_left(own, place) - 1
            if number >= 0 and bisect_left(taken, own[number]) == bisect_left(taken, place):
                self._take(place, self._open[own.pop(number)])
            elif behind := [one for one in by_key.get(key, ()) if one.place in self._open] if key is not None else []:
                own = [other for other in own if other != behind[0].place]
                self._take(place, behind[0])

    def _take(self, place: int, request: Request) -> None:
        self.by_answer[place] = self._open.pop(request.place)

    @property
    def others(self) -> dict[int, Request]:
        """The requests of which no answer was recorded, by their places."""
        return self._open
