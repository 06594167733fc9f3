"""The agents themselves resume what pollux puts back, of every home of the corpus: as if it had never been gone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pollux import Library
from pollux.errors import OutputError
from pollux.model import Kind, Summary
from tests.agents.conftest import CLIS, in_full, need

CORPUS = Path(__file__).parent.parent / "corpus"
PROMPT = "And then, what came of it?"
NEWEST = {"gemini": "0.61.0", "claude": "2.1.325", "codex": "0.166.0"}
NEWEST |= {"copilot": "1.0.102", "opencode": "1.18.33", "qwen": "0.24.4"}
HOMES = sorted(f"{home.parts[-3]}/{home.parts[-2]}" for home in CORPUS.glob("*/*/home"))
NOT_RESUMED = (
    *("codex/0.1.2504172351", "codex/0.1.2505291658", "codex/0.8.0", "codex/0.20.0", "codex/0.29.0"),
    *("gemini/0.1.22-tui", "opencode/0.5.29", "opencode/1.0.185", "opencode/1.1.65", "qwen/0.1.4"),
)
"""Homes whose files no present release resumes; the one of Gemini CLI has no sessions at all."""
WHOLE_HOMES = ("qwen",)
"""Agents that keep sessions in their own folder itself, so that files have its name before theirs."""
BELOW = {"opencode": ".local/share"}
"""The folder in a home in which an agent's own folder lies, if that is not the agent's with a dot."""

pytestmark = in_full


class Kept:
    """A copy of a home, all of whose sessions pollux keeps."""

    def __init__(self, name: str, folder: Path) -> None:
        self.agent, self.home, self.back = name.partition("/")[0], folder / "home", folder / "back"
        self._folder = folder
        shutil.copytree(CORPUS / name / "home", self.home, symlinks=True)
        truth = json.loads((CORPUS / name / "oracle.json").read_bytes())
        self._projects = {session["id"]: session["project"] for session in truth["sessions"]}
        file = CORPUS / name / "env.json"
        self.variables: dict[str, str] = json.loads(file.read_bytes()) if file.exists() else {}
        with self.library() as library:
            library.archive.on()
            library.sync()
            entries = [entry.summary for entry in library.list()]
        self._files = [Path(file) for entry in entries for file in entry.files]
        live = [one for one in entries if one.kind is Kind.MAIN and "archived_sessions" not in one.files[0]]
        held = [one for one in live if self._projects.get(one.id)]
        self.sessions = sorted(held, key=lambda one: (one.counts.tool_calls, one.counts.replies), reverse=True)

    def library(self) -> Library:
        own = {f"XDG_{name}_HOME": str(self._folder / "own" / name) for name in ("CACHE", "DATA", "CONFIG")}
        variables = {name: value.replace("{HOME}", str(self.home)) for name, value in self.variables.items()}
        return Library({"HOME": str(self.home), **own, **variables}, self.home, hunt=False)

    def lose(self) -> None:
        """Delete the files of all sessions."""
        for file in self._files:
            for path in (file, *(file.with_name(file.name + side) for side in ("-wal", "-shm"))):
                path.unlink(missing_ok=True)

    def put_back(self, session: Summary, *, elsewhere: bool) -> None:
        """Restore a session where it was, or recover it below an empty folder."""
        with self.library() as library:
            lost = library.session(session.key)
            if elsewhere:
                below = self.back / BELOW.get(self.agent, f".{self.agent}")
                place = self.back if self.agent in WHOLE_HOMES else below
                plan = library.recover.plan(library.recover.rebuild(lost), place)
            else:
                plan = library.archive.plan(lost, None)
            library.archive.restore(plan)

    def resumed(self, harness: ModuleType, session: Summary, *, elsewhere: bool = False) -> Any:
        """What the agent sends to the model if it goes on with a session."""
        project = self._projects[session.id]
        where = self.back if elsewhere else self.home
        more = {
            "session": session.id,
            "variables": {} if elsewhere and self.agent not in WHOLE_HOMES else self.variables,
            "provider": next(iter(session.facts.get("provider", ())), None),
        }
        with harness.Room(self.agent, NEWEST[self.agent], where, project, CLIS, **more) as room:
            for file in sorted(where.glob(".local/share/opencode/import/*.json")):
                status, told, problem = room.run(["import", str(file)], 60)
                assert (status, file.stem in told) == (0, True), told + problem
            return harness.resume(room, PROMPT, 120)


@pytest.mark.parametrize("name", HOMES)
def test_it_is_resumed_as_before(harness: ModuleType, name: str, tmp_path: Path) -> None:
    agent, _, _ = name.partition("/")
    need(agent, NEWEST[agent])
    kept = Kept(name, tmp_path)
    asked = [(session, kept.resumed(harness, session)) for session in kept.sessions[:4]]
    before = next(((session, report) for session, report in asked if report["resumed"]), None)
    assert (before is None) == (name in NOT_RESUMED)
    if before is None:
        return
    session, expected = before
    kept.lose()
    assert not kept.resumed(harness, session)["resumed"]
    places = [False, True]
    if agent == "opencode":  # pollux writes to no database: it makes a file that the agent imports
        with pytest.raises(OutputError, match="pollux writes to no database"):
            kept.put_back(session, elsewhere=False)
        places = [True]
    for elsewhere in places:
        kept.put_back(session, elsewhere=elsewhere)
    for elsewhere in places:
        report = kept.resumed(harness, session, elsewhere=elsewhere)
        assert report["resumed"], report["stderr"]
        assert harness.compare(expected, report) is None
