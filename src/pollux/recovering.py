"""Sessions of which the agents' own files hold not all: what there is of them, as one, and as files to go on with."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Collection, Iterator
from datetime import timedelta
from functools import cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pollux.archive.contents import Damaged
from pollux.archive.keep import private
from pollux.archive.past import Change, all_changes
from pollux.archive.rebuild import Left, left_out
from pollux.archive.recover import Recovered, recovered
from pollux.archive.restore import Piece, Restored, plan
from pollux.archive.tree import is_safe, put, whole
from pollux.errors import NotFound, OutputError
from pollux.model import Kind, Session, Summary, Value
from pollux.sources.base import Root
from pollux.sources.resuming import Form, Resumable, fullest
from pollux.store.questions import Filter
from pollux.wire import shown

if TYPE_CHECKING:
    from pollux.library import Library


class Rebuilt(Value, frozen=True, kw_only=True):
    """Files that an agent resumes, as they were read back: how many messages are in them, and which are not."""

    key: str
    home: Path
    files: tuple[Resumable, ...]
    messages: int
    left: tuple[Left, ...]


class _Found(NamedTuple):
    """A form, when it was written, when it was seen, and whose it is."""

    mtime_ns: int
    at: int
    home: Path
    form: Form


class Recovering:
    """Puts sessions together again."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._archive = library.archive

    def recoverable(self) -> list[tuple[Summary, str]]:
        """Sessions of which the agents' files hold not all that there was, and what there is instead."""
        found = []
        for one in self._library.list(Filter(everything=True)):
            told = one.summary
            if told.kept:
                found.append((told, "kept"))
            elif told.kind is Kind.PROMPTS:
                found.append((told, "typed lines"))
            elif any(change.change == "cut" for change in self._histories.get(told.key, ())):
                found.append((told, "earlier states"))
        return found

    @cached_property
    def _histories(self) -> dict[str, list[Change]]:
        """What happened to the files of each session; empty where nothing is kept."""
        if not self._archive.exists:
            return {}
        by_file: dict[str, list[Change]] = {}
        for change in all_changes(self._archive):
            by_file.setdefault(change.file, []).append(change)
        listed = self._library.list(Filter(everything=True))
        return {
            one.summary.key: [change for file in one.summary.files for change in by_file.get(file, ())]
            for one in listed
        }

    def recover(self, session: Session) -> Recovered:
        """All that any file of the agent's, any copy of it, and any kept state of it holds of a session."""
        readings = self._library.readings(session)
        own = [reading for reading in readings if not reading.kept]
        if len(own) < len(readings) and self._is_less(session):
            readings = [reading for reading in readings if reading.kept]
        if self._archive.exists:
            keeping = self._library.keeping
            losses = [c.at for c in keeping.history(session) if c.change in ("cut", "rewritten", "gone")]
            for at in sorted({at - timedelta(microseconds=1) for at in losses}, reverse=True):
                with contextlib.suppress(NotFound):
                    readings.insert(0, keeping.then(session, at))
        return recovered(own[0] if own else None, readings or [session])

    def _is_less(self, session: Session) -> bool:
        """Are the agent's own files beginnings of what is kept of them? Then what they say was said better."""
        files = self._library.files_of(session.key)
        kept: dict[str, list[bytes]] = {}
        for one in self._kept(session, files):
            kept.setdefault(one.form.path, []).append(one.form.content)
        for one in self._live(session, files):
            fuller = [state for state in kept.get(one.form.path, ()) if len(state) > len(one.form.content)]
            if fuller and not any(state.startswith(one.form.content) for state in fuller):
                return False
        return True

    # ------------------------------------------------------------------ files to go on with

    def rebuild(self, session: Session) -> Rebuilt:
        """Files that the agent resumes the session from, with its sub-agents', read back and compared.

        Raises `NotFound` where nothing is left that could be resumed.
        """
        below = [key for key in self._library.family(session) if key != session.key]
        family = [session, *map(self._library.session, below)]
        wanted = [self.recover(one).session for one in family]
        home, forms = self._forms(session, {file for one in wanted for file in self._library.files_of(one.key)})
        best: Rebuilt | None = None
        # Forms that say the same in other records would double it. Then the fullest form of each file must do.
        for chosen in (forms, [Form(path=path, content=content) for path, content in fullest(forms).items()]):
            made = self._made(wanted[0], chosen, home)
            readings = self._read_back(session.agent, made)
            held, missing, doubled = left_out(wanted, readings, made)
            if held and (best is None or held > best.messages):
                best = Rebuilt(key=session.key, home=home, files=tuple(made), messages=held, left=missing)
            if not doubled:
                break
        if best is None:
            hint = "Try: pollux recover KEY -o FILE, which keeps what is left of it for pollux."
            raise NotFound(f"Nothing is left of {session.key} that its agent could resume.", hint)
        return best

    def _made(self, session: Session, forms: list[Form], home: Path) -> list[Resumable]:
        source = whole(self._library.source(session.agent))
        roots = [root.path for one, root in self._library.roots() if one.name == source.name]
        root = next((path for path in roots if path.parent == home), roots[0] if roots else home)
        made: list[Resumable] | None = getattr(source, "resuming", lambda *_: None)(session, forms, root)
        return made or []

    def _forms(self, session: Session, files: Collection[str]) -> tuple[Path, list[Form]]:
        """Every content that some files had and have, those written last at the end; and the home these are in."""
        found = sorted([*self._live(session, files), *self._kept(session, files)], key=lambda one: one[:2])
        home = found[-1].home if found else self._library.places.home
        return home, list(dict.fromkeys(one.form for one in found))

    def _live(self, session: Session, files: Collection[str]) -> Iterator[_Found]:
        for source, root in self._library.roots():
            home = root.path.parent
            for file in source.find(root.path) if source.name == session.agent else ():
                if shown(file.path) in files:
                    with contextlib.suppress(OSError):
                        form = Form(path=os.path.relpath(file.path, home), content=Path(file.path).read_bytes())
                        yield _Found(file.mtime_ns, sys.maxsize, home, form)

    def _kept(self, session: Session, files: Collection[str]) -> Iterator[_Found]:
        """What stands at the beginning of the next state is no form of its own."""
        states = self._library.keeping.past_states(session, files)
        for state, later in zip_longest(states, states[1:]):
            same = later is not None and (later.home, later.path) == (state.home, state.path)
            if state.sha is None or (same and later.change == "grown") or not is_safe(state.path):
                continue
            with contextlib.suppress(Damaged):
                form = Form(path=os.fsdecode(state.path), content=self._archive.read(state.sha))
                yield _Found(state.mtime_ns, state.at, Path(os.fsdecode(state.home)), form)

    def _read_back(self, agent: str, made: list[Resumable]) -> list[Session]:
        """The sessions in some files, laid out as the agent would have them."""
        source = whole(self._library.source(agent))
        try:
            private(self._library.places.cache)
            with tempfile.TemporaryDirectory(dir=self._library.places.cache) as folder:
                for file in made:
                    put(Path(folder, file.path), file.content, 0)
                return [
                    session
                    for root in sorted(Path(folder).iterdir())
                    if root.is_dir()
                    for bundle in self._library.bundles_of(source, Root(path=root, reason="made anew"))
                    for session in source.read(bundle)
                ]
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error

    @staticmethod
    def plan(rebuilt: Rebuilt, folder: Path | None) -> list[tuple[Restored, Piece]]:
        """What would be written below a folder, or where the agent has such files."""
        return plan(_pieces(rebuilt, folder or rebuilt.home))


def _pieces(rebuilt: Rebuilt, folder: Path) -> Iterator[Piece]:
    # The files are new, and their times too: an agent that deletes what is old would take them away at once.
    for file in rebuilt.files:
        content = file.content
        sha = hashlib.sha256(content).hexdigest()
        yield Piece(folder / file.path, len(content), sha, 0, partial(bytes, content), beside=not file.sources)
