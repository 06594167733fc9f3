"""The usage of one session for people: turn by turn, with the growth of prompts, and slow and failed calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pollux.draw.bars import bucket_sums, sparkline
from pollux.draw.table import Chart, Column, table
from pollux.draw.transcript.head import head
from pollux.draw.width import cut, wrap
from pollux.text.escape import one_line
from pollux.text.figures import NONE, duration, money, number, plural, share
from pollux.usage.labels import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.cli.terminal.screen import Screen
    from pollux.model import Session, Usage
    from pollux.usage.profile import NotableCall, Profile
    from pollux.usage.sums import Bill

CHART, MANY = 24, 60


class ProfileFacts(NamedTuple):
    """Facts about a session that its own messages do not hold. `family` is None while some of it may be unread."""

    home: str
    family: Usage | None
    bill: Bill
    family_bill: Bill


def profile_lines(screen: Screen, session: Session, profile: Profile, context: ProfileFacts) -> Iterator[str]:
    """Facts first, then the turns, then what the prompts were made of, then the tools."""
    yield from head(screen, session, context.home)
    yield ""
    yield from _facts(screen, session, context)
    yield from _turns(screen, profile)
    yield from _growth(screen, profile)
    yield from _sources_of_text(screen, profile)
    yield from _calls(screen, "Longest tool calls", profile.slowest)
    yield from _calls(screen, "What failed", profile.failed)


def _facts(screen: Screen, session: Session, context: ProfileFacts) -> Iterator[str]:
    usage, family = session.usage, context.family
    name, figure, more = Column(""), Column("", right=True), Column("", flexible=True, least=20)
    rows = [
        (
            "tokens",
            tokens(usage),
            plural(usage.requests, "request") if usage.requests is not None else "",
        ),
        ("input", number(usage.input), f"{share(usage.cached, usage.input)} of it read from a cache"),
        ("output", number(usage.output), f"{number(usage.reasoning)} of it reasoning"),
        ("cost", _cost(context.bill, too_low=usage.exact is False), _cost_note(context.bill)),
    ]
    if family is not None and family.known != usage.known:
        family_cost = _cost(context.family_bill, too_low=family.exact is False)
        rows.append(("family", tokens(family), f"{family_cost}, with its sub-agents"))
    for label, value, words in rows:
        name.add(label, "dim")
        figure.add(value, "bold")
        more.add(words, "dim")
    yield from table(screen, [name, figure, more])


def _cost(bill: Bill, *, too_low: bool) -> str:
    return money(bill.usd, at_least=too_low or bill.unpriced > 0)


def _cost_note(bill: Bill) -> str:
    """What the cost is based on, and what is missing in it."""
    basis = "at the vendor's API prices"
    return f"{basis}, without {plural(bill.unpriced, 'request')} of unknown cost" if bill.unpriced else basis


def _turns(screen: Screen, profile: Profile) -> Iterator[str]:
    if not profile.turns:
        return
    yield ""
    yield screen.paint("Turn by turn", "bold")
    place, prompt = Column("", right=True), Column("prompt", flexible=True, least=16)
    total, context = Column("tokens", right=True), Column("context", right=True, sacrifice=2)
    hit = Column("cached", right=True, sacrifice=3)
    calls, cost = Column("tools", right=True, sacrifice=4), Column("cost", right=True)
    chart = Chart("by tokens", most=CHART, least=8, sacrifice=5)
    for count, turn in enumerate(profile.turns, start=1):
        place.add(str(count), "dim")
        prompt.add(one_line(turn.prompt[:500]) if turn.prompt else "before the first prompt", None)
        total.add(tokens(turn.usage))
        context.add(number(turn.context))
        hit.add(share(turn.usage.cached, turn.usage.input), "dim")
        calls.add(f"{turn.calls}{f' ({turn.failed}✗)' if turn.failed else ''}" if turn.calls else "", "dim")
        cost.add(money(turn.cost_usd, at_least=turn.unpriced_requests > 0 or turn.usage.exact is False))
        chart.bar(turn.usage.known or 0)
    yield from table(screen, [place, prompt, calls, context, hit, total, cost, chart], indent="  ")


def _growth(screen: Screen, profile: Profile) -> Iterator[str]:
    """How large the prompts were, one after the other."""
    sizes = [size for turn in profile.turns for size in turn.requests]
    if len(sizes) < 2:
        return
    yield ""
    yield screen.paint("Context, request by request", "bold")
    mean = [
        heap / count for heap, count in zip(bucket_sums(sizes, MANY), bucket_sums([1] * len(sizes), MANY), strict=True)
    ]
    line, text = (
        sparkline(mean),
        f"{number(sizes[0])} at first, {number(max(sizes))} at most, {number(sizes[-1])} at last",
    )
    fits = screen.columns is None or len(line) + len(text) + 4 <= screen.columns
    yield f"  {screen.paint(line, 'id')}" + (f"  {text}" if fits else "")
    for words in wrap(text, (screen.columns or 80) - 2) if not fits else ():
        yield f"  {words}"


def _sources_of_text(screen: Screen, profile: Profile) -> Iterator[str]:
    """What entered the conversation, in characters: no agent records the tokens of a part."""
    counts = profile.sent
    if not counts.total:
        return
    yield ""
    yield screen.paint("What went in, by characters", "bold")
    kinds = (
        ("typed", counts.typed),
        ("files pasted with @", counts.files),
        ("injected by the client", counts.injected),
        ("summaries", counts.summaries),
        ("results of tools", counts.tools),
    )
    name, amount = Column(""), Column("", right=True)
    part, chart = Column("", right=True), Chart("", most=CHART, least=8, sacrifice=1)
    for label, count in kinds:
        if count:
            name.add(label)
            amount.add(number(count))
            part.add(share(count, counts.total), "dim")
            chart.bar(count)
    yield from table(screen, [name, amount, part, chart], indent="  ")


def _calls(screen: Screen, title: str, calls: tuple[NotableCall, ...]) -> Iterator[str]:
    if not calls:
        return
    yield ""
    yield screen.paint(title, "bold")
    seconds, name, details = Column("", right=True), Column(""), Column("", flexible=True, least=20)
    for call in calls:
        seconds.add(duration(call.seconds) if call.seconds is not None else NONE, "dim")
        name.add(one_line(call.name), "bad" if call.status == "error" else None)
        text = one_line(call.what[:300])
        why = one_line(call.output[-300:]) if call.status == "error" and call.output else ""
        details.add(cut(text, 200) + (f"  → {why}" if why else ""))
    yield from table(screen, [seconds, name, details], indent="  ")
