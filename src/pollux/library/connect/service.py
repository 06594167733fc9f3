"""Connects agents with pollux: plans what that changes, writes it, and checks what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.errors import NotFound, RequestError
from pollux.library.connect import files, skill
from pollux.library.connect.check import Checks, check
from pollux.library.connect.entries import Wanted
from pollux.library.connect.own_start import folder_variables, own_command
from pollux.library.connect.plan import ConnectPlan, Fragment, Step
from pollux.library.connect.servers import ServerPlanner, chosen, fragment
from pollux.library.resume.installed import installed
from pollux.sources.capabilities import home_folder_of, server_settings_of, skill_folders_of
from pollux.sources.tool_host import Scope, Surroundings

if TYPE_CHECKING:
    from pollux.library.homes import Homes
    from pollux.sources.base import Source
    from pollux.system.directories import Places

ALL = "all"


class ConnectService:
    """Makes pollux known to agents. Nothing is written before `write`."""

    def __init__(self, places: Places, homes: Homes, here: Path) -> None:
        self._places = places
        self._homes = homes
        self._here = here

    def plan_server(self, agent: str, scope: str = Scope.USER, *, remove: bool = False) -> ConnectPlan:
        """The server in the settings of an agent, or with `all` of every agent that is on this machine.

        With `remove`, it is taken out of them. Raises `NotFound` where there is no agent, and `OutputError` where a
        file cannot be changed safely.
        """
        here, absent = self._agents(agent, anywhere=remove)
        wanted, around, within = self._wanted(), self._around(), self._scope(scope)
        steps: list[Step] = []
        for source in here:
            planner = ServerPlanner(source, server_settings_of(source, around), around)
            step = planner.remove(within) if remove else planner.install(within, wanted)
            steps.append(self._noted(step, [source], around))
        return ConnectPlan(steps=tuple(steps), absent=absent)

    def server_fragments(self, agent: str, scope: str = Scope.USER) -> list[Fragment]:
        """What a person would write into the settings of an agent, or with `all` of every agent. No file is read."""
        wanted, around, within = self._wanted(), self._around(), self._scope(scope)
        return [
            fragment(source, chosen(source, server_settings_of(source, around), within), wanted)
            for source in self._agents(agent, anywhere=True)[0]
        ]

    def plan_skill(self, agent: str = ALL, scope: str = Scope.USER, *, remove: bool = False) -> ConnectPlan:
        """The skill in the folder of an agent, or with `all` in those of all that are on this machine.

        With `remove`, it is taken away. Raises as `plan_server` does.
        """
        here, absent = self._agents(agent, anywhere=remove)
        steps = [
            self._noted(skill.plan_step(place, sources, remove=remove), sources, place.around)
            for place, sources in self._skill_places(here, self._scope(scope))
        ]
        return ConnectPlan(steps=tuple(steps), absent=absent)

    def skill_text(self) -> str:
        """The skill."""
        return skill.text()

    def write(self, plan: ConnectPlan) -> ConnectPlan:
        """Write what was planned: all of it, or nothing; with a copy of each file as it was. Raises `OutputError`."""
        return files.write(plan, self._places.replaced)

    def check(self) -> Checks:
        """Start each entry that leads to pollux as its agent would, and see whether it answers."""
        return check(self._homes.sources(), self._around(), own_command(self._places.environ))

    # ------------------------------------------------------------------ agents

    def _agents(self, name: str, *, anywhere: bool) -> tuple[list[Source], tuple[str, ...]]:
        """The agents of a name, and the titles of those that are not on this machine. Raises `NotFound`."""
        around = self._around()
        if name != ALL:
            self._homes.require_agent(name)
            source = self._homes.source(name)
            if not server_settings_of(source, around):
                raise RequestError(f"pollux does not know where {source.title} looks for servers and skills.")
            return [source], ()
        sources = [source for source in self._homes.sources() if server_settings_of(source, around)]
        here = [source for source in sources if anywhere or self._is_here(source, around)]
        absent = tuple(source.title for source in sources if source not in here)
        if not here:
            raise NotFound(
                f"None of these agents is on this machine: {', '.join(absent)}.", "Name one to write its file anyway."
            )
        return here, absent

    def _noted(self, step: Step, sources: Sequence[Source], around: Surroundings) -> Step:
        """A step; it says so where none of its agents is on this machine."""
        if not step.change.writes or any(self._is_here(source, around) for source in sources):
            return step
        return replace(step, notes=(*step.notes, f"{sources[0].title} is not on this machine yet."))

    def _is_here(self, source: Source, around: Surroundings) -> bool:
        folder = home_folder_of(source, around)
        return installed(source, self._places).path is not None or (folder is not None and folder.is_dir())

    def _skill_places(self, here: Sequence[Source], scope: Scope) -> Iterator[tuple[skill.Place, list[Source]]]:
        """Each folder of skills once, with the agents that read it."""
        around = self._around()
        found: dict[str, tuple[skill.Place, list[Source]]] = {}
        for source in here:
            for one in skill_folders_of(source, around):
                if one.scope is scope:
                    place = skill.Place(one.folder, one.scope, around)
                    found.setdefault(os.path.realpath(one.folder), (place, []))[1].append(source)
        yield from found.values()

    def _around(self) -> Surroundings:
        return Surroundings(environ=self._places.environ, home=self._places.home, folder=self._here)

    def _scope(self, scope: str) -> Scope:
        """A scope. Raises `RequestError` for the project if this folder is the home directory: that is no project."""
        if scope == Scope.PROJECT and os.path.realpath(self._here) == os.path.realpath(self._places.home):
            raise RequestError("This folder is your home directory, not a project.", "Go to a project first.")
        return Scope(scope)

    def _wanted(self) -> Wanted:
        """How agents are to start the server. Raises `RequestError` for a path that no settings can hold."""
        variables = {k: v for k, v in sorted(folder_variables(self._places, self._homes).items()) if k != "HOME"}
        command = own_command(self._places.environ)
        try:
            "\n".join((*command, *variables.values())).encode()
        except UnicodeEncodeError as error:
            raise RequestError(
                "pollux, or a folder that it needs, has a path that is no text, which no settings can hold."
            ) from error
        return Wanted(command, variables)
