"""The brief of one session: what could be told of it, and what is told within a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pollux.library.brief.accounting import account, pieces_of
from pollux.library.brief.changes import files_changed
from pollux.library.brief.citing import Citations
from pollux.library.brief.commands import commits_made, others_run, tests_run
from pollux.library.brief.course import course
from pollux.library.brief.decisions import decisions
from pollux.library.brief.failures import failures
from pollux.library.brief.fit import fitting_lines, line_cost
from pollux.library.brief.found import Match, with_matches
from pollux.library.brief.layout import head_lines, session_lines
from pollux.library.brief.relations import relations
from pollux.library.brief.slim import SlimSession, slim
from pollux.library.brief.state import state
from pollux.library.brief.telling import Telling
from pollux.library.brief.told_calls import standing_calls
from pollux.library.brief.values import Importance, Item, Line, Section, SessionBrief
from pollux.model import Session, SessionMarks, Summary, Value, summarize
from pollux.transforms.redact import Redactor
from pollux.transforms.texts import rewrite_texts
from pollux.writers.native.tokens import BYTES_A_TOKEN

_ORDER = {section: number for number, section in enumerate(Section)}


class About(Value, frozen=True, kw_only=True):
    """What is known of a session besides itself.

    `name` is what citations call it, `heirs` are the sessions that it was handed over to. `matches` are the messages
    that match a query, of which there are `matching` in all.
    """

    name: str
    marks: SessionMarks = SessionMarks()
    heirs: tuple[str, ...] = ()
    matches: tuple[Match, ...] = ()
    matching: int | None = None


class Material:
    """All that could be told of a session. Its words are redacted before anything is cut."""

    def __init__(self, session: Session, about: About, redactor: Redactor | None = None) -> None:
        self._about = about
        places = {match.place for match in about.matches}
        slimmed = slim(session, places)
        clean = redactor(slimmed.session) if redactor is not None else slimmed.session
        marks, name = about.marks, about.name
        if redactor is not None:
            marks = rewrite_texts(marks, lambda text, *_: redactor.text(text))
            name = redactor.text(name)
        self._citations = Citations(clean, name)
        self.summary: Summary = summarize(clean)
        self._pieces = pieces_of(clean)
        self.items = _items(replace(slimmed, session=clean), replace(about, marks=marks), marks_of=session)
        self._head = head_lines(
            clean, self.summary, cited_as=self._citations.name, name=marks.session.name, matches=about.matching
        )

    def brief(self, tokens: int) -> SessionBrief:
        """The brief within a number of tokens. If not even its head has room, it takes more than that."""
        longest = BYTES_A_TOKEN * max(tokens, 1)
        tellings = [Telling(item, self._citations, longest) for item in self.items]
        brief = self._brief([None] * len(tellings))
        room = tokens - brief.tokens
        while room > 0:  # the account may grow when there are lines: its figures have more digits then
            full = self._brief(fitting_lines(tellings, room))
            if full.tokens <= tokens:
                return full
            room -= full.tokens - tokens
        return brief

    def _brief(self, lines: Sequence[Line | None]) -> SessionBrief:
        brief = SessionBrief(
            name=self._citations.name,
            summary=self.summary,
            lines=tuple(line for line in lines if line is not None),
            account=account(self._pieces, self.items, lines),
            tokens=0,
            matches=self._about.matching,
        )
        return replace(brief, tokens=sum(line_cost(line) for line in self.lines(brief)))

    def lines(self, brief: SessionBrief) -> list[str]:
        """A brief of this session as lines of text."""
        return session_lines(brief, self._head)


def _items(slimmed: SlimSession, about: About, marks_of: Session) -> list[Item]:
    """Everything that could be told, in the order in which it is."""
    session = slimmed.session
    calls = list(standing_calls(session))
    marked = about.marks.by_message(marks_of.messages)  # by the words as they were
    spine = [*state(session, calls), *course(session)]
    items = [
        *with_matches(session, spine, about.matches),
        *_session_note(about),
        *decisions(session, calls, marked),
        *failures(calls),
        *files_changed(slimmed, calls),
        *tests_run(calls),
        *commits_made(calls),
        *relations(session, calls, about.heirs),
    ]
    told = {unit for item in items for unit in item.covers}
    items += others_run(calls, told)
    return sorted(items, key=lambda item: (_ORDER[item.section], *_position(item)))


def _position(item: Item) -> tuple[int, ...]:
    """Where an item stands in its section: by its message, except that a state begins with what was said last."""
    place = item.places[0] if item.places else -1
    if item.section is Section.STATE:
        return (item.importance, 0 if item.what == "last reply" else 1, place)
    return (place,) if item.section is not Section.FOUND else ()


def _session_note(about: About) -> list[Item]:
    note = about.marks.session.note
    if not note:
        return []
    return [Item(section=Section.DECIDED, what="noted by the user", text=note, importance=Importance.STATE, places=())]
