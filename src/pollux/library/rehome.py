"""Moves of projects, with the changes that agents need to find their history again."""

from __future__ import annotations

import contextlib
import os
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from pollux.errors import NotFound, OutputError, StoreError
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.projects import ProjectsService
from pollux.model import Value
from pollux.model.project_hash import project_hash
from pollux.projects.moves import EVIDENCE, Moves, folder
from pollux.projects.relocate import JournalEntry, Relocations, entries_of
from pollux.sources.capabilities import rehome_plan_of
from pollux.sources.rehome_plan import Rename, Rewrite
from pollux.system.clock import now
from pollux.system.deep_folders import files_below
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

QUIET = timedelta(minutes=5)
"""If something was written within this time, the agent may still be running."""


class Step(Value, frozen=True, kw_only=True):
    """A change in an agent's files: `rename` with `to`, or `rewrite` with `what`."""

    agent: str
    change: str
    path: str
    to: str | None = None
    what: str | None = None


class Unchanged(Value, frozen=True, kw_only=True):
    """What stays as it is in an agent's files, and why."""

    agent: str
    why: str


class Plan(Value, frozen=True, kw_only=True):
    """All changes of a move. `done`: they were made."""

    old: str
    new: str
    done: bool = False
    steps: tuple[Step, ...]
    left: tuple[Unchanged, ...]


class _Draft(NamedTuple):
    """A plan, its steps with the present state, the folders that agents write to, and each project's new path."""

    plan: Plan
    entries: list[JournalEntry]
    folders: list[str]
    projects: dict[str, str]


