"""Which messages two sessions share: a fork begins with those of its origin, and so do two forks of one session."""

from __future__ import annotations

from bisect import bisect_left

from pollux.model import Anchor, Link, Message, Session

Pairs = list[tuple[int, int]]
"""The places of messages that are the same, in the first session and in the second."""


def link_between(first: Session, second: Session) -> tuple[Link, str] | None:
    """The link of one session to the other, and whose it is."""
    for session, other in ((first, second), (second, first)):
        for link in session.links:
            if link.target == other.key:
                return link, session.key
    return None


def shared_messages(first: Session, second: Session) -> Pairs:
    """The messages that both have, in order.

    A copy says and does the same at the same time. An agent may give copies new times; then the copy must be known to
    be inherited, and the sessions to be related.
    """
    related = _are_related(first, second)
    places: dict[str | None, list[int]] = {}
    for place, message in enumerate(first.messages):
        places.setdefault(Anchor.of(message).words, []).append(place)
    pairs: Pairs = []
    begin = 0
    for number, message in enumerate(second.messages):
        likely = places.get(Anchor.of(message).words, [])
        following = likely[bisect_left(likely, begin) :]
        same = next((place for place in following if _is_same(first.messages[place], message, related=related)), None)
        if same is None:  # an agent may write a copy in another order
            same = next((place for place in likely if _same_time(first.messages[place], message)), None)
        if same is not None:
            likely.remove(same)
            pairs.append((same, number))
            begin = max(begin, same + 1)
    return pairs


def _are_related(first: Session, second: Session) -> bool:
    """Does one refer to the other, or do both refer to a third one?"""
    return bool({first.key, *_targets(first)} & {second.key, *_targets(second)})


def _targets(session: Session) -> set[str]:
    return {link.target for link in session.links if link.kind != "subagent_of"}


def _is_same(one: Message, other: Message, *, related: bool) -> bool:
    """Is one a copy of the other? Both say and do the same."""
    if _same_time(one, other):
        return True
    if related and (one.inherited or other.inherited):
        return True
    return one.id == other.id and None in (one.at, other.at) and bool(one.text)


def _same_time(one: Message, other: Message) -> bool:
    return one.at is not None and one.at == other.at
