"""The tokens of a session, from figures that are repeated, restarted, estimated and overwritten.

An event has the thread's total, which grows with each response. But the event is repeated, its total starts again at
nothing after some resumes, and it is overwritten when the context overflows. Its figures of the last response may be an
estimate. Only both figures together can be added up. From 0.153 on each response has its own record, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from pollux.model import NOTHING, Tally, Usage, combine_exact
from pollux.sources.codex.format.schema import MOST_TOKENS, ResponseTokens, TokenInfo, TokenTotals, UsageRecord
from pollux.wire import tidy

_Parts = tuple[int | None, ...]
_CACHE_WRITE = "cache_write_input_tokens"
_UNKNOWN: _Parts = (None, None, None, None, None)
_recorded: Callable[[ResponseTokens | TokenTotals], _Parts] = attrgetter(
    "input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens", _CACHE_WRITE
)
_figures: Callable[[Usage], _Parts] = attrgetter("input", "cached", "output", "reasoning", "cache_write")


class Meter:
    """Reads the figures of one file in order, and returns the tokens that each of them adds.

    `origin` gives the total of the session that a file goes on from, which its first event may only repeat. A figure
    that is not there, or is none, is unknown: what the total and the last response's figures both do not tell stays so.
    `alone` has what the last response says of itself, by line, where the total has grown by something else. `restarts`
    are the lines with which the total starts at nothing. `carried` is the line of the first figures if their total is
    more than they tell, and nobody knows what was before.

    A file may contain two branches of a session. Then a total continues one of the earlier totals, not the last one.
    """

    def __init__(self) -> None:
        self.origin: Callable[[], TokenTotals | None] | None = None
        self._total: _Parts | None = None
        self._step = _UNKNOWN
        self._totals: dict[_Parts, _Parts] = {}
        self._new_totals: list[tuple[_Parts, _Parts, _Parts]] = []
        self._counted: set[str] = set()
        self._recorded = False
        self._owed: int | None = None
        self._lost: list[int] = []
        self.latest: tuple[str, TokenTotals, int] | None = None
        self.alone: dict[int, Usage] = {}
        self.restarts: set[int] = set()
        self.carried: int | None = None

    @property
    def unreadable(self) -> list[int]:
        """The lines whose figures cannot be read."""
        return [*self._lost, *([self._owed] if self._owed is not None else [])]

    def lose(self, line: int) -> None:
        """Note a line whose figures cannot be read."""
        self._lost.append(line)

    def count(self, info: TokenInfo, line: int) -> Usage | None:
        """The tokens that a `token_count` adds; None if it adds nothing."""
        so_far, last = info.total_token_usage, info.last_token_usage
        if so_far is not None:
            self.latest = ("total_token_usage", so_far, line)
        total, step = _parts(so_far), _parts(last)
        is_restart = total == step
        if is_restart and step == _UNKNOWN:
            if info.extra:
                self.lose(line)
            return None
        before = self._total or self._begin(total, step)
        if is_restart:
            self.restarts.add(line)
        elif before == _UNKNOWN and _UNKNOWN not in (total, step):
            self.carried = line
        grown, last_step = _grown(total, before), step
        # Nearly always the total has grown by what the last response says: then it is a total, and not repeated.
        usual = grown == step and any(step)
        again, self._step = not usual and step == self._step, step
        if not usual:
            if _alike(total, before) or (total == _UNKNOWN and again):
                return None
            if total != step and self._known_totals().get(total) == step:
                # The file has this total already, and continues it once more.
                self._total = total
                return None
        if usual or grown == step or (any(step) and _grown(total, step) in self._known_totals()):
            self._total = total
        else:
            step = _step(total, grown, step, first=before == _UNKNOWN)
            sums = map(_plus, before, step)
            self._total = tuple(map(_either, total, sums))
        self._new_totals.append((before, self._total, last_step))
        recorded, self._recorded, self._owed = self._recorded, False, None
        if recorded or not (usual or any(step)):
            return None
        odd = _is_odd(step, before, so_far, last)
        exact = False if odd else None if not usual and _is_wild(total, grown) else True
        native = {"last_token_usage": _native(last or so_far)}
        if step != last_step != _UNKNOWN:
            self.alone[line] = _usage(last_step, native, line, exact=None)
        return _usage(step, native, line, exact=exact)

    def _known_totals(self) -> dict[_Parts, _Parts]:
        """The totals so far, each with the last response's figures. Few files need them."""
        for before, total, step in self._new_totals:
            self._totals.setdefault(before, _UNKNOWN)
            self._totals[total] = step
        self._new_totals.clear()
        return self._totals

    def _begin(self, total: _Parts, step: _Parts) -> _Parts:
        """The total before the first event."""
        return _parts(self.origin()) if self.origin is not None and not _alike(total, step) else _UNKNOWN

    def record(self, record: UsageRecord, line: int) -> Usage | None:
        """The tokens that a response's own record adds; None if it was counted already."""
        step = _parts(record.usage)
        if self._owed is not None:
            self.lose(self._owed)
        # If it has no figures, the next `token_count` may have them.
        self._owed = line if step == _UNKNOWN else None
        self._recorded = self._recorded or step != _UNKNOWN
        if record.thread_token_usage is not None:
            self.latest = ("thread_token_usage", record.thread_token_usage, line)
        if record.response_id is not None:
            if record.response_id in self._counted:
                return None
            self._counted.add(record.response_id)
        if step == _UNKNOWN:
            return None
        return _usage(step, native(record), line, exact=not _is_odd(step, _UNKNOWN, record.usage))


