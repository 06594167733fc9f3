"""What a filter asks of a session, as a condition of SQL."""

from __future__ import annotations

import json
from typing import Any

from pollux.index.catalogue.marked import ONE_OF_KEYS, MarkQueries
from pollux.index.catalogue.rollups import micros
from pollux.index.catalogue.values import Filter
from pollux.model import Kind
from pollux.model.names import name_matches, project_matches
from pollux.text.folding import fold

ALWAYS_LISTED = (Kind.MAIN,)


class Conditions(MarkQueries):
    """Turns filters into conditions."""

    def where(self, criteria: Filter) -> tuple[str, list[Any]]:
        """The condition on a session that a filter states, and its values."""
        terms, values = [self.here], list[Any]()
        if criteria.agent is not None:
            terms.append("agent=?")
            values.append(criteria.agent)
        if not criteria.everything:
            terms.append(f"kind IN ({', '.join('?' * len(ALWAYS_LISTED))})")
            values += [kind.value for kind in ALWAYS_LISTED]
        if criteria.since is not None:
            terms.append("moment >= ?")
            values.append(micros(criteria.since))
        if criteria.until is not None:
            terms.append("COALESCE(started, moment) <= ?")
            values.append(micros(criteria.until))
        for word in criteria.words:
            named = list(self.marked("name", word)) if self.marks().sessions else []
            terms.append(f"(no IN (SELECT session FROM abouts WHERE instr(words, ?)) OR {ONE_OF_KEYS})")
            values += [fold(word), json.dumps(named)]
        for name, value in criteria.marks:
            terms.append(ONE_OF_KEYS)
            values.append(json.dumps(list(self.marked(name, value))))
        for name, value in criteria.facts:
            matches = [
                known_value
                for known_value in self.values(name)
                if name_matches(value, known_value, begins=name == "commit")
            ]
            terms.append(
                f"no IN (SELECT session FROM facts WHERE name=? AND value IN ({', '.join('?' * len(matches))}))"
            )
            values += [name, *matches]
        if criteria.project is not None:
            known = self.catalogue.rows(f"SELECT DISTINCT project, project_hash FROM sessions WHERE {self.here}")
            matching = [pair for pair in known if is_project(criteria.project, *pair)]
            terms.append(f"({' OR '.join(['(project IS ? AND project_hash IS ?)'] * len(matching)) or 0})")
            values += [value for pair in matching for value in pair]
        return " AND ".join(terms), values

    def values(self, name: str) -> list[str]:
        """All values that a fact has anywhere."""
        return [value for (value,) in self.catalogue.rows("SELECT DISTINCT value FROM facts WHERE name=?", name)]


def is_project(typed: str, path: str | None, digest: str | None) -> bool:
    """Does a project match what a person typed?"""
    return project_matches(typed, path) or (digest is not None and len(typed) >= 4 and digest.startswith(typed.lower()))
