"""The passages of a session that match a query, with what was asked and answered around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pollux.library.brief.course import FATES, turns
from pollux.library.brief.told_calls import texts_in
from pollux.library.brief.values import WORDS, Importance, Item, Section
from pollux.model import (
    Author,
    Context,
    FileReference,
    Message,
    Session,
    SummaryPart,
    Thinking,
    ToolCall,
    Value,
)

_BEFORE = 100
"""How many characters stand before the first word that matches, if it stands far from the beginning."""
_NEAR = 200
_WHO = {Author.HUMAN: "the user", Author.MODEL: "the model", Author.CLIENT: "the client"}


class Match(Value, frozen=True, kw_only=True):
    """A message that matches: its place, and the words in it that do."""

    place: int
    words: tuple[str, ...]


class _Passage(NamedTuple):
    where: str
    text: str
    part: int = WORDS


def with_matches(session: Session, spine: Sequence[Item], matches: Sequence[Match]) -> Iterator[Item]:
    """What was asked and answered, with what matches first: it, and what stands around it, matters most.

    Passages that are told nowhere else come as items of their own.
    """
    near = _surroundings(session, matches) if matches else frozenset[int]()
    left = {match.place: match for match in matches}
    for item in spine:
        place = item.places[0] if item.covers and item.places else -1
        match = left.get(place)
        if match is not None and (not match.words or _first(item.text, match.words) is not None):
            del left[place]
            note = ", ".join(filter(None, (item.note, "matches" if match.words else "as named")))
            text = _from_match(item.text, match.words)
            yield replace(item, note=note, text=text, importance=Importance.FOUND)
        else:
            importance = Importance.FOUND if item.what in ("asked", "task") else Importance.STATE
            yield replace(item, importance=min(importance, item.importance)) if place in near else item
    told = {item.places[0] for item in spine if item.covers and item.places}
    yield from _passages_found(session, list(left.values()), told)


def _passages_found(session: Session, matches: Sequence[Match], told: Collection[int]) -> Iterator[Item]:
    """Each message that matches, from a little before the first word that does."""
    for match in matches:
        message = session.messages[match.place]
        passage = _best(message, match.words)
        if match.place in told and _first(passage.text, match.words) is None:  # what matches is the session's title
            continue
        yield Item(
            section=Section.FOUND,
            what=f"{_WHO[message.author]}{passage.where}",
            text=_from_match(passage.text, match.words),
            note=FATES.get(message.fate, ""),
            importance=Importance.FOUND,
            places=(match.place,),
            covers=((match.place, passage.part),),
            least=200,
            at=message.at,
            fate=message.fate,
        )


def _surroundings(session: Session, matches: Sequence[Match]) -> frozenset[int]:
    """The places of the prompts and last replies of the turns in which something matches."""
    places = [match.place for match in matches]
    near: set[int] = set()
    for turn in turns(session):
        inside = {turn.prompt, *(place for place, _ in turn.messages)}
        if not inside.isdisjoint(places):
            around = (turn.prompt, turn.reply[0] if turn.reply is not None else None)
            near |= {place for place in around if place is not None}
    return frozenset(near)


def _best(message: Message, words: Sequence[str]) -> _Passage:
    """The text of a message in which most of the words stand."""
    passages = list(_passages(message)) or [_Passage("", "")]
    folded = [word.casefold() for word in words]
    return max(passages, key=lambda passage: sum(word in passage.text.casefold() for word in folded))


def _passages(message: Message) -> Iterator[_Passage]:
    if message.text:
        yield _Passage("", message.text)
    for number, part in enumerate(message.parts):
        match part:
            case Thinking(text=text):
                yield _Passage(", thinking", text, number)
            case ToolCall():
                yield _Passage(f", {part.name}", "\n".join(texts_in(part.input)), number)
                yield _Passage(f", result of {part.name}", part.output or "", number)
            case Context() | FileReference() | SummaryPart():
                yield _Passage("", part.text or "", number)


def _first(text: str, words: Sequence[str]) -> int | None:
    """Where the first of the words stands."""
    folded = text.casefold()
    starts = [start for word in words if (start := folded.find(word.casefold())) >= 0]
    return min(starts, default=None)


def _from_match(text: str, words: Sequence[str]) -> str:
    """The text, if the first word that matches stands near its beginning; else from a little before that word."""
    start = _first(text, words) or 0
    if start <= _NEAR:
        return text
    begin = start - _BEFORE
    space = text.find(" ", begin, start)
    return "…" + text[begin if space < 0 else space + 1 :]
