"""What was used and what it cost: the questions that views ask about tokens and money."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from pollux.index.catalogue.families import Families
from pollux.index.catalogue.origins import RequestOrigin, request_origins
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rollups import micros, prompt_size, quarter
from pollux.index.catalogue.usage_queries import RollUp, UsageQueries
from pollux.index.catalogue.values import Filter
from pollux.model import UNKNOWN, Message, Session, Summary, Usage, values
from pollux.system.config import load
from pollux.usage.audit import SessionAudit, audit_session
from pollux.usage.audit_all import HistoryAudit, audit_all
from pollux.usage.days import day_of, zone
from pollux.usage.prices import PriceList, own_card
from pollux.usage.profile import Charge, Price, Profile, profile
from pollux.usage.rates import Pricer, dollars
from pollux.usage.stats import Grouping, Measure, Stats, stats, with_unread_files
from pollux.usage.sums import Bill, sum_by_label
from pollux.usage.timeline import days_of_prompts, days_of_rows, stacks
from pollux.usage.tools import ToolRow, tools

__all__ = ["Grouping", "Measure", "Stats", "ToolRow", "UsageService"]

T = TypeVar("T")

Ask = Callable[[Callable[[Any], Any]], Any]
"""Asks the catalogue a question."""

Queries = Callable[..., UsageQueries]


class UsageService:
    """What all sessions used and cost. It reads no agent's file, and stores no price with what was used.

    >>> for row in Library().usage.stats(By.PROJECT).rows:
    ...     print(row.name, row.usage.total, row.cost_usd)
    """

    def __init__(
        self,
        ask: Ask,
        *,
        settings: Path,
        prices: Path,
        ask_known: Ask | None = None,
        queries: Queries = UsageQueries,
    ) -> None:
        """`ask_known` asks about sessions that were read already, without waiting for others.

        `queries` makes the queries on usage of what is asked.
        """
        self._queries = queries
        self._ask = ask
        self._ask_known = ask_known or ask
        self._settings = settings
        self._prices = prices

    @cached_property
    def prices(self) -> PriceList:
        """What models cost. Raises `RequestError` where the user's settings are wrong."""
        own = load(self._settings).prices
        return PriceList({name: own_card(price) for name, price in own.items()}, self._prices)

    def _pricer(self, models: Iterable[str]) -> Pricer:
        """A pricer for requests of these models."""
        return Pricer(self.prices.cards(models))

    def stats(  # noqa: PLR0913
        self,
        by: Grouping,
        criteria: Filter | None = None,
        timezone: str | None = None,
        *,
        within: Sequence[Grouping] = (),
        of: Measure | None = None,
        timed: bool = False,
    ) -> Stats:
        """Usage by agent, model, project, session, or by days, weeks and months in a time zone.

        Each row is divided further by what `within` names. `of` is what the rows are sorted by.
        `timed` leaves out what has no time.
        """
        where = zone(timezone)
        day = day_of(where)
        self.prices.load_beside()

        def question(current: CatalogueQueries) -> Stats:
            queries = self._queries(current, criteria or Filter())
            pricer = self._pricer(queries.models())
            rows = (row for row in _rows(queries, pricer) if not timed or day(row.quarter) is not None)
            result = stats(by, queries.sessions, rows, pricer, where, within=within, of=of)
            agents = _agents_in(current.agents_with_unread_files(), criteria)
            return with_unread_files(result, agents) if agents else result

        result: Stats = self._ask(question)
        return result

    def tools(
        self, criteria: Filter | None = None, timezone: str | None = None, *, by: Sequence[Grouping] = (Grouping.TOOL,)
    ) -> tuple[tuple[ToolRow, ...], ToolRow]:
        """The calls of each tool, and of all tools; also by agent, project, session or time."""
        where = zone(timezone)

        def question(current: CatalogueQueries) -> tuple[tuple[ToolRow, ...], ToolRow]:
            queries = self._queries(current, criteria or Filter())
            rows, total = tools(queries.sessions, queries.calls(), by, where)
            return rows, replace(total, open=bool(_agents_in(current.agents_with_unread_files(), criteria)))

        rows: tuple[tuple[ToolRow, ...], ToolRow] = self._ask(question)
        return rows

    def timeline(
        self, of: Measure, criteria: Filter | None = None, timezone: str | None = None
    ) -> dict[date | None, float]:
        """The amount of each day; None is the key for what has no time."""
        where = zone(timezone)
        if of is Measure.COST:
            self.prices.load_beside()

        def question(current: CatalogueQueries) -> dict[date | None, float]:
            queries = self._queries(current, criteria or Filter())
            if of is Measure.PROMPTS:
                return days_of_prompts(queries.prompts(), where)
            pricer = self._pricer(queries.models()) if of is Measure.COST else Pricer({})
            return days_of_rows(of, queries.sessions, _rows(queries, pricer), pricer, where)

        days: dict[date | None, float] = self._ask(question)
        return days

    def stacks(
        self, by: Grouping, of: Measure, stack: Grouping, criteria: Filter | None = None, timezone: str | None = None
    ) -> dict[str | None, dict[str, float]]:
        """Tokens or dollars of each name, by agent or model, for a chart."""
        where = zone(timezone)
        if of is Measure.COST:
            self.prices.load_beside()

        def question(current: CatalogueQueries) -> dict[str | None, dict[str, float]]:
            queries = self._queries(current, criteria or Filter())
            pricer = self._pricer(queries.models()) if of is Measure.COST else Pricer({})
            return stacks(by, of, stack, queries.sessions, _rows(queries, pricer), pricer, where)

        layers: dict[str | None, dict[str, float]] = self._ask(question)
        return layers

    def bills(self, keys: Collection[str]) -> dict[str, Bill]:
        """The cost of each session without its sub-agents, and the number of its requests without a price."""

        def question(current: CatalogueQueries) -> dict[str, Bill]:
            queries = self._queries(current, Filter(), {key.partition(":")[2] for key in keys})
            pricer = self._pricer(queries.models())
            sums = sum_by_label(_rows(queries, pricer), lambda row: queries.sessions[row.session].key, pricer)
            return {key: Bill(dollars(total.cost), total.unpriced_causes.requests) for key, total in sums.items()}

        bills: dict[str, Bill] = self._ask_known(question)
        return {key: bills.get(key, Bill()) for key in keys}

    def cost(self, session: Session) -> float | None:
        """The cost of a session without its sub-agents, wherever it was read from."""
        return self.bill(session).usd

    def bill(self, session: Session) -> Bill:
        """The cost of a session without its sub-agents, and the number of its requests without a price."""
        charge = self.charge_function(session)
        charges = [charge(m) for m in session.messages if m.usage is not None and not m.inherited]
        costs = [cost for cost, _ in charges if cost is not None]
        return Bill(dollars(sum(costs)) if costs else None, sum(unpriced for _, unpriced in charges))

    def _price_function(self, session: Session) -> Price:
        """A function that prices each message of a session; it gives None where no request has a price."""
        charge = self.charge_function(session)
        return lambda message: charge(message)[0]

    def charge_function(self, session: Session) -> Charge:
        """A function that gives the cost of a message, and the number of its requests without a price."""
        pricer = self._pricer({message.model for message in session.messages if message.model is not None})

        def charge(message: Message) -> tuple[int | None, int]:
            usage, model = message.usage, message.model or ""
            if usage is None:
                return None, 0
            period = pricer.period(model, quarter(micros(message.at))) if pricer.is_dated(model) else 0
            if not usage.each:
                cost = pricer.cost(model, usage, period, prompt_size(usage))
                return cost, _requests(usage) if cost is None else 0
            costs = [(request, pricer.cost(model, request, period, prompt_size(request))) for request in usage.each]
            known = [cost for _, cost in costs if cost is not None]
            return sum(known) if known else None, sum(_requests(request) for request, cost in costs if cost is None)

        return charge

    def profile(self, session: Session) -> Profile:
        """Where one session's tokens went."""
        return profile(session, self.charge_function(session))

    def audit(self, session: Session) -> SessionAudit:
        """Every figure of a session with its evidence."""
        own, cost = session.usage.total, self.cost(session)
        family: list[str] = self._ask(lambda current: current.family(session.key))
        members = [*(bill.usd for bill in self.bills(family[1:]).values()), cost]
        inherited = [m.usage.total or 0 for m in session.messages if m.usage is not None and m.inherited]
        family_usage = self.family(session)
        elsewhere: dict[str, RequestOrigin] = self._ask(lambda current: request_origins(current, session))
        known_costs = [cost for cost in members if cost is not None]
        totals = {
            "session": (own, cost),
            "family": _whole(family_usage, known_costs),
            "thread": ((own or 0) + sum(inherited) if own is not None or inherited else None, cost),
        }
        return audit_session(session, self._price_function(session), totals, elsewhere, sum(inherited))

    def audit_all(self, criteria: Filter | None = None, *, priced: bool = True) -> HistoryAudit:
        """The figures of all sessions: how sure they are, what is missing, what the agents say themselves.

        Without `priced`, no prices are loaded, and costs are None.
        """

        def question(current: CatalogueQueries) -> HistoryAudit:
            queries = self._queries(current, criteria or Filter())
            usage = stats(Grouping.AGENT, queries.sessions, queries.rollups(), Pricer({}))
            inherited = queries.inherited()
            entries = current.list_sessions(Filter(everything=True), None)
            costs = self._costs(current) if priced else {}
            children: dict[str, list[Summary]] = {}
            for entry in entries:
                children.setdefault(entry.summary.parent or "", []).append(entry.summary)
            families = Families(children)
            totals = {}
            for entry in entries:
                own, key = entry.summary.usage.total, entry.summary.key
                thread = own if key not in inherited else (own or 0) + inherited[key][1]
                family_costs = [cost for member in families.keys(key) if (cost := costs.get(member)) is not None]
                totals[key] = {
                    "session": (own, costs.get(key)),
                    "family": _whole(entry.family_usage, family_costs),
                    "thread": (thread, costs.get(key)),
                }
            return audit_all(usage, queries.audit_facts(), inherited, totals)

        result: HistoryAudit = self._ask(question)
        return result

    def _costs(self, current: CatalogueQueries) -> dict[str, float | None]:
        """The cost of every session without its sub-agents."""
        queries = self._queries(current, Filter(everything=True))
        pricer = self._pricer(queries.models())
        sums = sum_by_label(_rows(queries, pricer), lambda row: queries.sessions[row.session].key, pricer)
        return {key: dollars(total.cost) for key, total in sums.items()}

    def family(self, session: Session) -> Usage | None:
        """What a session and its descendants used; None while some of them may be unread."""
        usage: Usage | None = self._ask_known(lambda current: current.family_usage(session.key, session.usage))
        return usage


def _whole(family: Usage | None, costs: list[float]) -> tuple[int | None, float | None]:
    """The tokens and the dollars of a family. Nobody knows either while some of it may be unread."""
    return (None, None) if family is None else (family.total, sum(costs) if costs else None)


def _requests(usage: Usage) -> int:
    """The number of requests that the figures stand for; 0 where there are no figures."""
    return 0 if values(usage) == UNKNOWN else usage.requests or 1


def _agents_in(agents: set[str], criteria: Filter | None) -> set[str]:
    """Those of the agents that the filter asks for."""
    return agents if criteria is None or criteria.agent is None else agents & {criteria.agent}


def _rows(queries: UsageQueries, pricer: Pricer) -> Iterable[RollUp]:
    """Roll-ups, or each request where a price depends on a size that roll-ups were not made for."""
    return queries.rollups() if pricer.fits_roll_ups else queries.requests()
