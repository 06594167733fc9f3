"""A message while its file is read: everything about it may still change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import NOTHING, Author, Fate, Message, Origin, Part, Role, Text, Usage
from pollux.sources.codex.calls.calls import Call, tool_call
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.usage.tokens import together

HUMAN, MODEL, CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
USER, ASSISTANT, SYSTEM = Role.USER, Role.ASSISTANT, Role.SYSTEM


class Entry(msgspec.Struct, gc=False):
    """One message: its parts, among them calls that wait for their answers, and what became of it.

    `sure`: the user interface showed it as a prompt. `refused`: it reports a request that was refused. `continued`: it
    belongs to the response before it, which has the figures of both.
    """

    role: Role
    author: Author
    line: int
    ordinal: int
    at: datetime | None
    parts: list[Part | Call]
    id: str | None = None
    model: str | None = None
    usages: list[Usage] | None = None
    fate: Fate = Fate.LIVE
    inherited: bool = False
    extra: dict[str, Any] | None = None
    sure: bool = False
    refused: bool = False
    continued: bool = False

    @property
    def calls(self) -> list[Call]:
        """The calls among the parts."""
        return [part for part in self.parts if type(part) is Call]

    @property
    def is_paid(self) -> bool:
        """Does it have figures?"""
        return self.usages is not None or self.continued

    @property
    def is_prompt(self) -> bool:
        """Did the human say it?"""
        return self.author is HUMAN and self.role is USER

    @property
    def is_doubtful(self) -> bool:
        """Was it never shown as a prompt, and does it look like the client's: a warning, or a text in a tag?"""
        if self.sure:
            return False
        text = next((part.text for part in self.parts if type(part) is Text), "")
        tagged = text.startswith("<") and ">" in text[:60] and text.rstrip().endswith(">")
        return tagged or text.startswith("Warning: ")

    def note(self, **more: Any) -> None:
        """Keep other facts about the message. If a name is taken, keep both values."""
        if self.extra is None:
            self.extra = more
            return
        for name, value in more.items():
            self.extra[name if name not in self.extra else f"{name} ({len(self.extra)})"] = value

    def note_difference(self, typed: Sequence[Any], sent: Sequence[Any]) -> None:
        """Keep the parts that only the user interface's version of a prompt has."""
        if typed == sent:
            return
        words = words_of(sent)
        is_known = (type(part) is Text and "".join(part.text.split()) in words for part in typed)
        if more := [part for part, known in zip(typed, is_known, strict=True) if not known and part not in sent]:
            self.note(shown=msgspec.to_builtins(more))

    def message(self, name: str, file: str, document: bool) -> Message:  # noqa: FBT001 (a fact about the file)
        """The finished message. In a document its line is the number of an item."""
        usages = self.usages
        return Message(
            id=name,
            role=self.role,
            author=self.author,
            at=self.at,
            parts=tuple([tool_call(part) if type(part) is Call else part for part in self.parts]),  # type: ignore[misc]
            model=self.model,
            usage=None if usages is None else usages[0] if len(usages) == 1 else together(usages),
            fate=self.fate,
            inherited=self.inherited,
            origin=Origin(file=file, item=self.line) if document else Origin(file=file, line=self.line),
            extra=NOTHING if self.extra is None else self.extra,
        )
