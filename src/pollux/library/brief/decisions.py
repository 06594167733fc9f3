"""What people decided: what they took back, refused, answered, noted; and the plans that they were shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pollux.library.brief.output_lines import answer_text
from pollux.library.brief.told_calls import STANDING, CallAt, call_words
from pollux.library.brief.values import WORDS, Importance, Item, Section
from pollux.model import Fate, Marks, Session, Status, is_prompt


def decisions(session: Session, calls: Sequence[CallAt], marks: Mapping[int, Marks]) -> Iterator[Item]:
    """All of these, each kind in order."""
    yield from _noted(session, marks)
    yield from _taken_back(session)
    for one in calls:
        if (item := _of_call(one)) is not None:
            yield item


def _noted(session: Session, marks: Mapping[int, Marks]) -> Iterator[Item]:
    for place, mark in sorted(marks.items()):
        if mark.note or mark.starred:
            message = session.messages[place]
            yield Item(
                section=Section.DECIDED,
                what="noted by the user" if mark.note else "starred by the user",
                text=mark.note or message.text,
                importance=Importance.STATE,
                places=(place,),
                at=message.at,
                fate=message.fate,
            )


def _taken_back(session: Session) -> Iterator[Item]:
    """Prompts that were rewound, and what was asked instead."""
    messages = session.messages
    for place, message in enumerate(messages):
        if not is_prompt(message) or message.fate is not Fate.REWOUND:
            continue
        later = range(place + 1, len(messages))
        instead = next((n for n in later if is_prompt(messages[n]) and messages[n].fate in STANDING), None)
        yield Item(
            section=Section.DECIDED,
            what="taken back",
            text=message.text,
            note="the second citation is what was asked next" if instead is not None else "",
            importance=Importance.DECISION,
            places=(place,) if instead is None else (place, instead),
            covers=((place, WORDS),),
            at=message.at,
            fate=message.fate,
        )


def _of_call(one: CallAt) -> Item | None:
    call = one.call
    if call.status is Status.CANCELLED:
        return _item(one, "refused or stopped", call_words(call), answer_text(call.output or ""))
    if call.tool_kind == "communicate" and call.status is Status.OK:
        return _item(
            one, "the user was asked", _question(call.input) or call_words(call), answer_text(call.output or "")
        )
    if call.tool_kind == "plan" and isinstance(call.input, Mapping) and isinstance(text := call.input.get("plan"), str):
        return _item(one, "plan shown to the user", text, "" if call.status is Status.OK else "not approved")
    return None


def _item(one: CallAt, what: str, text: str, detail: str) -> Item:
    return Item(
        section=Section.DECIDED,
        what=what,
        text=text,
        detail=detail,
        importance=Importance.DECISION,
        places=(one.place,),
        covers=(one.unit,),
        least=200,
        at=one.message.at,
        fate=one.message.fate,
    )


def _question(arguments: Any) -> str:
    """The questions in the arguments of a call."""
    if not isinstance(arguments, Mapping):
        return ""
    several = arguments.get("questions")
    entries = several if isinstance(several, list | tuple) else [arguments]
    texts = [entry.get("question") for entry in entries if isinstance(entry, Mapping)]
    return " / ".join(text for text in texts if isinstance(text, str))
