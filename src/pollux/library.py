"""The one object every view holds: all sessions of this machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from pollux import registry
from pollux.errors import Ambiguous, NotFound, UnknownName, Unreadable
from pollux.ledger import Doctor, examine
from pollux.memory import ProjectMemory
from pollux.model import Kind, Session, Severity, Summary, Usage, Value, add, summarize
from pollux.places import Places
from pollux.sources.base import Bundle, Root, Source, Surroundings
from pollux.wire import read_head

ALWAYS_LISTED = (Kind.MAIN,)
WITNESSES = ("recorded", "history", "marker", "registry", "remembered", "hash", "guess")
"""How a project's path may be known, the best first."""
_HEAD = 4096

Rows = list
"""The plain list; inside `Library` that word is a method."""


class Filter(Value, frozen=True, kw_only=True):
    """Which sessions are wanted; what is None does not matter.

    `project` is a path, a name, part of a name, or the first digits of an unknown project's hash; `words` must all
    occur in the title, the prompts or the project; `everything` adds sub-agents, checkpoints, prompt logs.
    """

    agent: str | None = None
    project: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: tuple[str, ...] = ()
    everything: bool = False

    def wants(self, summary: Summary) -> bool:
        """Is this session one of them?"""
        if self.agent is not None and summary.agent != self.agent:
            return False
        if not self.everything and summary.kind not in ALWAYS_LISTED:
            return False
        moment = summary.ended or summary.started
        if self.since is not None and (moment is None or moment < self.since):
            return False
        if self.until is not None and ((summary.started or moment) is None or (summary.started or moment) > self.until):  # type: ignore[operator]
            return False
        if self.project is None or fits(self.project, summary.project):
            return True
        return summary.project_hash is not None and _is_start(self.project, summary.project_hash)

    def mentioned(self, session: Session) -> bool:
        """Does every word occur in what the session is about?"""
        if not self.words:
            return True
        said = [session.title or "", session.project or "", *(prompt.text for prompt in session.prompts)]
        text = "\n".join(said).casefold()
        return all(word.casefold() in text for word in self.words)


class Listed(Value, frozen=True, kw_only=True):
    """A session in a list.

    `family_usage` is what its whole family used, `short` the beginning of its id that no other session has;
    `troubled` says that its files gave cause for a warning.
    """

    summary: Summary
    family_usage: Usage
    short: str
    troubled: bool = False


class Project(Value, frozen=True, kw_only=True):
    """A directory people worked in, or the hash of one that is not known."""

    path: str | None
    name: str
    agents: Mapping[str, int]
    hashes: tuple[str, ...]
    evidence: str | None


