"""An agent's own file as a format of `pollux export`: always the same bytes for the same session."""

from __future__ import annotations

from datetime import UTC, datetime

from pollux.model import Session
from pollux.writers.base import NO_CONTEXT, Knowledge, Options, Out, Report, WriterContext
from pollux.writers.native.account import Account
from pollux.writers.native.conversation import Conversation, NativeFormat, id_for
from pollux.writers.native.draft import NothingLive, draft
from pollux.writers.native.ids import made_id
from pollux.writers.native.options import DraftOptions
from pollux.writers.native.report import report
from pollux.writers.native.times import in_utc

NOWHERE = "/"
"""The folder of a session whose project nobody knows: agents insist on one."""


class NativeWriter:
    """Writes a session as a file that its agent goes on with."""

    supported_options = ("thinking",)

    def __init__(self, target: NativeFormat, title: str, *, suffix: str | None = None) -> None:
        self.name = target.agent
        self.suffix = suffix or f".{target.agent}.jsonl"
        self.purpose = f"a session that {title} goes on with"
        self._target = target

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write what is live, record by record. The hand-over has the time at which the session ended."""
        try:
            conversation, account = self._draft(session, options, context)
        except NothingLive as error:
            out("")
            return report(session, error.account)
        for line in self._target.lines(conversation):
            out(line)
        return report(session, account)

    def check(self, session: Session, options: Options) -> None:
        """Raise `NothingLive` where the session has nothing that an agent could go on with."""
        self._draft(session, options, NO_CONTEXT)

    def _draft(self, session: Session, options: Options, context: WriterContext) -> tuple[Conversation, Account]:
        at = _end(session)
        return draft(
            session,
            DraftOptions(thinking=options.thinking),
            self._target,
            id=id_for(self._target, made_id(f"{session.key} {self.name}"), at),
            folder=session.project or NOWHERE,
            at=at,
            agent_title=_title(context.knowledge(session.agent), session.agent),
        )


def _end(session: Session) -> datetime:
    """The last time that a session names."""
    times = (in_utc(time) for time in (session.started, session.ended, *(one.at for one in session.messages)))
    return max((time for time in times if time is not None), default=datetime(1970, 1, 1, tzinfo=UTC))


def _title(known: Knowledge | None, name: str) -> str:
    """The name of an agent for people."""
    title = getattr(known, "title", None)
    return title if isinstance(title, str) else name
