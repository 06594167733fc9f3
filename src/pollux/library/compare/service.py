"""Compares two sessions: what they share, and what each has for itself."""

from __future__ import annotations

from pollux.errors import RequestError
from pollux.index.catalogue.values import shown_title
from pollux.library.compare.shared import link_between, shared_messages
from pollux.library.compare.stretch import stretch
from pollux.library.compare.values import Comparison, Side, Stretch
from pollux.library.fresh_index import FreshIndex
from pollux.marks.store import MarkStore
from pollux.model import Session, summarize
from pollux.usage.service import UsageService


class CompareService:
    """Compares sessions that were read."""

    def __init__(self, index: FreshIndex, marks: MarkStore, usage: UsageService) -> None:
        self._index = index
        self._marks = marks
        self._usage = usage

    def sessions(self, first: Session, second: Session) -> Comparison:
        """Two sessions side by side, without their sub-agents. Raises `RequestError` where both are the same."""
        if first.key == second.key:
            raise RequestError("A session cannot be compared with itself.", "Name two sessions.")
        pairs = shared_messages(first, second)
        link = link_between(first, second)
        return Comparison(
            first=self._side(first, [place for place, _ in pairs]),
            second=self._side(second, [place for _, place in pairs]),
            shared=self._shared(first, second, pairs) if pairs else None,
            link=link[0] if link is not None else None,
            link_of=link[1] if link is not None else None,
        )

    def _side(self, session: Session, shared: list[int]) -> Side:
        common = set(shared)
        own = [message for place, message in enumerate(session.messages) if place not in common]
        after = max(shared) + 1 if shared else len(session.messages)
        summary = summarize(session)
        known = bool(self._index.find_known(session.key))
        return Side(
            summary=summary,
            title=shown_title(self._marks.state().of(session.key), summary.title),
            short_id=self._index.ask(lambda current: current.short(session.id)) if known else session.id,
            own=stretch(session, own, self._usage.charge_function(session)),
            parted_at=session.messages[after].id if after < len(session.messages) else None,
        )

    def _shared(self, first: Session, second: Session, pairs: list[tuple[int, int]]) -> Stretch:
        """What both have, told of the session that made most of it: a copy is inherited, and counts nowhere."""
        inherited = [
            sum(session.messages[pair[side]].inherited for pair in pairs)
            for side, session in enumerate((first, second))
        ]
        side, origin = (0, first) if inherited[0] <= inherited[1] else (1, second)
        return stretch(origin, [origin.messages[pair[side]] for pair in pairs], self._usage.charge_function(origin))
