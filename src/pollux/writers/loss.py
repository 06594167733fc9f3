"""Counts what a transcript leaves out: every kind of thing has a name and a reason."""

from __future__ import annotations

from collections.abc import Mapping

from pollux.model import Message, Part, Session, Thinking, ToolCall, ToolResult, summarize
from pollux.text.escape import one_line
from pollux.writers.base import LOST_FATES, WHY_LOST, Fabrication, Loss, Report
from pollux.writers.facts import title

# Messages that are not in the transcript. With those that were kept they make up the session.
CLIENT_MESSAGES = "client messages"
REMARKS = "info and warning messages"
COMMANDS = "typed commands"
NOTHING = "messages with nothing to show"
MESSAGES = (LOST_FATES, CLIENT_MESSAGES, REMARKS, COMMANDS, NOTHING)

# What is missing from the other messages.
THINKING = "thinking"
CALLS = "tool calls"
INPUTS = "tool inputs"
OUTPUTS = "tool outputs"
FIGURES = "token figures"
BYTES = "attachment data"
FILE_TEXTS = "texts of referenced files"
CLIENT_TEXTS = "client texts"
ODDITIES = "parts of unknown kind"
DETAILS = "other recorded details"
NOTICES = "reader's notices"
LINKED = "links to other sessions"
ORIGINS = "ids, times of calls, places in files"
TEXTS = "texts of messages"
FACTS = "facts: title, project, times, models"
OUTCOMES = "how tool calls ended"
EDITS = "edits of files"

WHY = {
    LOST_FATES: WHY_LOST,
    CLIENT_MESSAGES: "the client made them: context, tool results, acknowledgements",
    REMARKS: "not asked for",
    COMMANDS: "not asked for",
    NOTHING: "empty, or all that is in them was left out",
    THINKING: "not asked for",
    CALLS: "not asked for",
    INPUTS: "shortened to their key arguments",
    OUTPUTS: "shortened to an excerpt",
    FIGURES: "not asked for",
    BYTES: "a transcript names attachments and does not hold them",
    FILE_TEXTS: "the files are only named",
    CLIENT_TEXTS: "the client added them to the words of others",
    ODDITIES: "only mentioned",
    DETAILS: "a transcript holds what was said and done",
    NOTICES: "a transcript holds what was said and done",
    LINKED: "how they are known is left out",
    ORIGINS: "a transcript holds what was said and done",
    TEXTS: "not asked for",
    FACTS: "the format has no place for them",
    OUTCOMES: "the format has no place for it",
    EDITS: "it is not known which lines they changed",
}


class LossCounter:
    """Counts what was kept and what was left out. `why` gives reasons of a format's own."""

    def __init__(self, why: Mapping[str, str] = WHY) -> None:
        self.kept = 0
        self._why = {**WHY, **why}
        self._counts: dict[str, int] = {}
        self._fabricated: dict[Fabrication, None] = {}

    def drop(self, what: str, count: int = 1) -> None:
        """Count something that the transcript does not hold."""
        self._counts[what] = self._counts.get(what, 0) + count

    def fabricate(self, what: str, why: str) -> None:
        """Note something that the format demands and the session does not have."""
        self._fabricated[Fabrication(what, why)] = None

    def message(self, message: Message) -> None:
        """Count what no transcript shows of a message: where it stands, and what else was recorded."""
        self.drop(ORIGINS)
        native = message.usage is not None and bool(message.usage.native or message.usage.each)
        self.drop(DETAILS, bool(message.extra) + native)

    def part(self, part: Part) -> None:
        """Count what no transcript shows of a part."""
        self.drop(DETAILS, bool(getattr(part, "extra", None)))
        self.drop(ORIGINS, isinstance(part, ToolCall | ToolResult) or (type(part) is Thinking and part.at is not None))

    def session(self, session: Session) -> None:
        """Count what no transcript shows of a session."""
        self.drop(NOTICES, sum(notice.count for notice in session.notices))
        self.drop(LINKED, len(session.links))
        self.drop(ORIGINS, len(session.files) + (session.project_hash is not None))
        cut = session.title is not None and one_line(session.title) != title(summarize(session))
        others = len(session.tallies) + len(session.gaps) + (session.project_evidence is not None)
        self.drop(DETAILS, bool(session.extra) + cut + others)

    def report(self) -> Report:
        """The report, in the order of the reasons above."""
        dropped = [Loss(what, self._counts[what], why) for what, why in self._why.items() if self._counts.get(what)]
        return Report(kept=self.kept, dropped=dropped, fabricated=list(self._fabricated))
