"""Sessions and messages that the user marked."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pollux.index.catalogue.rollups import micros, moment_of
from pollux.index.catalogue.rows import anchors_of
from pollux.index.catalogue.scope import CatalogueScope
from pollux.marks.store import Found, MarkState, has_words
from pollux.model import Anchor, Marks, SessionMarks
from pollux.text.folding import fold

ONE_OF_KEYS = "key IN (SELECT value FROM json_each(?))"


class MarkQueries(CatalogueScope):
    """Finds what was marked, by the places that messages have now."""

    def marked(self, name: str, value: str) -> Found:
        """The sessions that match a filter by marks, or their messages that do."""
        marks = self.marks()
        if (name, value) == ("is", "unread"):
            return dict.fromkeys(self._unread_keys(marks))
        found = marks.find(name, value)
        if name == "name":  # also the names that the agent has
            typed = fold(value)
            rows = self.catalogue.rows("SELECT key, value FROM facts JOIN sessions ON no=session WHERE name='name'")
            found |= {key: None for key, given in rows if has_words(typed, given)}
        return found

    def marked_places(self, name: str, value: str) -> dict[int, frozenset[int] | None]:
        """The numbers of these sessions, and the places of these messages."""
        found = self.marked(name, value)
        statement = f"SELECT no, key FROM sessions WHERE +{self.here}"
        rows = self.catalogue.rows_with(statement, "id", {key.partition(":")[2] for key in found})
        return {number: self._places(number, key, found[key]) for number, key in rows if key in found}

    def _places(self, number: int, key: str, messages: frozenset[str] | None) -> frozenset[int] | None:
        if messages is None:
            return None
        marks = self.marks().of(key) or SessionMarks()
        return frozenset(place for name, place in marks.places(self.anchors_at(number)).items() if name in messages)

    def marks_by_place(self, number: int, marks: SessionMarks) -> dict[int, Marks]:
        """The marks of the messages of the session with this number, by the places that these have now."""
        if not marks.messages:
            return {}
        return {place: marks.messages[name].marks for name, place in marks.places(self.anchors_at(number)).items()}

    def anchors_at(self, number: int) -> list[Anchor]:
        """The anchors of all messages of the session with this number."""
        return anchors_of(*self.catalogue.rows("SELECT marks, anchors FROM abouts WHERE session=?", number)[0])

    def _unread_keys(self, marks: MarkState) -> Iterator[str]:
        """The sessions with something that was not read yet. Most ended before anything was read, and count as read."""
        if marks.all_read_until is None:
            return
        since, known = micros(marks.all_read_until), json.dumps([*marks.positions])
        statement = f"SELECT key, moment, messages FROM sessions WHERE {self.here} AND (moment > ? OR {ONE_OF_KEYS})"
        for key, moment, messages in self.catalogue.rows(statement, since, known):
            if marks.unread(key, moment_of(moment), messages):
                yield key
