"""Where a session stands: what was said last, what was left unanswered or unfinished, what replaced the beginning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pollux.library.brief.course import FATES, Turn, turns
from pollux.library.brief.output_lines import is_ending
from pollux.library.brief.plans import plan
from pollux.library.brief.told_calls import STANDING, CallAt, call_words, texts_in
from pollux.library.brief.values import WORDS, Importance, Item, Section
from pollux.model import Author, Fate, Kind, Message, Session, SummaryPart, Text
from pollux.text.figures import plural
from pollux.writers.calls import outcome


def state(session: Session, calls: Sequence[CallAt]) -> Iterator[Item]:
    """The last reply, and all that is open."""
    every = turns(session)
    if every:
        yield from _end(session, every[-1], calls)
    if (open_plan := plan(calls)) is not None:
        yield open_plan
    yield from _summaries(session)
    yield from _taken_back(session)


def _end(session: Session, turn: Turn, calls: Sequence[CallAt]) -> Iterator[Item]:
    """How the last turn ended: with a reply, with a call, or with nothing at all."""
    if (reply := turn.reply) is not None:
        place, message = reply
        yield Item(
            section=Section.STATE,
            what="last reply",
            text=message.text,
            note=FATES.get(message.fate, ""),
            importance=Importance.STATE,
            places=(place,),
            covers=((place, WORDS),),
            least=500,
            at=message.at,
            fate=message.fate,
        )
    first = reply[0] if reply is not None else -1 if turn.prompt is None else turn.prompt
    words = _last_words(session.messages[first]) if reply is not None else 0
    after = [one for one in calls if one.unit > (first, words)]
    if after:
        last = after[-1]
        yield Item(
            section=Section.STATE,
            what="stopped after",
            text=call_words(last.call),
            note=f"{outcome(last.call)}; no reply followed",
            detail="\n".join(texts_in(last.call.input)) if last.call.tool_kind == "plan" else "",
            importance=Importance.STATE,
            places=(last.place,),
            covers=(last.unit,),
            at=last.message.at,
            fate=last.message.fate,
        )
    ending = next(((p, m) for p, m in reversed(turn.messages) if p >= first and _is_ending(m)), None)
    if ending is not None:
        place, message = ending
        yield Item(
            section=Section.STATE,
            what="the client said",
            text=message.text,
            importance=Importance.STATE,
            places=(place,),
            covers=((place, 0),),
            at=message.at,
            fate=message.fate,
        )
    elif reply is None and turn.prompt is not None and not after and session.kind is not Kind.PROMPTS:
        message = session.messages[turn.prompt]
        yield Item(
            section=Section.STATE,
            what="unanswered",
            text="the last prompt got no reply",
            importance=Importance.STATE,
            places=(turn.prompt,),
            at=message.at,
            fate=message.fate,
        )


def _last_words(message: Message) -> int:
    """The place of the last text in a message."""
    return max(number for number, part in enumerate(message.parts) if type(part) is Text)


def _is_ending(message: Message) -> bool:
    """Does the client say that the model was stopped, or could not go on?"""
    return message.author is Author.CLIENT and is_ending(message.text)


def _summaries(session: Session) -> Iterator[Item]:
    """The summaries that replaced earlier messages. The last one matters most."""
    found = [
        (place, number, part)
        for place, message in enumerate(session.messages)
        if message.fate in STANDING
        for number, part in enumerate(message.parts)
        if type(part) is SummaryPart
    ]
    for place, number, part in found:
        is_last = place == found[-1][0]
        yield Item(
            section=Section.STATE,
            what="summary",
            text=part.text,
            note="of all before it, made when the context was compressed",
            importance=Importance.DECISION if is_last else Importance.REPLY,
            places=(place,),
            covers=((place, number),),
            least=400 if is_last else 120,
            at=session.messages[place].at,
            fate=session.messages[place].fate,
        )


def _taken_back(session: Session) -> Iterator[Item]:
    """How much does not stand any more, in one line."""
    for fate in (Fate.REWOUND, Fate.CANCELLED, Fate.FAILED):
        places = [place for place, message in enumerate(session.messages) if message.fate is fate]
        if places:
            yield Item(
                section=Section.STATE,
                what="not part of it any more",
                text=f"{plural(len(places), 'message')} ({fate})",
                importance=Importance.DECISION,
                places=(places[0],),
                fate=fate,
            )
