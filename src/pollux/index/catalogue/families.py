"""Sessions and the sub-agents that they started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pollux.model import Summary, Usage, add, combine_exact


class Families:
    """Each session's usage with that of all its descendants."""

    def __init__(self, children: Mapping[str, Sequence[Summary]]) -> None:
        self._children = children

    def usage(self, key: str, own: Usage) -> Usage:
        """The usage of a session, which has its `own`, and its descendants."""
        usages = [own, *self._below(key, frozenset({key}))]
        if len(usages) == 1:
            return own
        return add(usages, exact=combine_exact(usage.exact for usage in usages))

    def keys(self, key: str, above: frozenset[str] = frozenset()) -> list[str]:
        """A session's key and those of its descendants."""
        above |= {key}
        below = [child.key for child in self._children.get(key, ()) if child.key not in above]
        return [key, *(descendant for child in below for descendant in self.keys(child, above))]

    def _below(self, key: str, above: frozenset[str]) -> list[Usage]:
        below = [child for child in self._children.get(key, ()) if child.key not in above]
        return [u for child in below for u in (child.usage, *self._below(child.key, above | {child.key}))]
