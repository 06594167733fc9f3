"""The files that agents changed, the newest first, and what changed in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pollux.errors import RequestError
from pollux.index.catalogue.edits.queries import EditPage, EditRow, edit_page
from pollux.index.catalogue.rollups import moment_of
from pollux.index.catalogue.values import Filter
from pollux.library.edits.values import EditList, FileEdit, Prompt
from pollux.library.fresh_index import FreshIndex
from pollux.library.reader import SessionReader
from pollux.model import Fate, Session, Status, ToolCall
from pollux.writers.changed_files import Change, Difference, difference

LIMIT = 50
"""How many edits there are, if nobody says otherwise."""


class EditsService:
    """Finds edits in the cache, and reads what changed from the sessions' files. `here` is the present directory."""

    def __init__(self, index: FreshIndex, reader: SessionReader, here: Path) -> None:
        self._index = index
        self._reader = reader
        self._here = here

    def newest(
        self,
        criteria: Filter | None = None,
        path: str | None = None,
        limit: int | None = LIMIT,
        *,
        key: str | None = None,
    ) -> EditList:
        """The newest edits, with those of sub-agents. The times of the filter are those of the edits.

        With `path`, only those of the files that it names: as `file:` in a search does, or by a path that begins in
        the present directory (`./parser.py`). With `key`, only those of this
        session. No file is read. Raises `RequestError` for a path without a name.
        """
        selection = criteria or Filter(everything=True)
        fits = self._path_test(path) if path is not None else None
        page = self._index.ask(lambda current: edit_page(current, selection, fits, limit, key), details=True)
        return EditList(edits=tuple(_edit(row, page) for row in page.rows), more=page.more)

    def _path_test(self, path: str) -> Callable[[str], bool]:
        from pollux.index.search.direct.filters import path_test
        from pollux.index.search.fields import path_tokens

        if not path_tokens(path):
            raise RequestError("Which file?", "Name a file, or a folder.")
        if path.startswith(("./", "../", ".\\", "..\\")) or path in (".", ".."):
            path = str((self._here / path).resolve())
        return path_test(path)

    def differences(self, edits: Sequence[FileEdit]) -> list[Difference | None]:
        """What changed with each edit; None where nothing tells it. Each session is read once."""
        by_session: dict[str, list[int]] = {}
        for number, edit in enumerate(edits):
            by_session.setdefault(edit.key, []).append(number)
        found: list[Difference | None] = [None] * len(edits)
        for session in self._sessions(by_session):
            for number in by_session.pop(session.key, ()):
                found[number] = _difference(session, edits[number])
        return found

    def _sessions(self, keys: Iterable[str]) -> Iterator[Session]:
        """Those of these sessions that can still be read. One that cannot costs no other."""
        places = [place for key in keys for place in self._index.find_known(key)[:1]]
        return self._reader.at(*places, unreadable=lambda _: None)


def _edit(row: EditRow, page: EditPage) -> FileEdit:
    session = page.sessions[row.session]
    summary = session.summary
    prompt = page.prompts.get((row.session, row.turn)) if row.turn is not None else None
    return FileEdit(
        path=row.path,
        change=Change(row.change),
        status=Status(row.status),
        fate=Fate(row.fate),
        at=moment_of(row.at),
        tool=row.tool,
        key=summary.key,
        short_id=session.short,
        agent=summary.agent,
        kind=summary.kind,
        title=session.title,
        project=summary.project,
        message_id=row.message,
        short_message_id=session.short_message_id(row.message),
        place=row.place,
        part=row.part,
        prompt=Prompt(message_id=prompt[0], text=prompt[1]) if prompt is not None else None,
    )


def _difference(session: Session, edit: FileEdit) -> Difference | None:
    """What an edit changed, if it still stands where it did."""
    message = session.messages[edit.place] if edit.place < len(session.messages) else None
    if message is None or message.id != edit.message_id or edit.part >= len(message.parts):
        return None
    call = message.parts[edit.part]
    return difference(call, edit.path, session.project) if type(call) is ToolCall else None