class RehomeService:
    """Moves of projects in the agents' own files."""

    def __init__(
        self, places: Places, homes: Homes, index: FreshIndex, projects: ProjectsService, moves: Moves
    ) -> None:
        self._homes = homes
        self._index = index
        self._projects = projects
        self._moves = moves
        self._relocations = Relocations(places.relocations)

    def show(self, old: str, new: str) -> tuple[str, str, int]:
        """Show a project's history under its new path: both paths, and how many sessions a list has there now.

        Raises `NotFound`, and remembers nothing, where no agent has sessions of the project. A project may be known by
        its hash only, or may have been moved before. Then pollux must read everything again to find out.
        """
        if not self._may_be_known(*self._moves.ends(old, new)):
            raise self._unknown_project(folder(old))
        earlier = self._moves.all().get(folder(old))
        before, after = self._move(old, new)
        try:
            return before, after, self._count_moved(before, after)
        except BaseException:
            self._moves.undo(old)
            if earlier is not None:
                self._moves.move(old, earlier)
            raise

    def _count_moved(self, before: str, after: str) -> int:
        """How many sessions a list has under the new path because of moves. Raises `NotFound` where there are none."""
        keys = {
            entry.summary.key
            for entry in self._index.everything()
            if entry.summary.project_evidence == EVIDENCE and _inside(entry.summary.project or "", after)
        }
        if not keys:
            raise self._unknown_project(before)
        return sum(entry.summary.key in keys for entry in self._index.entries())

    def _move(self, old: str, new: str) -> tuple[str, str]:
        """Remember that a project was moved. The next question works everything out anew.

        The hash of the old path is remembered first: alone it moves nothing.
        """
        before, after = self._moves.ends(old, new)
        self._projects.add(before)
        self._moves.move(old, new)
        self._index.close()
        return before, after

    def _may_be_known(self, before: str, after: str) -> bool:
        """Could there be sessions of a project?"""
        digest = project_hash(before)
        summaries = (entry.summary for entry in self._index.everything())
        return any(
            summary.project_hash == digest
            or summary.project_evidence == EVIDENCE
            or _inside(summary.project or "", before)
            or _inside(summary.project or "", after)
            for summary in summaries
        )

    def plan(self, old: str, new: str) -> Plan:
        """What must change. Raises `NotFound` where no agent has sessions of the project."""
        return self._draft(old, new).plan

    def carry_out(self, old: str, new: str) -> Plan:
        """Make the changes, and show the history under the new path: all of it, or nothing.

        Raises `OutputError` if that is not safe now, and `StoreError` where pollux cannot remember the move.
        """
        plan, entries, folders, projects = self._draft(old, new)
        self._require_quiet(folders)
        for path in projects.values():
            self._projects.add(path)  # a folder may be named by its hash from now on
        if entries:
            self._relocations.apply(*self._moves.ends(old, new), entries)
        try:
            self._move(old, new)
        except BaseException:
            if entries and (last := self._relocations.last(folder(old))) is not None:
                self._relocations.revert(*last)
            raise
        return Plan(old=plan.old, new=plan.new, done=True, steps=plan.steps, left=plan.left)

    def undo(self, old: str) -> tuple[str, list[str]]:
        """Forget a move, and undo its changes in the agents' files. Returns the new path, and the files put back."""
        last = self._relocations.last(folder(old))
        if last is None:
            return self._moves.undo(old), []
        back = [display_path(path) for path in self._relocations.revert(*last)]
        try:
            with contextlib.suppress(NotFound):  # the move was interrupted
                self._moves.undo(old)
        except StoreError as error:
            raise StoreError(str(error), "The agents' files are back as they were. Try the same again.") from error
        return os.fsdecode(last[1].new), back

    def _draft(self, old: str, new: str) -> _Draft:
        try:
            return self._draft_steps(old, new)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be read: {error.strerror}.", "Nothing was changed.") from error

    def _draft_steps(self, old: str, new: str) -> _Draft:
        before, after = self._moves.ends(old, new)
        agents, projects = self._agents_and_projects(before, after)
        steps: list[Rename | Rewrite] = []
        changes: list[Step] = []
        left: list[Unchanged] = []
        folders: list[str] = []
        for source, root in self._homes.roots():
            if source.name not in agents or not folder_at(root.path):
                continue
            agent_plan = rehome_plan_of(source, root.path, projects)
            if agent_plan is None:
                left.append(Unchanged(agent=source.name, why="pollux does not know where it looks for sessions"))
                continue
            steps += agent_plan.steps
            folders += agent_plan.folders
            changes += [_step(source.name, step) for step in agent_plan.steps]
            left += [Unchanged(agent=source.name, why=why) for why in agent_plan.left]
        entries = entries_of(steps)
        plan = Plan(
            old=display_path(before), new=display_path(after), steps=tuple(changes), left=tuple(dict.fromkeys(left))
        )
        return _Draft(plan, entries, folders, projects)

    def _agents_and_projects(self, before: str, after: str) -> tuple[set[str], dict[str, str]]:
        """The agents with sessions of the project or of projects inside it, and the new path of each project."""
        agents: set[str] = set()
        projects = {before: after}
        for entry in self._index.everything():
            path = entry.summary.project or ""
            is_moved = (
                entry.summary.project_evidence == EVIDENCE
            )  # an earlier move: the session is shown under the new path
            for base in (before, after) if is_moved else (before,):
                if _inside(path, base):
                    agents.add(entry.summary.agent)
                    projects[before + path[len(base) :]] = after + path[len(base) :]
        if not agents:
            raise self._unknown_project(before)
        return agents, projects

    def _unknown_project(self, project: str) -> NotFound:
        """The error where no agent knows a project."""
        closest = self._projects.closest(project)
        hint = f"Did you mean: {display_path(closest)}?" if closest is not None else "Try: pollux projects"
        return NotFound(f"No agent has sessions of {display_path(project)}.", hint)

    @staticmethod
    def _require_quiet(folders: list[str]) -> None:
        limit = (now() - QUIET).timestamp() * 1e9
        for place in folders:
            for path, stat in files_below(Path(place)):
                if stat.st_mtime_ns > limit:
                    hint = "Nothing was changed. End the agent, and try again in some minutes."
                    raise OutputError(f"{display_path(path)} was written in the last minutes.", hint)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _step(agent: str, step: Rename | Rewrite) -> Step:
    if isinstance(step, Rename):
        return Step(agent=agent, change="rename", path=display_path(step.path), to=display_path(step.to))
    return Step(agent=agent, change="rewrite", path=display_path(step.path), what=step.what)
