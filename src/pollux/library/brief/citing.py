"""Citations: names of sessions and messages that `pollux show` takes as they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from pollux.index.catalogue.prefixes import ShortIds
from pollux.model import Session
from pollux.text.fence import harmless_line

_PLAIN = re.compile(r"[\w.:@+=/-]+", re.ASCII)
_LONGEST = 100


class Citations:
    """Names the messages of one session. `name` is what the session is called: its agent and a beginning of its id."""

    def __init__(self, session: Session, name: str) -> None:
        self.name = name if _PLAIN.fullmatch(name) else harmless_line(name, _LONGEST)
        self._ids = [message.id for message in session.messages]
        self._sorted = sorted(set(self._ids))
        self._short = ShortIds(self._sorted)

    def of(self, places: Iterable[int]) -> tuple[str, ...]:
        """The citations of some messages. One with an id that is no plain word is cited by its session alone."""
        names = []
        for place in places:
            short = self._short_id(self._ids[place])
            names.append(f"{self.name}#{short}" if _PLAIN.fullmatch(short) else self.name)
        return tuple(dict.fromkeys(names))

    def _short_id(self, id: str) -> str:
        """A beginning that names one message; all of the id if another id begins with it."""
        following = bisect_right(self._sorted, id)
        is_begun = following < len(self._sorted) and self._sorted[following].startswith(id)
        return id if is_begun else self._short.of(id)

    def ids(self, places: Iterable[int]) -> tuple[str, ...]:
        """The ids of some messages."""
        return tuple(self._ids[place] for place in places)