def native(record: UsageRecord) -> dict[str, Any]:
    """A response's own record as it was."""
    for figures in (record, record.usage, record.turn_token_usage, record.thread_token_usage):
        if figures is not None and figures.extra is not NOTHING:
            return tidy(record)  # type: ignore[no-any-return]
    return msgspec.to_builtins(record)  # type: ignore[no-any-return]


def _native(figures: ResponseTokens | TokenTotals | None) -> dict[str, Any]:
    """The figures as they were."""
    if figures is None:
        return {}
    native: dict[str, Any] = {
        "input_tokens": figures.input_tokens,
        "cached_input_tokens": figures.cached_input_tokens,
        "output_tokens": figures.output_tokens,
        "reasoning_output_tokens": figures.reasoning_output_tokens,
        "total_tokens": figures.total_tokens,
    }
    if figures.cache_write_input_tokens is not None:
        native["cache_write_input_tokens"] = figures.cache_write_input_tokens
    return native


def _parts(figures: ResponseTokens | TokenTotals | None) -> _Parts:
    return _UNKNOWN if figures is None else _recorded(figures)


def _grown(total: _Parts, before: _Parts) -> _Parts:
    """By how much the total has grown, as far as both are known."""
    # Without a loop, because this happens for every response.
    input_, cached, output, reasoning, cache_write = total
    old_input, old_cached, old_output, old_reasoning, old_cache_write = before
    return (
        None if input_ is None or old_input is None else input_ - old_input,
        None if cached is None or old_cached is None else cached - old_cached,
        None if output is None or old_output is None else output - old_output,
        None if reasoning is None or old_reasoning is None else reasoning - old_reasoning,
        None if cache_write is None or old_cache_write is None else cache_write - old_cache_write,
    )


def _step(total: _Parts, grown: _Parts, last: _Parts, *, first: bool) -> _Parts:
    """The tokens of the last response: its own figures, unless the total has grown by something else."""
    if first or any(more is not None and not 0 <= more <= MOST_TOKENS for more in grown):
        # There was no total yet, or it started again, or it is no total.
        return last if last != _UNKNOWN else total
    if _alike(total, last) or _alike(grown, last):
        return tuple(map(_either, last, grown))
    return tuple(map(_either, grown, last))


def _is_wild(total: _Parts, grown: _Parts) -> bool:
    """Is the total unusable, so that it does not show whether the event is repeated?"""
    return total == _UNKNOWN or max(filter(None, grown), default=0) > MOST_TOKENS


def _is_odd(step: _Parts, before: _Parts, *sources: ResponseTokens | TokenTotals | None) -> bool:
    """Is a figure missing? The tokens written into a cache are recorded since 0.145."""
    input_, cached, output, reasoning, cache_write = step
    # Not `None in step`, which compares numbers with None.
    if input_ is None or cached is None or output is None or reasoning is None:
        return True
    if cache_write is not None:
        return False
    if before[4] is not None:
        return True
    for figures in sources:
        if figures is not None and figures.extra is not NOTHING and _CACHE_WRITE in figures.extra:
            return True
    return False


def _alike(one: _Parts, other: _Parts) -> bool:
    """Are the figures that both know equal, and is there at least one?"""
    is_known = False
    for mine, theirs in zip(one, other, strict=True):
        if mine is not None and theirs is not None:
            if mine != theirs:
                return False
            is_known = True
    return is_known


def _either(one: int | None, other: int | None) -> int | None:
    return one if one is not None else other


def _plus(one: int | None, other: int | None) -> int | None:
    return one + other if one is not None and other is not None else None


def _usage(parts: _Parts, native: dict[str, Any], line: int, *, exact: bool | None) -> Usage:
    """The figures in the shared meaning."""
    return Usage(
        input=parts[0],
        cached=parts[1],
        cache_write=parts[4],
        output=parts[2],
        reasoning=parts[3],
        requests=1,
        exact=exact,
        native=native,
        line=line,
    )


def together(usages: list[Usage]) -> Usage:
    """The figures of several requests as one."""
    input_, cached, output, reasoning, cache_write = map(_sum, zip(*map(_figures, usages), strict=True))
    return Usage(
        input=input_,
        cached=cached,
        cache_write=cache_write,
        output=output,
        reasoning=reasoning,
        requests=len(usages),
        exact=combine_exact(usage.exact for usage in usages),
        native={"requests": [dict(usage.native) for usage in usages]},
        line=usages[0].line,
        each=tuple(usages),
    )


def tally(meter: Meter, file: str) -> Tally | None:
    """The last total of the thread in the file; None if it cannot be read."""
    if meter.latest is None:
        return None
    name, figures, line = meter.latest
    if figures.input_tokens is None or figures.output_tokens is None:
        return None
    return Tally(
        name=name,
        scope="thread",
        rule="Told after each response. It may start again at nothing, go on from a parent's, or be overwritten.",
        total=figures.input_tokens + figures.output_tokens,
        file=file,
        line=line,
    )


def _sum(figures: _Parts) -> int | None:
    numbers = [figure for figure in figures if figure is not None]
    return sum(numbers) if numbers else None