class Library:
    """Every session of every agent, read from the agents' own files.

    >>> for session in Library().sessions():
    ...     print(session.key, session.title)

    `environ` stands for the process's environment, `cwd` for the directory it was started in.
    """

    def __init__(self, environ: Mapping[str, str] | None = None, cwd: Path | None = None, *, hunt: bool = True) -> None:
        self.places = Places(environ)
        self.cwd = Path.cwd() if cwd is None else cwd
        self.memory = ProjectMemory(self.places)
        self._hunt = hunt
        self._asked: str | None = None

    # ------------------------------------------------------------------ what there is

    def sources(self) -> Rows[Source]:
        """Every agent pollux can read."""
        return [registry.source(name) for name in registry.source_names()]

    def roots(self) -> Rows[tuple[Source, Root]]:
        """Where each agent's sessions are looked for."""
        return [(s, root) for s in self.sources() for root in s.roots(self.places.environ, self.places.home)]

    def bundles(self, agent: str | None = None) -> Rows[tuple[Source, Bundle]]:
        """The files of every session as they are now, those that changed last first; only heads are read."""
        if agent is not None and agent not in registry.source_names():
            raise UnknownName("agent", agent, registry.source_names())
        around = self._around()
        found: list[tuple[Source, Bundle]] = []
        for source, root in self.roots():
            if agent in (None, source.name):
                files = list(source.find(root.path))
                found += [(source, bundle) for bundle in source.bundles(root.path, files, around)]
        return sorted(found, key=lambda pair: pair[1].changed_ns, reverse=True)

    def sessions(self, wanted: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        asked = wanted or Filter()
        for source, bundle in self.bundles(asked.agent):
            for session in source.read(bundle):
                if asked.wants(summarize(session)) and asked.mentioned(session):
                    yield session
        self.memory.save()

    def list(self, wanted: Filter | None = None, limit: int | None = None) -> Rows[Listed]:
        """Summaries, newest first."""
        asked = wanted or Filter()
        every: list[Summary] = []
        kept: list[tuple[Summary, bool]] = []
        found = self.bundles()
        if asked.agent is not None:
            registry.source(asked.agent)
        for source, bundle in found:
            for session in source.read(bundle) if asked.agent in (None, source.name) else ():
                summary = summarize(session)
                every.append(summary)
                if asked.wants(summary) and asked.mentioned(session):
                    kept.append((summary, any(notice.severity is not Severity.INFO for notice in session.notices)))
        self.memory.save()
        family = _families(every)
        short = _shortest({bundle.id for _, bundle in found}.union(summary.id for summary in every))
        rows = [Listed(summary=s, family_usage=family[s.key], short=short[s.id], troubled=t) for s, t in kept]
        rows.sort(key=lambda listed: _newest(listed.summary), reverse=True)
        return rows if limit is None else rows[:limit]

    # ------------------------------------------------------------------ one session

    def session(self, name: str) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        session = self._session(name)
        self.memory.save()
        return session

    def _session(self, name: str) -> Session:
        if name == "last":
            return self._last()
        agent, _, prefix = name.partition(":")
        if agent not in registry.source_names():
            path = _path(name)
            if path is not None and (_looks_like_path(name) or path.exists()):
                return self.open(path)
            agent, prefix = "", name
        found = [(s, b) for s, b in self.bundles(agent or None) if b.id.startswith(prefix)] if prefix else []
        # An id that all the others extend is the one meant: they were derived from it.
        shortest = min((b.id for _, b in found), key=len, default="")
        if all(b.id.startswith(shortest) for _, b in found):
            found = [(s, b) for s, b in found if b.id == shortest]
        if len({b.key for _, b in found}) > 1:
            raise Ambiguous(name, sorted({b.key for _, b in found}))
        for source, bundle in found:
            for session in source.read(bundle):
                if session.id.startswith(prefix):
                    return session
        return self._inner(name, agent, prefix)

    def _inner(self, name: str, agent: str, prefix: str) -> Session:
        """A session that lies inside another's files is found only by reading them."""
        inner = [
            session
            for source, bundle in self.bundles(agent or None)
            for session in source.read(bundle)
            if prefix and session.id != bundle.id and session.id.startswith(prefix)
        ]
        exact = [session for session in inner if session.id == prefix]
        inner = exact or inner
        if len({session.key for session in inner}) > 1:
            raise Ambiguous(name, sorted(session.key for session in inner))
        if not inner:
            raise UnknownName("session", name, hint="Try: pollux list --all")
        return inner[0]

    def _last(self) -> Session:
        newest = self.list(limit=1)
        if not newest:
            raise NotFound("There are no sessions.", "pollux agents shows where pollux looks.")
        return self._session(newest[0].summary.key)

    def starting(self, prefix: str, most: int = 1 << 24) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, those that changed last first.

        For completion, which must be quick: files of more than `most` bytes are not opened for their title.
        """
        for source, bundle in self.bundles():
            if bundle.id.startswith(prefix):
                small = sum(file.size for file in bundle.files) <= most
                read = source.read(bundle) if small else []
                yield source.name, bundle.id, summarize(read[0]).title if read else None

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        if path.is_dir():
            raise Unreadable(f"{path} is a folder, not a session file.")
        head = read_head(path, _HEAD)
        resolved = os.path.realpath(path)
        for source, bundle in self.bundles():
            if any(os.path.realpath(file.path) == resolved for file in bundle.files):
                for session in source.read(bundle):
                    return session
        for source in self.sources():
            if source.claims(path, head):
                for session in source.read(source.loose(path, self._around())):
                    return session
                raise Unreadable(f"{path} holds no conversation.")
        raise Unreadable(
            f"{path} is no session file of an agent pollux knows.", f"Known: {', '.join(registry.source_names())}."
        )

    def family_usage(self, session: Session) -> Usage:
        """What a session and its descendants used."""
        if (
            not any(getattr(part, "child", None) for m in session.messages for part in m.parts)
            and session.parent is None
        ):
            return session.usage
        return next(
            (each.family_usage for each in self.list(Filter(everything=True)) if each.summary.key == session.key),
            session.usage,
        )

    # ------------------------------------------------------------------ projects and files

    def projects(self, name: str | None = None) -> Rows[Project]:
        """The projects people worked in; a name, or part of it, narrows them down."""
        self._asked = name
        groups: dict[str, list[tuple[Summary, str | None]]] = {}
        for source, bundle in self.bundles():
            for session in source.read(bundle):
                if session.kind is Kind.SUBAGENT:
                    continue
                summary, digest = summarize(session), session.project_hash
                groups.setdefault(summary.project or digest or "", []).append((summary, digest))
        self.memory.save()
        found = [_project(group) for group in groups.values()]
        if name is not None:
            found = [p for p in found if fits(name, p.path) or any(_is_start(name, digest) for digest in p.hashes)]
        return sorted(found, key=lambda project: (project.path is None, project.name.lower(), project.path or ""))

    def teach(self, path: str) -> str:
        """Remember that this path is a project; returns the hash it will be known by."""
        digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
        self.memory.teach(digest, path)
        return digest

    def doctor(self) -> Doctor:
        """Account for every file under the agents' roots."""
        report = examine([(s, root.path, list(s.find(root.path))) for s, root in self.roots()], self._around())
        self.memory.save()
        return report

    # ------------------------------------------------------------------ inside

    def _around(self) -> Surroundings:
        return Surroundings(home=self.places.home, cwd=self.cwd, memory=self.memory, asked=self._asked, hunt=self._hunt)


def fits(asked: str, path: str | None) -> bool:
    """Does a project answer to what a person typed: its path, a folder above it, its name or part of it?"""
    if path is None:
        return False
    if asked == path or asked.rstrip("/\\") == path:
        return True
    if os.sep in asked or asked.startswith(("~", ".")):
        full = os.path.abspath(os.path.expanduser(asked))  # noqa: PTH100, PTH111
        return path == full or path.startswith(full.rstrip(os.sep) + os.sep)
    return asked.casefold() in os.path.basename(path.rstrip("/\\")).casefold()  # noqa: PTH119


def _is_start(asked: str, digest: str) -> bool:
    return len(asked) >= 4 and digest.startswith(asked.lower())


def _shortest(ids: Iterable[str]) -> dict[str, str]:
    """Of each id the beginning by which its session is found: its alone, but for ids that extend it."""
    order = sorted(ids)
    short: dict[str, str] = {}
    for index, id in enumerate(order):
        before = order[index - 1] if index else ""
        following = (order[place] for place in range(index + 1, len(order)))
        after = next((other for other in following if not other.startswith(id)), "")
        short[id] = id[: max(_shared(id, before) + 1, _shared(id, after) + 1, 8)]
    return short


def _shared(one: str, other: str) -> int:
    """How many characters two ids begin with in common."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _path(name: str) -> Path | None:
    """The name as a path, where it can be one."""
    try:
        path = Path(name).expanduser()
        path.exists()
    except (ValueError, OSError, RuntimeError):
        return None
    return path


def _looks_like_path(name: str) -> bool:
    return os.sep in name or name.endswith((".json", ".jsonl")) or name.startswith(("~", "."))


def _newest(summary: Summary) -> tuple[float, str]:
    moment = summary.ended or summary.started
    return (moment.timestamp() if moment is not None else 0.0, summary.key)


def _families(summaries: Iterable[Summary]) -> dict[str, Usage]:
    """Each session's usage with that of all its descendants."""
    every = {summary.key: summary for summary in summaries}
    children: dict[str, list[str]] = {}
    for summary in every.values():
        if summary.parent is not None:
            children.setdefault(summary.parent, []).append(summary.key)

    def family(key: str, above: frozenset[str]) -> list[Usage]:
        below = [u for child in children.get(key, ()) if child not in above for u in family(child, above | {child})]
        return [every[key].usage, *below]

    return {key: _sum(family(key, frozenset({key}))) for key in every}


def _sum(usages: list[Usage]) -> Usage:
    exact = False if any(u.exact is False for u in usages) else None if any(u.exact is None for u in usages) else True
    return add(usages, exact=exact)


def _project(group: list[tuple[Summary, str | None]]) -> Project:
    path = group[0][0].project
    hashes = tuple(sorted({digest for _, digest in group if digest}))
    # Conversations count; a project known only by what is left of them counts that.
    shown = [summary for summary, _ in group if summary.kind in ALWAYS_LISTED] or [summary for summary, _ in group]
    named = sorted(summary.agent for summary in shown)
    agents = {agent: named.count(agent) for agent in dict.fromkeys(named)}
    name = os.path.basename(path.rstrip("/\\")) or path if path else hashes[0][:8] if hashes else "unknown"  # noqa: PTH119
    known = {s.project_evidence for s, _ in group if s.project_evidence}
    evidence = next((one for one in (*WITNESSES, *sorted(known)) if one in known), None)
    return Project(path=path, name=name, agents=agents, hashes=hashes, evidence=evidence)
