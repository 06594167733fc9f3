"""The account of a hand-over as the report that every format gives."""

from __future__ import annotations

from pollux.model import Session
from pollux.writers.base import Fabrication, Report
from pollux.writers.loss import (
    BYTES,
    CLIENT_TEXTS,
    DETAILS,
    FACTS,
    FIGURES,
    MESSAGES,
    NOTHING,
    ODDITIES,
    ORIGINS,
    OUTPUTS,
    THINKING,
    LossCounter,
)
from pollux.writers.native.account import Account, Carried

_NO_PLACE = "the agent's file has no place for them"
WHY = {
    THINKING: "other vendors' models refuse it; --thinking takes it along as text",
    FIGURES: "what was used was used in the other session",
    BYTES: "the agent cannot hold some of it",
    CLIENT_TEXTS: "the client wrote them for its own model",
    ODDITIES: "pollux does not know what they are",
    DETAILS: _NO_PLACE,
    ORIGINS: _NO_PLACE,
    FACTS: _NO_PLACE,
    OUTPUTS: "the calls that asked for them were left out",
}


def report(session: Session, account: Account) -> Report:
    """What was kept, and what was left out for which reason."""
    tally = LossCounter(WHY)
    tally.kept = account.messages.native + account.messages.text
    whole = 0
    for item in account.items:
        if item.part is None:
            whole += 1
            tally.drop(item.what if item.what in MESSAGES else NOTHING)
        elif item.carried is Carried.LEFT_OUT or item.what == BYTES:
            tally.drop(item.what)
    tally.drop(NOTHING, account.messages.left_out - whole)
    for message in session.messages:
        tally.message(message)
        tally.drop(FIGURES, message.usage is not None)
        for part in message.parts:
            tally.part(part)
            tally.drop(DETAILS, sum(bool(one.extra) for one in getattr(part, "attachments", ())))
    tally.session(session)
    tally.drop(FACTS)
    made = tally.report()
    made.fabricated += [Fabrication(*sentence.split(": ", 1)) for sentence in account.added]
    return made
