"""pollux's answers about a home of the corpus, through the library."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from pollux import Filter, Library, Session, Summary
from pollux.library.library import ListEntry
from tests.conformance.truth import CORPUS, Truth, normalize_space, oracle

EVERYTHING = Filter(everything=True)


class Answers:
    """A copy of a home, and every session pollux finds in it."""

    def __init__(self, agent: str, home: str) -> None:
        self.agent = agent
        self.name = home
        self.place = Path(tempfile.mkdtemp(prefix="pollux-conformance-"))
        atexit.register(shutil.rmtree, self.place, ignore_errors=True)
        self.home = self.place / "home"
        shutil.copytree(CORPUS / agent / home / "home", self.home)
        self.environ = _environment(agent, home, self.place)
        self.library = library = Library(self.environ, self.home)
        self.listed: dict[str, ListEntry] = {listed.summary.key: listed for listed in library.list(EVERYTHING)}
        self.usage = library.usage
        self.bills = library.usage.bills(self.listed)
        self.sessions: dict[str, Session] = {session.key: session for session in library.sessions(EVERYTHING)}
        self._keys: dict[int, list[str]] = {}
        self._match()

    def of(self, truth: Truth) -> list[str]:
        """The keys of the sessions that are this one: exactly one, if all is well."""
        records = oracle(self.agent, self.name)["sessions"]
        return self._keys[next(n for n, record in enumerate(records) if record is truth.record)]

    def parent_key(self, truth: Truth) -> str | None:
        """The key of the session that started this one."""
        records = oracle(self.agent, self.name)["sessions"]
        named = (number for number, record in enumerate(records) if truth["parent"] and record["id"] == truth["parent"])
        return next((key for number in named for key in self._keys[number]), None)

    @property
    def strangers(self) -> list[str]:
        """Main sessions that pollux lists and the oracle does not know."""
        whole = oracle(self.agent, self.name)
        known = {key for keys in self._keys.values() for key in keys}
        spare = {*whole.get("maybe", ()), *(name for record in whole["sessions"] for name in record.get("aliases", ()))}
        left = (listed.summary for key, listed in self.listed.items() if key not in known)
        return [summary.key for summary in left if summary.kind == "main" and summary.id not in spare]

    def inner(self, summary: Summary) -> set[str]:
        """The session's files relative to the home."""
        return {os.path.relpath(file, self.home) for file in summary.files}

    def _match(self) -> None:
        free = dict(self.listed)
        for number, record in enumerate(oracle(self.agent, self.name)["sessions"]):
            truth = Truth(self.agent, self.name, record)
            results = [key for key, listed in free.items() if record["id"] and listed.summary.id == record["id"]]
            if not results and record["kind"] in ("subagent", "checkpoint"):
                results = self._alike(truth, free)
            self._keys[number] = results
            if len(results) == 1:
                del free[results[0]]

    def _alike(self, truth: Truth, free: dict[str, ListEntry]) -> list[str]:
        """Sessions without an id of the agent's own are told by their file, and by what was said."""
        files, replies = set(truth["files"]), [normalize_space(text) for text in truth["replies"]]
        results = [
            key
            for key, listed in free.items()
            if listed.summary.kind == truth["kind"]
            and self.inner(listed.summary) & files
            and (truth.is_lost("parent") or listed.summary.parent == self.parent_key(truth))
        ]
        return results if len(results) < 2 else [key for key in results if said(self.sessions[key]) == replies]


@cache
def answers(agent: str, home: str) -> Answers:
    """Asked once a process."""
    return Answers(agent, home)


def said(session: Session) -> list[str]:
    """What the model said in words, in order."""
    results = (normalize_space(m.text) for m in session.messages if m.role == "assistant" and m.author == "model")
    return [text for text in results if text]


def _environment(agent: str, home: str, place: Path) -> dict[str, str]:
    """A clean environment in which the copy is the home, and pollux's own files lie beside it."""
    beside = CORPUS / agent / home / "env.json"
    named = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    own = {f"XDG_{name}_HOME": str(place / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    where = {"HOME": str(place / "home"), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}
    if path := os.environ.get("PYTHONPATH"):
        where["PYTHONPATH"] = path
    return {**where, **own, **{key: text.replace("{HOME}", where["HOME"]) for key, text in named.items()}}
