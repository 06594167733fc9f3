"""A project that was moved, with what its agents need to find its history again."""

from __future__ import annotations

import contextlib
import os
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from pollux.errors import NotFound, OutputError
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.projects import ProjectsService
from pollux.model import Value
from pollux.model.project_hash import project_hash
from pollux.projects.moves import EVIDENCE, folder
from pollux.projects.relocate import Relocations, RelocationStep, plan_steps
from pollux.sources.capabilities import moving_of
from pollux.sources.moving import Rename, Rewrite
from pollux.system.clock import now
from pollux.system.deep_folders import files_below
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

QUIET = timedelta(minutes=5)
"""For so long nothing may have been written: an agent may still be running."""


class Step(Value, frozen=True, kw_only=True):
    """A change in an agent's files: `rename` with `to`, or `rewrite` with `what`."""

    agent: str
    change: str
    path: str
    to: str | None = None
    what: str | None = None


class Left(Value, frozen=True, kw_only=True):
    """What stays as it is in an agent's files, and why."""

    agent: str
    why: str


class Plan(Value, frozen=True, kw_only=True):
    """All that a move takes. `done` says that it was done."""

    old: str
    new: str
    done: bool = False
    steps: tuple[Step, ...]
    left: tuple[Left, ...]


class _Look(NamedTuple):
    """A plan, the steps with what they found, where agents write such sessions, and where each project goes."""

    plan: Plan
    entries: list[RelocationStep]
    folders: list[str]
    moved: dict[str, str]


class RehomeService:
    """Moves of projects in the agents' own files."""

    def __init__(self, places: Places, homes: Homes, index: FreshIndex, projects: ProjectsService) -> None:
        self._homes = homes
        self._index = index
        self._projects = projects
        self._relocations = Relocations(places.relocations)

    def show(self, old: str, new: str) -> tuple[str, str, int]:
        """Show a project's history under its new path: both paths, and how many sessions a list has there now.

        Raises `NotFound`, and remembers nothing, where no agent has sessions of the project. Where it may be one that
        is known by its hash only, or was moved before, that shows only afterwards, and everything is read anew for it.
        """
        if not self._perhaps(*self._projects.moves.ends(old, new)):
            raise self._nobody(folder(old))
        before, after = self._projects.move(old, new)
        listed = (one.summary for one in self._index.everything())
        there = [told for told in listed if told.project_evidence == EVIDENCE and _inside(told.project or "", after)]
        if not there:
            self._projects.moves.undo(old)
            raise self._nobody(before)
        usual = {one.summary.key for one in self._index.entries()}
        return before, after, sum(told.key in usual for told in there)

    def _perhaps(self, before: str, after: str) -> bool:
        """May there be sessions of a project, as far as that is known without a move?"""
        digest = project_hash(before)
        told = (one.summary for one in self._index.everything())
        return any(
            one.project_hash == digest
            or one.project_evidence == EVIDENCE
            or _inside(one.project or "", before)
            or _inside(one.project or "", after)
            for one in told
        )

    def plan(self, old: str, new: str) -> Plan:
        """What must change. Raises `NotFound` where no agent has sessions of the project."""
        return self._look(old, new).plan

    def carry_out(self, old: str, new: str) -> Plan:
        """Change it, and show the history under the new path. Raises `OutputError` where that is not safe now."""
        plan, entries, folders, moved = self._look(old, new)
        self._quiet(folders)
        if entries:
            self._relocations.apply(*self._projects.moves.ends(old, new), entries)
        for path in moved.values():
            self._projects.add(path)  # a folder may be named by its hash from now on
        self._projects.move(old, new)
        return Plan(old=plan.old, new=plan.new, done=True, steps=plan.steps, left=plan.left)

    def undo(self, old: str) -> tuple[str, list[str]]:
        """Forget a move, and put the agents' files back where it was done in them: where it led, what is back."""
        found = self._relocations.last(folder(old))
        if found is None:
            return self._projects.moves.undo(old), []
        back = [display_path(path) for path in self._relocations.revert(*found)]
        with contextlib.suppress(NotFound):  # it was cut short
            self._projects.moves.undo(old)
        return os.fsdecode(found[1].new), back

    def _look(self, old: str, new: str) -> _Look:
        try:
            return self._looked(old, new)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be read: {error.strerror}.", "Nothing was changed.") from error

    def _looked(self, old: str, new: str) -> _Look:
        before, after = self._projects.moves.ends(old, new)
        agents, moved = self._known(before, after)
        steps: list[Rename | Rewrite] = []
        told: list[Step] = []
        left: list[Left] = []
        folders: list[str] = []
        for source, root in self._homes.roots():
            if source.name not in agents or not folder_at(root.path):
                continue
            moving = moving_of(source, root.path, moved)
            if moving is None:
                left.append(Left(agent=source.name, why="pollux does not know where it looks for sessions"))
                continue
            steps += moving.steps
            folders += moving.folders
            told += [_told(source.name, step) for step in moving.steps]
            left += [Left(agent=source.name, why=why) for why in moving.left]
        entries = plan_steps(steps)
        plan = Plan(
            old=display_path(before), new=display_path(after), steps=tuple(told), left=tuple(dict.fromkeys(left))
        )
        return _Look(plan, entries, folders, moved)

    def _known(self, before: str, after: str) -> tuple[set[str], dict[str, str]]:
        """The agents with sessions of the project and of those inside it, and where each of these is to be."""
        agents: set[str] = set()
        moved = {before: after}
        for one in self._index.everything():
            path = one.summary.project or ""
            told = one.summary.project_evidence == EVIDENCE  # of the move before: it is shown under the new path
            for base in (before, after) if told else (before,):
                if _inside(path, base):
                    agents.add(one.summary.agent)
                    moved[before + path[len(base) :]] = after + path[len(base) :]
        if not agents:
            raise self._nobody(before)
        return agents, moved

    def _nobody(self, project: str) -> NotFound:
        """No agent knows a project."""
        near = self._projects.closest(project)
        hint = f"Did you mean: {display_path(near)}?" if near is not None else "Try: pollux projects"
        return NotFound(f"No agent has sessions of {display_path(project)}.", hint)

    @staticmethod
    def _quiet(folders: list[str]) -> None:
        limit = (now() - QUIET).timestamp() * 1e9
        for place in folders:
            for path, stat in files_below(Path(place)):
                if stat.st_mtime_ns > limit:
                    hint = "Nothing was changed. End the agent, and try again in some minutes."
                    raise OutputError(f"{display_path(path)} was written in the last minutes.", hint)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _told(agent: str, step: Rename | Rewrite) -> Step:
    if isinstance(step, Rename):
        return Step(agent=agent, change="rename", path=display_path(step.path), to=display_path(step.to))
    return Step(agent=agent, change="rewrite", path=display_path(step.path), what=step.what)
