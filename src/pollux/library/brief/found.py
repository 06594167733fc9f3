"""The passages of a session that match a query, with what was asked and answered around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pollux.library.brief.course import FATES, turns
from pollux.library.brief.values import Importance, Item, Section
from pollux.model import Author, Message, Session, Text, Thinking, ToolCall, Value

_BEFORE = 100
"""How many characters stand before the first word that matches."""
_WHO = {Author.HUMAN: "the user", Author.MODEL: "the model", Author.CLIENT: "the client"}


class Match(Value, frozen=True, kw_only=True):
    """A message that matches: its place, and the words in it that do."""

    place: int
    words: tuple[str, ...]


class _Passage(NamedTuple):
    where: str
    text: str


def found(session: Session, matches: Sequence[Match]) -> Iterator[Item]:
    """Each message that matches, from a little before the first word that does."""
    for match in matches:
        message = session.messages[match.place]
        passage = _best(message, match.words)
        yield Item(
            section=Section.FOUND,
            what=f"{_WHO[message.author]}{passage.where}",
            text=_from_match(passage.text, match.words),
            note=FATES.get(message.fate, ""),
            importance=Importance.FOUND,
            places=(match.place,),
            least=300,
            at=message.at,
            fate=message.fate,
        )


def surroundings(session: Session, matches: Sequence[Match]) -> frozenset[int]:
    """The places of the prompts and last replies of the turns in which something matches."""
    places = [match.place for match in matches]
    near: set[int] = set()
    for turn in turns(session):
        inside = {turn.prompt, *(place for place, _ in turn.messages)}
        if not inside.isdisjoint(places):
            near |= {place for place in (turn.prompt, turn.reply[0] if turn.reply is not None else None) if place is not None}
    return frozenset(near)


def _best(message: Message, words: Sequence[str]) -> _Passage:
    """The text of a message in which most of the words stand."""
    passages = list(_passages(message)) or [_Passage("", "")]
    folded = [word.casefold() for word in words]
    return max(passages, key=lambda passage: sum(word in passage.text.casefold() for word in folded))


def _passages(message: Message) -> Iterator[_Passage]:
    if message.text:
        yield _Passage("", message.text)
    for part in message.parts:
        match part:
            case Text():
                continue
            case Thinking(text=text):
                yield _Passage(", thinking", text)
            case ToolCall():
                yield _Passage(f", {part.name}", "\n".join(_texts(part.input)))
                yield _Passage(f", result of {part.name}", part.output or "")
            case _:
                if isinstance(text := getattr(part, "text", None), str):
                    yield _Passage("", text)


def _texts(value: Any) -> Iterator[str]:
    """All texts in the arguments of a call."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            waiting += reversed(one)


def _from_match(text: str, words: Sequence[str]) -> str:
    folded = text.casefold()
    starts = [start for word in words if (start := folded.find(word.casefold())) >= 0]
    begin = max(0, min(starts, default=0) - _BEFORE)
    if not begin:
        return text
    space = text.find(" ", begin, begin + _BEFORE)
    return "…" + text[begin if space < 0 else space + 1 :]
