"""The files of one session since 0.4, and what else its reading depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pollux.model import Kind
from pollux.sources.base import Bundle, File, fingerprint_of, unchanged
from pollux.sources.gemini_sessions.prompts.prompt_log import PromptLog
from pollux.sources.qwen.find import META
from pollux.sources.typed_prompts import last_change


class QwenBundle(Bundle, kw_only=True):
    """A session, or a sub-agent's, with the folder that holds it.

    `agent_id` is a sub-agent's own id, `children` are the keys of the session's sub-agents by their own ids, and
    `helpers` their files: requests in them are not counted again. `log` has the lines that were typed in it. `stamps`
    are those of large outputs.
    """

    kind: Kind = Kind.MAIN
    root: str | None = None
    parent: str | None = None
    agent_id: str | None = None
    children: dict[str, str] = {}
    helpers: tuple[File, ...] = ()
    log: PromptLog | None = None
    stamps: dict[str, str] = {}
    depends_on: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed, or a line was last typed in it."""
        lines = self.log.lines.get(self.id, []) if self.log is not None else []
        return last_change(self.files, (line.at for line in lines), only_typed=False)

    def transcripts(self) -> Sequence[File]:
        """Its files without the notes beside them."""
        return [file for file in self.files if file.role != META]

    def fingerprint(self) -> str:
        """A digest of its files, its sub-agents and their files, and the lines that were typed in it, and where."""
        texts = [
            self.id,
            self.kind,
            self.parent or "",
            *(f"{name}\n{key}" for name, key in sorted(self.children.items())),
        ]
        texts += [f"{file.path}\n{file.stamp}" for file in (*self.files, *self.helpers)]
        if self.log is not None:
            texts += [self.log.fingerprint(self.id, None, None), *(file.path for file in self.log.files)]
        return fingerprint_of(texts)

    def group_keys(self) -> list[str]:
        """Its own id and its parent's, which tell it from others, and the log in which its prompts were typed."""
        ids = [f"id:{id}" for id in (self.agent_id or self.id, self.parent) if id is not None]
        return [*ids, *((file.path for file in self.log.files) if self.log is not None else ())]

    def dependencies(self) -> bytes:
        """The large outputs that it names."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
        """Are these unchanged?"""
        return not dependencies or unchanged(dependencies, stamps)
