"""Every figure of a session with its evidence: where it stands, what the vendor wrote, which rule was applied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from pollux.index.catalogue.origins import RequestOrigin
from pollux.index.catalogue.rollups import UNTIMED, micros, quarter
from pollux.index.catalogue.values import Filter
from pollux.model import Extra, Gap, Message, Session, Tally, Usage, Value
from pollux.usage.profile import Price
from pollux.usage.rates import dollars


class Item(Value, frozen=True, kw_only=True):
    """One request, or those of a message that were only recorded together. `rule` says why one is not `counted`."""

    message: str
    at: datetime | None
    model: str | None
    file: str | None
    line: int | None
    item: int | None
    row: str | None
    usage: Usage
    native: Extra
    counted: bool
    rule: str
    cost_usd: float | None


class Comparison(Value, frozen=True, kw_only=True):
    """An agent's own total beside ours, and what the difference comes from."""

    key: str
    tally: Tally
    ours: int | None
    cost_usd: float | None
    why: str

    @property
    def difference(self) -> int | None:
        """How many more tokens the agent counts; None where we have no figures."""
        return None if self.ours is None else self.tally.total - self.ours


class SessionAudit(Value, frozen=True, kw_only=True):
    """All that speaks for and against a session's figures."""

    items: tuple[Item, ...]
    gaps: tuple[Gap, ...]
    verdicts: tuple[Comparison, ...]


def audit_session(
    session: Session,
    price: Price,
    totals: Mapping[str, tuple[int | None, float | None]],
    elsewhere: Mapping[str, RequestOrigin],
    inherited: int,
) -> SessionAudit:
    """Collect every figure with its evidence.

    `totals` has tokens and dollars of the `session`, its `family` and its `thread`; `elsewhere` the sessions that made
    inherited requests, by the message; `inherited` is how many tokens those have.
    """
    items = tuple(item for message in session.messages for item in _items(message, price, elsewhere))
    verdicts = tuple(
        compare(session.key, tally, *totals[tally.scope], session.gaps, inherited) for tally in session.tallies
    )
    return SessionAudit(items=items, gaps=session.gaps, verdicts=verdicts)


def narrowed(items: Iterable[Item], criteria: Filter, model: str | None) -> tuple[Item, ...]:
    """The figures of requests to this model, made in the time that the filter names: those that `stats` adds up."""
    first, last = (None if one is None else quarter(micros(one)) for one in (criteria.since, criteria.until))
    return tuple(
        item
        for item in items
        if (model is None or item.model == model) and _is_within(quarter(micros(item.at)), first, last)
    )


def _is_within(when: int, first: int | None, last: int | None) -> bool:
    if first is None and last is None:
        return True
    return when != UNTIMED and (first is None or when >= first) and (last is None or when <= last)


def _items(message: Message, price: Price, elsewhere: Mapping[str, RequestOrigin]) -> Iterator[Item]:
    """The figures of a message, and those that it replaced."""
    usage = message.usage
    if usage is not None:
        requests = usage.each or (usage,)
        cost = price(message) if not message.inherited else None
        for number, one in enumerate(requests):
            # A message's requests are priced one by one; the first shows what they cost together.
            yield _item(message, one, _rule(message, len(requests), elsewhere), cost if number == 0 else None)
    for replaced, why in _replaced_figures(message):
        yield _item(message, replaced, why, None, is_counted=False)


def _item(message: Message, usage: Usage, rule: str, cost: int | None, *, is_counted: bool = True) -> Item:
    origin = message.origin
    return Item(
        message=message.id,
        at=message.at,
        model=message.model,
        file=usage.file or (origin.file if origin is not None else None),
        line=usage.line or (origin.line if origin is not None else None),
        item=origin.item if origin is not None else None,
        row=usage.row or (origin.row if origin is not None else None),
        usage=usage,
        native=usage.native,
        counted=is_counted and not message.inherited,
        rule=rule,
        cost_usd=dollars(cost),
    )


def _rule(message: Message, requests: int, elsewhere: Mapping[str, RequestOrigin]) -> str:
    if message.inherited:
        return _inherited_rule(elsewhere.get(message.id))
    other_lines = _lines(message)
    if message.usage is not None and message.usage.known is None:
        words = ["a request without figures"]
    else:
        words = [f"counted once (again on {_line_list(other_lines)})" if other_lines else "counted"]
    if message.usage is not None and message.usage.exact is False and message.usage.total is not None:
        words.append("at least: the reply has no end")
    if message.usage is not None and message.usage.file is not None and message.usage.line is not None:
        words.append("only this copy of the reply has its end")
    if requests > 1:
        words.append(f"one of {requests} requests")
    if message.fate != "live":
        words.append(f"{message.fate} later")
    return "; ".join(words)


def _inherited_rule(origin: RequestOrigin | None) -> str:
    if origin is None:
        return "inherited from another session: not counted here"
    note = "counted there" if origin.exists else "that session is not here, so nobody counts it"
    return f"inherited from {origin.key}: {note}"


def _lines(message: Message) -> list[int]:
    """Where a message was written again with the same figures."""
    again = [*message.extra.get("lines", ()), *message.extra.get("copies", ())]
    plain = [record for record in again if isinstance(record, dict) and "usage" not in record]
    return [line for record in plain if type(line := record.get("line")) is int]


def _line_list(lines: list[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"


def _replaced_figures(message: Message) -> Iterator[tuple[Usage, str]]:
    """Figures that stand in the file and do not count, because better ones of the same request do."""
    for line in message.extra.get("lines", ()):
        if isinstance(line, dict) and isinstance(line.get("usage"), dict):
            usage = Usage(native=line["usage"], line=line.get("usage_line"), file=line.get("usage_file"))
            yield usage, "replaced by the line of the same reply with the most output"
    for old in message.extra.get("replaced", ()):
        earlier = old.get("message") if isinstance(old, dict) else None
        if isinstance(earlier, dict) and isinstance(figures := earlier.get("usage"), dict):
            origin = earlier.get("origin") or {}
            usage = Usage(native=figures.get("native") or figures, line=origin.get("line"))
            yield usage, "replaced by a later writing of the same message"


def compare(  # noqa: PLR0913, PLR0917
    key: str, tally: Tally, ours: int | None, cost: float | None, gaps: tuple[Gap, ...], inherited: int
) -> Comparison:
    """Compare an agent's own total with ours, and say what a difference comes from."""
    return Comparison(key=key, tally=tally, ours=ours, cost_usd=cost, why=_why(tally, ours, gaps, inherited))


def _why(tally: Tally, ours: int | None, gaps: tuple[Gap, ...], inherited: int) -> str:
    if ours == tally.total:
        return "They agree."
    if inherited and tally.scope != "thread" and tally.total - (ours or 0) == inherited:
        return "The agent also counts what this session inherited. We count that in the session that used it."
    missing = next((gap.why for gap in gaps if gap.certain), None)
    if ours is None or tally.total > ours:
        return f"The agent counts what its files do not hold. {missing or tally.rule}"
    return f"The agent's own total is too low. {tally.rule}"
