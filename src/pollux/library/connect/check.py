"""Checks what the agents' settings say about pollux: each entry is started as its agent would."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.errors import OutputError
from pollux.library.connect.entries import each_once, is_ours, parsed, said, servers, to_pollux, variables_of, words_of
from pollux.library.connect.files import content_of
from pollux.library.connect.probe import Answer, NoAnswer, ask, bare_environment
from pollux.model import Value
from pollux.sources.capabilities import server_settings_of
from pollux.sources.tool_host import Scope, ServerSettings, Surroundings
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.sources.base import Source


_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class State(StrEnum):
    """What became of an entry.

    `other`: it has pollux's name, but starts something else. `off`: the user switched it off. `strange`: a project
    names a program that is not this pollux, which is not started. `unreadable`: the file is not understood.
    """

    ANSWERS = "answers"
    FAILS = "fails"
    GONE = "gone"
    OTHER = "other"
    OFF = "off"
    STRANGE = "strange"
    UNREADABLE = "unreadable"


class CheckedEntry(Value, frozen=True, kw_only=True):
    """An entry in an agent's settings. `why` is a sentence if it does not answer, `answer` what it says if it does."""

    agent: str
    title: str
    scope: Scope
    file: Path
    name: str | None
    command: tuple[str, ...]
    state: State
    why: str | None = None
    server: str | None = None
    version: str | None = None
    protocol: str | None = None
    tools: tuple[str, ...] = ()
    seconds: float | None = None


class Checks(Value, frozen=True, kw_only=True):
    """All entries, and a sentence for each agent that has several which lead to pollux."""

    entries: tuple[CheckedEntry, ...]
    duplicates: tuple[str, ...]

    @property
    def good(self) -> bool:
        """Is there an entry, and does every one answer that should?"""
        return bool(self.entries) and all(entry.state in (State.ANSWERS, State.OFF) for entry in self.entries)


def check(sources: Iterable[Source], around: Surroundings, own: Sequence[str]) -> Checks:
    """Start each entry that leads to pollux, and see whether it answers."""
    entries: list[CheckedEntry] = []
    duplicates: list[str] = []
    for source in sources:
        checker = _Checker(source, around, own)
        found = [
            entry for settings in each_once(server_settings_of(source, around)) for entry in checker.check(settings)
        ]
        entries += found
        ours = [entry for entry in found if entry.state not in (State.OTHER, State.UNREADABLE)]
        if len(ours) > 1:
            places = ", ".join(f"{entry.name} in {display_path(entry.file)} ({entry.scope})" for entry in ours)
            duplicates.append(f"{source.title} has {len(ours)} entries that lead to pollux: {places}. One is enough.")
    return Checks(entries=tuple(entries), duplicates=tuple(duplicates))


class _Checker:
    """Checks the entries of one agent."""

    def __init__(self, source: Source, around: Surroundings, own: Sequence[str]) -> None:
        self._source = source
        self._around = around
        self._own = tuple(own)

    def check(self, settings: ServerSettings) -> Iterator[CheckedEntry]:
        """The entries of a file that have pollux's name, or lead to it."""
        try:
            entries = servers(settings, parsed(settings, content_of(settings.file)))
        except OutputError as error:
            if settings.scope is not Scope.LOCAL:  # it is the user's file, and was reported
                yield self._entry(settings, None, (), State.UNREADABLE, why=str(error))
            return
        for name, entry in to_pollux(entries):
            yield self._checked(settings, name, entry)

    def _checked(self, settings: ServerSettings, name: str, entry: Mapping[str, Any]) -> CheckedEntry:
        words = self._expanded(settings, words_of(entry))
        if not is_ours(entry):
            return self._entry(settings, name, words, State.OTHER, why=f"It starts something else: {said(entry)}.")
        if entry.get("enabled") is False:
            return self._entry(settings, name, words, State.OFF, why="It is switched off there.")
        program = shutil.which(words[0], path=self._around.environ.get("PATH", os.defpath))
        if program is None:
            why = f"There is no program {words[0]}. Try: pollux mcp install {self._source.name}"
            return self._entry(settings, name, words, State.GONE, why=why)
        if settings.scope is Scope.PROJECT and not self._is_this_pollux(program, words):
            why = "It is not this pollux, but a program that the project names: it is not started."
            return self._entry(settings, name, words, State.STRANGE, why=why)
        try:
            answer = self._ask(settings, (program, *words[1:]), entry)
        except NoAnswer as error:
            return self._entry(settings, name, words, State.FAILS, why=f"It does not answer: {str(error).rstrip('.')}.")
        return self._entry(settings, name, words, State.ANSWERS, answer=answer)

    def _ask(self, settings: ServerSettings, words: Sequence[str], entry: Mapping[str, Any]) -> Answer:
        own, folder = {k: v for k, v in variables_of(entry).items() if isinstance(v, str)}, entry.get("cwd")
        patience = entry.get("startup_timeout_sec")
        return ask(
            words,
            bare_environment(self._around.environ, own),
            Path(folder) if isinstance(folder, str) else None,
            float(patience) if isinstance(patience, int | float) and patience > 0 else settings.patience,
        )

    def _expanded(self, settings: ServerSettings, words: tuple[str, ...]) -> tuple[str, ...]:
        """A command as the agent understands it: those with JSON put variables in the place of `${NAME}`."""
        if settings.format != "json":
            return words
        environ = self._around.environ
        return tuple(_VARIABLE.sub(lambda match: environ.get(match[1], match[2] or match[0]), word) for word in words)

    def _is_this_pollux(self, program: str, words: tuple[str, ...]) -> bool:
        own = self._own
        return os.path.realpath(program) == os.path.realpath(own[0]) and words[1 : len(own)] == own[1:]

    def _entry(  # noqa: PLR0913
        self,
        settings: ServerSettings,
        name: str | None,
        words: tuple[str, ...],
        state: State,
        *,
        why: str | None = None,
        answer: Answer | None = None,
    ) -> CheckedEntry:
        return CheckedEntry(
            agent=self._source.name,
            title=self._source.title,
            scope=settings.scope,
            file=settings.file,
            name=name,
            command=words,
            state=state,
            why=why,
            server=answer.name if answer is not None else None,
            version=answer.version if answer is not None else None,
            protocol=answer.protocol if answer is not None else None,
            tools=answer.tools if answer is not None else (),
            seconds=answer.seconds if answer is not None else None,
        )
