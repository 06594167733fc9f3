"""Claude Code, 1.0 to 2.1: `~/.claude/projects/<directory>/<session>.jsonl` and what lies around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import Bundle, File, Root, Surroundings
from pollux.sources.claude import bundles, find
from pollux.sources.claude.bundles import ClaudeBundle
from pollux.sources.claude.read import read
from pollux.wire.calm import calm


class Claude:
    """Sessions recorded by Claude Code."""

    name = "claude"
    title = "Claude Code"

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """The `projects` folders."""
        return find.roots(environ, home)

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a `projects` folder."""
        return find.find(root)

    def bundles(self, root: Path, files: Iterable[File], around: Surroundings) -> list[Bundle]:
        """The sessions among the files."""
        return bundles.bundles(root, files, around)

    def read(self, bundle: Bundle) -> list[Session]:
        """One session and those inside it."""
        assert isinstance(bundle, ClaudeBundle)  # noqa: S101 (a bundle comes from this source)
        with calm():
            return read(bundle)

    def claims(self, path: Path, head: bytes) -> bool:
        """Is this Claude Code's?"""
        return bundles.claims(path, head)

    def loose(self, path: Path, around: Surroundings) -> Bundle:
        """A single file."""
        return bundles.loose(path, around)


SOURCE = Claude()
