"""What a session used, out of figures that are repeated, restarted, estimated and overwritten.

The thread's total goes up with each response, but the event that tells it is repeated, starts again at nothing after
some resumes, and is overwritten when the context overflows; what it calls the last usage may be an estimate. Only what
both say together can be added up. From 0.153 each response has a record of its own, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import sub
from typing import Any

import msgspec

from pollux.model import NOTHING, Tally, Usage
from pollux.sources.codex.schema import Figures, TokenInfo, UsageRecord
from pollux.wire import tidy

_Parts = tuple[int, ...]
_NOTHING: _Parts = (0, 0, 0, 0, 0)


class Meter:
    """Reads the figures of one file in order, and gives what each adds.

    `origin` gives the total of the session that a file goes on from, which its first event may only repeat.
    """

    def __init__(self) -> None:
        self.origin: Callable[[], Figures | None] | None = None
        self._total: _Parts | None = None
        self._counted: set[str] = set()
        self._recorded = False
        self.unreadable: list[int] = []
        self.said: tuple[str, Figures, int] | None = None

    def count(self, info: TokenInfo, line: int) -> Usage | None:
        """What a `token_count` adds; None where it adds nothing."""
        so_far = info.total_token_usage
        if so_far is None:
            return None
        self.said = ("total_token_usage", so_far, line)
        before, total = self._total, _parts(so_far)
        last = info.last_token_usage or so_far
        step = _parts(last)
        if before is None and total != step and self.origin is not None and (begun := self.origin()) is not None:
            before = _parts(begun)
        if total == before:
            return None
        self._total = total
        recorded, self._recorded = self._recorded, False
        told = last
        if before is not None and total != step:
            grown = tuple(map(sub, total, before))
            if grown != step and min(grown) >= 0:
                step, told = grown, so_far
        if recorded or step == _NOTHING:
            return None
        native = {
            "input_tokens": last.input_tokens,
            "cached_input_tokens": last.cached_input_tokens,
            "output_tokens": last.output_tokens,
            "reasoning_output_tokens": last.reasoning_output_tokens,
            "total_tokens": last.total_tokens,
        }
        if last.cache_write_input_tokens is not None:
            native["cache_write_input_tokens"] = last.cache_write_input_tokens
        return _usage(step, told, {"last_token_usage": native}, line)

    def record(self, record: UsageRecord, line: int) -> Usage | None:
        """What a response's own record adds; None where it was counted already."""
        self._recorded = self._recorded or record.usage is not None
        if record.thread_token_usage is not None:
            self.said = ("thread_token_usage", record.thread_token_usage, line)
        if record.response_id is not None:
            if record.response_id in self._counted:
                return None
            self._counted.add(record.response_id)
        if record.usage is None:
            return None
        return _usage(_parts(record.usage), record.usage, native(record), line)


def native(record: UsageRecord) -> dict[str, Any]:
    """A response's own record as it was."""
    for held in (record, record.usage, record.turn_token_usage, record.thread_token_usage):
        if held is not None and held.extra is not NOTHING:
            return tidy(record)  # type: ignore[no-any-return]
    return msgspec.to_builtins(record)  # type: ignore[no-any-return]


def _parts(figures: Figures) -> _Parts:
    return (
        figures.input_tokens or 0,
        figures.cached_input_tokens or 0,
        figures.output_tokens or 0,
        figures.reasoning_output_tokens or 0,
        figures.cache_write_input_tokens or 0,
    )


def _usage(parts: _Parts, said: Figures, native: dict[str, Any], line: int) -> Usage:
    """The figures in the shared meaning. A part no figure stands for was not recorded."""
    return Usage(
        input=parts[0] if said.input_tokens is not None else None,
        cached=parts[1] if said.cached_input_tokens is not None else None,
        cache_write=parts[4] if said.cache_write_input_tokens is not None else None,
        output=parts[2] if said.output_tokens is not None else None,
        reasoning=parts[3] if said.reasoning_output_tokens is not None else None,
        requests=1,
        exact=True,
        native=native,
        line=line,
    )


def together(usages: list[Usage]) -> Usage:
    """The figures of several requests as one."""
    return Usage(
        input=_sum([usage.input for usage in usages]),
        cached=_sum([usage.cached for usage in usages]),
        cache_write=_sum([usage.cache_write for usage in usages]),
        output=_sum([usage.output for usage in usages]),
        reasoning=_sum([usage.reasoning for usage in usages]),
        requests=len(usages),
        exact=True,
        native={"requests": [dict(usage.native) for usage in usages]},
        line=usages[0].line,
        each=tuple(usages),
    )


def tally(meter: Meter, file: str) -> Tally | None:
    """The thread's total as the file tells it last."""
    if meter.said is None:
        return None
    name, figures, line = meter.said
    return Tally(
        name=name,
        scope="thread",
        rule="Told after each response. It may start again at nothing, go on from a parent's, or be overwritten.",
        total=(figures.input_tokens or 0) + (figures.output_tokens or 0),
        file=file,
        line=line,
    )


def _sum(figures: list[int | None]) -> int | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) if known else None
