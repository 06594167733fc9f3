"""What is told of an edit."""

from __future__ import annotations

from datetime import datetime

from pollux.model import Fate, Kind, Status, Value
from pollux.writers.changed_files import Change


class Prompt(Value, frozen=True, kw_only=True):
    """The prompt of a turn, by its first words."""

    message_id: str
    text: str


class FileEdit(Value, frozen=True, kw_only=True):
    """A file that a call was to change, and where that stands.

    `path` is the whole path, as far as it is known. `place` counts the messages of the session, and `part` the parts of
    the message, from 0. `prompt` is why: what was said to the model last before it. `fate` is that of the message:
    whether the file was put back with it, nobody recorded.
    """

    path: str
    change: Change
    status: Status
    fate: Fate
    at: datetime | None
    tool: str
    key: str
    short_id: str
    agent: str
    kind: Kind
    title: str | None
    project: str | None
    message_id: str
    short_message_id: str
    place: int
    part: int
    prompt: Prompt | None

    @property
    def project_path(self) -> str | None:
        """The path within the project; None for a file elsewhere."""
        folder = self.project.rstrip("/\\") if self.project else None
        if not folder or not self.path.startswith((f"{folder}/", f"{folder}\\")):
            return None
        return self.path[len(folder) + 1 :] or None


class EditList(Value, frozen=True, kw_only=True):
    """Edits, the newest first, and whether there are `more`."""

    edits: tuple[FileEdit, ...]
    more: bool
