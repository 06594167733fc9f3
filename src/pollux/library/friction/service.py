"""Where the work did not go smoothly: in one session, or in all of a selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from pollux.index.catalogue.chosen_sessions import ChosenSession
from pollux.index.catalogue.friction.find import frictions
from pollux.index.catalogue.friction.queries import FrictionRow, friction_page
from pollux.index.catalogue.friction.values import Friction, FrictionKind, Undoing
from pollux.index.catalogue.rollups import moment_of
from pollux.index.catalogue.values import Filter, shown_title
from pollux.library.fresh_index import FreshIndex
from pollux.library.friction.values import FrictionCase, FrictionReport
from pollux.marks.store import MarkStore
from pollux.model import Fate, Kind, Session, Status, ToolCall, summarize

LIMIT = 50
"""How many cases there are, if nobody says otherwise."""


class FrictionService:
    """Tells of failures, repeated calls, undone edits, interruptions and compactions."""

    def __init__(self, index: FreshIndex, marks: MarkStore) -> None:
        self._index = index
        self._marks = marks

    def newest(
        self,
        criteria: Filter | None = None,
        kinds: Collection[FrictionKind] = tuple(FrictionKind),
        limit: int | None = LIMIT,
    ) -> FrictionReport:
        """The newest cases of these kinds in a selection of sessions, and how many there are of every kind.

        The times of the filter are those of the cases. No file is read.
        """
        selection = criteria or Filter(everything=True)
        page = self._index.ask(lambda current: friction_page(current, selection, kinds, limit), details=True)
        is_known = page.sessions_known > 0
        return FrictionReport(
            cases=tuple(_case(page.sessions[row.session], _friction(row)) for row in page.rows),
            counts={kind: page.counts.get(kind, 0) if is_known else None for kind in FrictionKind},
            sessions=page.sessions_known,
            sessions_unknown=page.sessions_unknown,
            calls=page.calls if is_known else None,
            calls_without_result=page.unfinished if is_known else None,
            more=page.more,
        )

    def of(self, session: Session, kinds: Collection[FrictionKind] = tuple(FrictionKind)) -> FrictionReport:
        """All cases of these kinds in one session, in its order, without what it inherited."""
        found = [case for case in frictions(session) if not case.inherited]
        own = [message for message in session.messages if not message.inherited]
        calls = [part.status for message in own for part in message.parts if type(part) is ToolCall]
        is_known = session.kind is not Kind.PROMPTS
        chosen = self._chosen(session)
        return FrictionReport(
            cases=tuple(_case(chosen, case) for case in found if case.kind in kinds),
            counts=_counts(session, Counter(case.kind for case in found)),
            sessions=int(is_known),
            sessions_unknown=int(not is_known),
            calls=len(calls) if is_known else None,
            calls_without_result=calls.count(Status.UNFINISHED) if is_known else None,
        )

    def _chosen(self, session: Session) -> ChosenSession:
        summary = summarize(session)
        known = bool(self._index.find_known(session.key))
        return ChosenSession(
            summary=summary,
            title=shown_title(self._marks.state().of(session.key), summary.title),
            short=self._index.ask(lambda current: current.short(session.id)) if known else session.id,
            message_ids=[message.id for message in session.messages],
        )


def _counts(session: Session, found: Mapping[FrictionKind, int]) -> dict[FrictionKind, int | None]:
    """How many cases of each kind a session has. A checkpoint has no words of the client, so it lacks some kinds."""
    counts: dict[FrictionKind, int | None] = {kind: found.get(kind, 0) for kind in FrictionKind}
    if session.kind is Kind.PROMPTS:
        return dict.fromkeys(counts)
    if session.kind is Kind.CHECKPOINT:
        counts |= dict.fromkeys((FrictionKind.INTERRUPTED, FrictionKind.COMPACTED))
    return counts


def _friction(row: FrictionRow) -> Friction:
    return Friction(
        kind=FrictionKind(row.kind),
        place=row.place,
        message_id=row.message,
        at=moment_of(row.at),
        moment=None,
        fate=Fate(row.fate),
        inherited=False,
        what=row.what,
        status=Status(row.status) if row.status is not None else None,
        exit_code=row.exit_code,
        earlier=row.earlier,
        edits_between=row.edits_between,
        undoing=Undoing(row.undoing) if row.undoing is not None else None,
    )


def _case(session: ChosenSession, case: Friction) -> FrictionCase:
    summary = session.summary
    return FrictionCase(
        kind=case.kind,
        key=summary.key,
        short_id=session.short,
        agent=summary.agent,
        session_kind=summary.kind,
        title=session.title,
        project=summary.project,
        message_id=case.message_id,
        short_message_id=session.short_message_id(case.message_id),
        place=case.place,
        at=case.at,
        fate=case.fate,
        what=case.what,
        status=case.status,
        exit_code=case.exit_code,
        earlier_message_id=session.message_ids[case.earlier] if case.earlier is not None else None,
        edits_between=case.edits_between,
        undoing=case.undoing,
    )
