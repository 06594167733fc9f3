"""The prompts of a session as the index of words has them: its outline, without reading its files."""

from __future__ import annotations

from datetime import datetime, timedelta
from operator import itemgetter

import tantivy

from pollux.index.search.compile import all_of, one_of, with_fact
from pollux.index.search.fields import EPOCH, kind_numbers, shown_text
from pollux.index.search.passages import PassageKind
from pollux.model import Fate, Session, Value, first_words

_MANY = 1000
"""Room for as many passages as there are takes longer than most searches: first there is room for so many."""

LENGTH = 200
"""How many characters of a prompt an outline has."""


class OutlineEntry(Value, frozen=True, kw_only=True):
    """A prompt: its first words, and where it stands. `place` counts all messages of the session, from 0."""

    place: int
    message_id: str
    at: datetime | None
    text: str
    fate: Fate


def outline_from_index(
    searcher: tantivy.Searcher, number: int, ids: list[str], most: int | None = None
) -> list[OutlineEntry]:
    """The prompts of the session with this number, or the first of them. `ids` are those of all its messages."""
    prompts = all_of(one_of("session", [number]), one_of("kind", kind_numbers([PassageKind.PROMPT])))

    def addresses(question: tantivy.Query) -> list[tantivy.DocAddress]:
        if most is not None:
            return _first(searcher, question, most)
        hits = searcher.search(question, _MANY, count=False).hits
        if len(hits) == _MANY:
            hits = searcher.search(question, max(1, int(searcher.num_docs)), count=False).hits
        return [address for _, address in hits]

    fates: dict[int, Fate] = {}
    for fate in Fate:
        if fate is not Fate.LIVE:
            found = addresses(all_of(prompts, with_fact("fate", [fate])))
            fates |= {int(place or 0): fate for place in searcher.fast_field_values("message", found)}
    every = addresses(prompts)
    places, times = searcher.fast_field_values("message", every), searcher.fast_field_values("at", every)
    entries: dict[int, OutlineEntry] = {}
    for address, place, at in sorted(
        zip(every, [int(place or 0) for place in places], times, strict=True), key=itemgetter(1)
    ):
        if place in entries or place >= len(ids):
            continue
        if len(entries) == most:
            break
        entries[place] = OutlineEntry(
            place=place,
            message_id=ids[place],
            at=None if at is None else EPOCH + timedelta(microseconds=int(at)),
            text=first_words(shown_text(searcher.doc(address)), LENGTH),
            fate=fates.get(place, Fate.LIVE),
        )
    return list(entries.values())


def _first(searcher: tantivy.Searcher, prompts: tantivy.Query, most: int) -> list[tantivy.DocAddress]:
    """The passages of the first so many prompts. Some prompts have more than one."""
    size = 2 * most
    while True:
        hits = searcher.search(prompts, size, count=False, order_by_field="message", order=tantivy.Order.Asc).hits
        if len(hits) < size or len({place for place, _ in hits}) > most:
            return [address for _, address in hits]
        size *= 4


def outline_of(session: Session) -> list[OutlineEntry]:
    """The same of a session that was read."""
    from pollux.index.search.passages import passage_texts

    entries: list[OutlineEntry] = []
    at = session.started
    for place, message in enumerate(session.messages):
        at = message.at or at
        words = next((text for piece, text in passage_texts(message) if piece.kind is PassageKind.PROMPT), None)
        if words is not None:
            text = first_words(words, LENGTH)
            entries.append(OutlineEntry(place=place, message_id=message.id, at=at, text=text, fate=message.fate))
    return entries
