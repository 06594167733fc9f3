"""Families of forks of which some files are gone and another is there twice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cached_property, partial
from itertools import combinations
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import OtherFiles, Source, SourceContext, other_files
from tests.properties.claude import CLAUDE
from tests.properties.copies import counted, differences, replies_in
from tests.properties.fork_styles import NAMES, Style, write_family
from tests.samples import sample

FOLDER = Path(".claude", "projects", "-work-weather")
SECOND_PLACES = (
    FOLDER / "backup.jsonl",
    FOLDER / "{} (copy).jsonl",
    FOLDER / "dddddddd-0000-4000-8000-000000000001.jsonl",
    FOLDER.with_name("-work-moved") / "{}.jsonl",
    Path(".config", "claude", "projects", "-work-weather", "{}.jsonl"),
)
"""Where a second copy of a transcript may lie."""


class Remains:
    """A family of three of which some files are gone; one of the others is there twice if there is a `second` place."""

    def __init__(self, home: Path, lost: tuple[str, ...], name: str, second: Path | None) -> None:
        self.home = home
        for other in lost:
            (home / FOLDER / f"{other}.jsonl").unlink()
        if second is not None:
            copy = Path(str(home / second).format(name))
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(home / FOLDER / f"{name}.jsonl", copy)
        self._name = f"without {lost}, {name} again in {second}"

    @cached_property
    def _sessions(self) -> list[Session]:
        return sessions_of(CLAUDE.source, self.home)

    def wrong_counts(self) -> Iterator[str]:
        """The replies, if not each of them is counted once."""
        lines = [line for file in self.home.rglob("*.jsonl") for line in file.read_bytes().splitlines()]
        expected = dict.fromkeys(replies_in(lines), 1)
        if counted(self._sessions) != expected:
            yield f"{self._name}: {differences(counted(self._sessions), expected)}"

    def wrong_links(self, *, of_fork: bool) -> Iterator[str]:
        """The links that lead to no session from which the fork got its copies."""
        parent, fork, last = NAMES
        ancestors: dict[str, list[str]] = {parent: [], fork: [parent], last: [parent, *([fork] if of_fork else [])]}
        for session in self._sessions:
            for link in session.links if session.id in ancestors else ():
                if link.target.removeprefix("claude:") not in ancestors[session.id]:
                    yield f"{self._name}: {session.id} is linked to {link.target}"


def remains(folder: Path, styles: tuple[Style, Style], *, of_fork: bool, silent: bool) -> Iterator[Remains]:
    """A family in every state in which at least one file is left, and a second copy in none or one of the places."""
    family = ([style.__name__ for style in styles], of_fork, silent)
    write_family(folder / "whole", styles, of_fork=of_fork, silent=silent)
    for number in range(len(NAMES)):
        for lost in combinations(NAMES, number):
            for name in sorted(set(NAMES) - set(lost)):
                for second in (None, *sample(SECOND_PLACES, 1, family, lost, name)):
                    home = folder / "home"
                    shutil.rmtree(home, ignore_errors=True)
                    shutil.copytree(folder / "whole", home)
                    yield Remains(home, lost, name, second)


def sessions_of(source: Source, home: Path) -> list[Session]:
    """The sessions under all roots of a home. One that lies under two of them is read once."""
    roots = source.roots({"HOME": str(home)}, home)
    by_key: dict[str, Session] = {}
    for root in roots:
        files = list(source.find(root.path))
        others = other_files(root, files, [(other, source.find(other.path)) for other in roots if other != root])
        for bundle in source.bundles(root.path, files, SourceContext(other_files=partial(OtherFiles, *others))):
            for session in source.read(bundle).sessions:
                by_key.setdefault(session.key, session)
    return list(by_key.values())
