"""Other sessions that belong to this one: those that it started, comes from, or was handed over to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pollux.library.brief.output_lines import answer_text
from pollux.library.brief.told_calls import CallAt, call_words
from pollux.library.brief.values import Importance, Item, Section
from pollux.model import Session, Status

_LINKS = {
    "continues": "continues",
    "forked_from": "forked from",
    "handed_over_from": "handed over from",
    "subagent_of": "sub-agent of",
    "copy_of": "copy of",
}


def relations(session: Session, calls: Sequence[CallAt], heirs: Sequence[str]) -> Iterator[Item]:
    """The parent and other origins, the heirs, and the sub-agents with what they answered."""
    origins = [(_LINKS.get(link.kind, link.kind), link.target) for link in session.links if link.target != session.key]
    if session.parent is not None:
        origins.append(("sub-agent of", session.parent))
    for what, key in dict.fromkeys([*origins, *(("handed over to", heir) for heir in heirs)]):
        yield Item(section=Section.LINKED, what=what, text=key, importance=Importance.FRAME, places=())
    for one in calls:
        if one.call.tool_kind == "agent" and one.call.status not in (Status.CANCELLED, Status.ERROR):
            yield _started(one)


def _started(one: CallAt) -> Item:
    call = one.call
    words = [] if call.status is Status.OK else [call.status.value]
    words += [f"session {call.child}"] if call.child is not None else []
    return Item(
        section=Section.LINKED,
        what="sub-agent" if call.child is not None else "about sub-agents",
        text=call_words(call),
        note=", ".join(words),
        detail=answer_text(call.output or ""),
        importance=Importance.CHANGE if call.child is not None else Importance.ROUTINE,
        places=(one.place,),
        covers=(one.unit,),
        least=200,
        at=one.message.at,
        fate=one.message.fate,
    )
