"""Plans the entry of pollux in one agent's settings.

The agents' own commands are not used: that of Claude Code 2.1.325 refuses to renew an entry, that of Codex CLI 0.166
drops what the user added to it, that of Gemini CLI 0.61 sets the whole file anew and takes 15 seconds, and none shows
what it will write. `tests/agents` proves that they write, list and remove the same entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from pollux.errors import OutputError, RequestError
from pollux.library.connect.entries import (
    FORMATS,
    Wanted,
    each_once,
    is_ours,
    new_entry,
    parsed,
    renewed,
    said,
    servers,
    to_pollux,
    with_entry,
    without_entry,
)
from pollux.library.connect.files import content_of, real_place
from pollux.library.connect.own_start import is_passing
from pollux.library.connect.plan import NAME, Change, Fragment, Step
from pollux.sources.tool_host import Scope, ServerSettings
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.sources.base import Source
    from pollux.sources.tool_host import Surroundings


def chosen(source: Source, all_settings: Sequence[ServerSettings], scope: Scope) -> ServerSettings:
    """The settings of a scope. Raises `RequestError` where the agent has none."""
    for settings in all_settings:
        if settings.scope is scope:
            return settings
    raise RequestError(f"pollux does not know where {source.title} looks for servers.")


def fragment(source: Source, settings: ServerSettings, wanted: Wanted) -> Fragment:
    """What a person would write into a file."""
    entry = new_entry(settings, wanted)
    return Fragment(
        title=source.title,
        place=settings.file,
        text=FORMATS[settings.format].fragment((*settings.names, NAME), entry),
        command=settings.own_command(NAME, wanted.words) if not wanted.variables else None,
    )


class _Found(NamedTuple):
    """Settings as they are: the real file, what is in it, and its servers."""

    settings: ServerSettings
    place: Path
    content: bytes | None
    entries: Mapping[str, Any]

    @property
    def present(self) -> Any:
        """The entry with pollux's name; None if there is none."""
        return self.entries.get(NAME)


class ServerPlanner:
    """Plans the steps for one agent."""

    def __init__(self, source: Source, all_settings: Sequence[ServerSettings], around: Surroundings) -> None:
        self._source = source
        self._all = all_settings
        self._around = around

    def install(self, scope: Scope, wanted: Wanted) -> Step:
        """The entry, new or as it should be. Raises `OutputError`."""
        found = self._read(scope)
        settings, present = found.settings, found.present
        entry: Mapping[str, Any] = new_entry(settings, wanted)
        if is_ours(present):
            values = renewed(present, wanted)
            entry, change = {**present, **values}, Change.RENEW if values else Change.NONE
            after = with_entry(settings, found.content, [((NAME, name), value) for name, value in values.items()])
        else:
            change = Change.ADD if present is None else Change.REPLACE
            after = with_entry(settings, found.content, [((NAME,), entry)])
        notes = (*self._notes(found, change), *self._doubles(found), *_of(wanted))
        step = self._step(found, change, after, entry, notes)
        return replace(step, again=partial(self.install, scope, wanted))

    def remove(self, scope: Scope) -> Step:
        """Nothing of ours in it. Raises `OutputError`."""
        found = self._read(scope)
        if found.content is None or found.present is None:
            return self._step(found, Change.ABSENT, found.content, None)
        if not is_ours(found.present):
            note = f"The entry {NAME!r} starts something else: {said(found.present)}. It stays."
            return self._step(found, Change.LEFT, found.content, found.present, (note,))
        step = self._step(found, Change.REMOVE, without_entry(found.settings, found.content, NAME), None)
        return replace(step, again=partial(self.remove, scope))

    def _read(self, scope: Scope) -> _Found:
        settings = chosen(self._source, self._all, scope)
        place = real_place(settings.file, settings.scope, self._around.folder)
        content = content_of(place)
        return _Found(settings, place, content, servers(settings, parsed(settings, content)))

    def _step(self, found: _Found, change: Change, after: bytes | None, entry: Any, notes: Sequence[str] = ()) -> Step:
        settings, present = found.settings, found.present
        names, shown = (*settings.names, NAME), entry or present
        return Step(
            agents=(self._source.name,),
            titles=(self._source.title,),
            scope=settings.scope,
            change=change,
            place=found.place,
            base=self._around.folder if settings.scope is Scope.PROJECT else self._around.home,
            before=found.content,
            after=after,
            names=names,
            entry_before=present if isinstance(present, dict) else None,
            entry_after=entry,
            fragment=FORMATS[settings.format].fragment(names, shown) if shown else "",
            notes=tuple(notes),
            lock=settings.lock,
        )

    @staticmethod
    def _notes(found: _Found, change: Change) -> Iterator[str]:
        settings = found.settings
        if change is Change.REPLACE:
            yield f"The entry {NAME!r} starts something else now: {said(found.present)}."
        if not change.writes:
            return
        if found.place != settings.file and settings.file.is_symlink():
            yield f"{display_path(settings.file)} is a link to this file."
        if settings.scope is Scope.PROJECT:
            yield "A file of the project: others who use it have pollux elsewhere, or not at all."
        if settings.note is not None:
            yield settings.note

    def _doubles(self, found: _Found) -> Iterator[str]:
        """A sentence for each other entry that leads to pollux: the agent would offer the same tools twice."""
        for name, _ in to_pollux(found.entries):
            if name != NAME:
                yield f"The entry {name!r} of this file leads to pollux, too: one of them is enough."
        for settings in each_once((found.settings, *self._all)):
            if settings is not found.settings and any(True for _ in self._others(settings)):
                yield f"{display_path(settings.file)} leads to pollux, too ({settings.scope}): one of them is enough."

    def _others(self, settings: ServerSettings) -> Iterator[str]:
        try:
            entries = servers(settings, parsed(settings, content_of(settings.file)))
        except OutputError:  # the agent does not understand it either
            return
        yield from (name for name, entry in to_pollux(entries) if is_ours(entry))


def _of(wanted: Wanted) -> Iterator[str]:
    if is_passing(wanted.command):
        yield (
            "This pollux lies in a cache that may be cleared at any time. Install it first: "
            "uv tool install pollux, or pip install pollux."
        )
