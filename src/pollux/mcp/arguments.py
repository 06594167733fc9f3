"""The arguments of a call, checked against the schema of its tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pollux.errors import RequestError
from pollux.text.suggest import did_you_mean

LONGEST = 2_000
"""So many characters an argument has at most."""
_MOST_ITEMS = 100


class Arguments:
    """What a tool was called with. Raises `RequestError` for what its schema does not allow.

    A number that is too large is the largest that is allowed, and null is the same as no argument.
    """

    def __init__(self, tool: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        self._properties: Mapping[str, Mapping[str, Any]] = tool["inputSchema"]["properties"]
        self.given = {name: value for name, value in given.items() if value is not None}
        for name in self.given:
            if name not in self._properties:
                hint = did_you_mean(name, self._properties, f"Known: {', '.join(self._properties)}.")
                raise RequestError(f"{tool['name']} has no argument {name[:60]!r}.", hint)
        for name in tool["inputSchema"].get("required", ()):
            if name not in self.given:
                raise RequestError(f"{tool['name']} needs the argument `{name}`.")

    def text(self, name: str) -> str | None:
        """A text without spaces around it; None where it is missing or empty."""
        value = self.given.get(name, "")
        if not isinstance(value, str):
            raise RequestError(f"`{name}` must be a text.")
        if len(value) > LONGEST:
            raise RequestError(f"`{name}` has at most {LONGEST:,} characters.")
        return value.strip() or None

    def number(self, name: str, usual: int, least: int = 0) -> int:
        """A whole number within its bounds."""
        value = self.given.get(name, usual)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            raise RequestError(f"`{name}` must be a whole number.")
        most: int = self._properties[name]["maximum"]
        return max(least, min(value, most))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, each once."""
        value = self.given.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise RequestError(f"`{name}` must be a list of texts.")
        if len(value) > _MOST_ITEMS or any(len(item) > LONGEST for item in value):
            raise RequestError(f"`{name}` is too long.")
        allowed = self._properties[name]["items"].get("enum")
        for item in value:
            if allowed is not None and item not in allowed:
                known = f"It can have: {', '.join(allowed)}."
                raise RequestError(f"`{name}` cannot have {item[:60]!r}.", did_you_mean(item, allowed, known))
        return tuple(dict.fromkeys(value))
