"""Clean events, one JSON object a line: what happened, in one vocabulary for every agent.

The eight types and the fields of session-signals, and what they lack: the model's words and thoughts, notices, the ids
of calls, models and tokens.
"""

from __future__ import annotations

from pollux.errors import UnknownName
from pollux.model import Fate, Session
from pollux.writers.base import LOST_FATES, NO_CONTEXT, Fabrication, Options, Out, Report, WriterContext
from pollux.writers.events.compat import SESSION_SIGNALS, WHY, Signals
from pollux.writers.events.stream import Stream
from pollux.writers.json import encode
from pollux.writers.loss import NOTHING, LossCounter

TIMES = Fabrication("times of events", "the format wants one each, and what has none takes that of the event before it")

BREAKS = {ord(each): f"\\u{ord(each):04x}" for each in "\x85\u2028\u2029"}
"""What some readers take for the end of a line, though JSON does not."""


class Events:
    """A line an event, from `session_start` to `session_end`."""

    name = "events"
    suffix = ".events.jsonl"
    purpose = "what happened, one event a line, in one vocabulary for every agent"
    supported_options: tuple[str, ...] = ()
    between = ""

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write all events, as they are made."""
        if options.compat not in (None, SESSION_SIGNALS):
            raise UnknownName("dialect of events", options.compat, [SESSION_SIGNALS])
        tally = LossCounter(WHY)
        signals = Signals(tally) if options.compat is not None else None
        stream = Stream(session, context)

        def put(event: dict[str, object]) -> bool:
            line = event if signals is None else signals.event(event)
            if line is not None:
                out(encode(line).translate(BREAKS) + "\n")
            return line is not None

        put(stream.start())
        for message in session.messages:
            if options.live_only and message.fate is not Fate.LIVE:
                tally.drop(LOST_FATES)
                continue
            put_any = [put(event) for event in stream.message(message)]
            if any(put_any):
                tally.kept += 1
            else:
                tally.drop(NOTHING)
            if signals is not None:
                signals.missing(message)
        put(stream.end())
        if signals is not None:
            signals.session(session)
        report = tally.report()
        report.fabricated = [*([TIMES] if stream.guessed else []), *(signals.fabricated if signals is not None else [])]
        return report


WRITER = Events()
