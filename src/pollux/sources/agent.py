"""A source that is a folder of modules, as each of ours is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pollux.model import FACTS
from pollux.sources.base import Bundle, File, Reading, Retention, Root, SourceContext
from pollux.system.gc_pause import gc_paused

if TYPE_CHECKING:
    from pollux.model import About, Message, Session, ToolCall
    from pollux.sources.moving import Moving
    from pollux.sources.resuming import Form, Resumable


class Agent:
    """The modules of a package as a `Source` with all capabilities: `find`, `group`, `read`, `about` and so on.

    Each is imported when it is needed: mostly nothing changed since somebody looked, and `find` is all it takes.
    """

    def __init__(self, name: str, title: str, package: str, *, wonders: bool = False) -> None:
        self.name = name
        self.title = title
        self.wonders = wonders
        self._package = package
        self._modules: dict[str, Any] = {}

    def _module(self, name: str) -> Any:
        if name not in self._modules:
            self._modules[name] = import_module(f"{self._package}.{name}")
        return self._modules[name]

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where this agent keeps sessions."""
        found: list[Root] = self._module("find").roots(environ, home)
        return found

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a root, and those beside it that are about sessions."""
        found: Iterator[File] = self._module("find").find(root)
        return found

    def bundles(self, root: Path, files: Iterable[File], around: SourceContext) -> list[Bundle]:
        """The sessions among the files."""
        found: list[Bundle] = self._module("group").bundles(root, files, around)
        return found

    def read(self, bundle: Bundle) -> Reading:
        """One session and those inside it."""
        with gc_paused():
            from pollux.sources.gaps import with_damage

            reading: Reading = self._module("read").read(bundle)
            sessions = with_damage(reading.sessions, bundle)
            facts = self._module("about").facts
            return replace(reading, sessions=[_with_facts(session, facts(session)) for session in sessions])

    def about(self, session: Session) -> About:
        """What the agent is called elsewhere."""
        about: About = self._module("about").about(session)
        return about

    def answer(self, call: ToolCall) -> Any:
        """A tool's answer as the agent wrote it, where that can still be told."""
        return self._module("about").answer(call)

    def compacts(self, message: Message) -> bool:
        """Does a message only tell that the conversation was folded?"""
        compacts: bool = self._module("about").compacts(message)
        return compacts

    def retention(self, root: Path) -> Retention | None:
        """When this agent deletes sessions; None where it never does."""
        retention: Retention | None = self._module("retention").retention(root)
        return retention

    def moving(self, root: Path, moved: Mapping[str, str]) -> Moving | None:
        """What must change under a root so that the agent finds histories under new paths."""
        moving: Moving | None = self._module("moving").moving(root, moved)
        return moving

    def resuming(self, session: Session, forms: Sequence[Form], root: Path) -> list[Resumable]:
        """Files that the agent resumes a session from, made of all forms of those it had."""
        files: list[Resumable] = self._module("resuming").resuming(session, forms, root)
        return files

    def united(self, forms: Sequence[Form]) -> bytes | None:
        """One content that holds what all forms of a file hold, the last of them as it was."""
        content: bytes | None = self._module("resuming").united(forms)
        return content

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Is this the agent's?"""
        claimed: bool = self._module("group").recognizes(path, head)
        return claimed

    def bundle_of_file(self, path: Path, around: SourceContext) -> Bundle:
        """A single file."""
        bundle: Bundle = self._module("group").bundle_of_file(path, around)
        return bundle


def _with_facts(session: Session, told: Iterable[tuple[str, Any]]) -> Session:
    """The session with what its files tell of its surroundings: texts, each once, in their order."""
    facts: dict[str, dict[str, None]] = {}
    for name, value in told:
        if isinstance(value, str) and value.strip():
            facts.setdefault(name, {})[value] = None
    return replace(session, facts={name: tuple(facts[name]) for name in FACTS if name in facts}) if facts else session
