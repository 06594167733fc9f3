"""Sessions and those they started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pollux.model import Summary, Usage, add, joint


class Families:
    """Each session's usage with that of all its descendants."""

    def __init__(self, children: Mapping[str, Sequence[Summary]]) -> None:
        self._children = children

    def usage(self, told: Summary) -> Usage:
        """A session's own and its descendants'."""
        used = [told.usage, *self._below(told.key, frozenset({told.key}))]
        if len(used) == 1:
            return told.usage
        return add(used, exact=joint(usage.exact for usage in used))

    def keys(self, key: str, above: frozenset[str] = frozenset()) -> list[str]:
        """A session's key and those of its descendants."""
        above |= {key}
        below = [child.key for child in self._children.get(key, ()) if child.key not in above]
        return [key, *(one for child in below for one in self.keys(child, above))]

    def _below(self, key: str, above: frozenset[str]) -> list[Usage]:
        below = [child for child in self._children.get(key, ()) if child.key not in above]
        return [u for child in below for u in (child.usage, *self._below(child.key, above | {child.key}))]
