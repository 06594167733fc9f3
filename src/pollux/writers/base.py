"""What a writer must offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from pollux.model import Session, Usage

Out = Callable[[str], object]
"""Takes a piece of the output; pieces come as they are made, so that a huge session needs no huge string."""


class Options(msgspec.Struct, kw_only=True):
    """What a person may ask of a transcript; formats for programs keep everything and ignore it."""

    thinking: bool = False
    tools: str = "brief"
    tokens: bool = False
    notices: bool = False
    live_only: bool = False
    family_usage: Usage | None = None
    child: Callable[[str], Session | None] = lambda _: None
    """The session of a key, for formats that hold sub-agents within the session that started them."""
    address: Callable[[str], str | None] = lambda _: None
    """Where the session of a key is found from here, for formats that link to it."""


class Dropped(msgspec.Struct, frozen=True):
    """What a format could not hold, or was not asked to."""

    what: str
    count: int
    why: str


class Fabricated(msgspec.Struct, frozen=True):
    """What a format demands and the session does not have."""

    what: str
    why: str


class Report(msgspec.Struct):
    """What became of a session on its way into a format."""

    kept: int = 0
    dropped: list[Dropped] = []
    fabricated: list[Fabricated] = []

    def as_json(self) -> dict[str, Any]:
        """The report as the contract has it."""
        built: dict[str, Any] = msgspec.to_builtins(self)
        return built


class Writer(Protocol):
    """Writes a session in one format."""

    @property
    def name(self) -> str:
        """The format's name."""

    @property
    def suffix(self) -> str:
        """The ending of its files."""

    @property
    def purpose(self) -> str:
        """What it is for, in a few words."""

    def write(self, session: Session, out: Out, options: Options) -> Report:
        """Write the whole session."""
