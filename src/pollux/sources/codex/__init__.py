"""Codex CLI, April 2025 to 0.166: `~/.codex/sessions/YYYY/MM/DD/rollout-*` and what lies around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import Bundle, File, Root, Surroundings
from pollux.sources.codex import bundles, find
from pollux.sources.codex.bundles import CodexBundle
from pollux.sources.codex.read import read
from pollux.wire.calm import calm


class Codex:
    """Sessions recorded by Codex CLI."""

    name = "codex"
    title = "Codex CLI"

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """The folders of live and of archived sessions."""
        return find.roots(environ, home)

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a folder of sessions, and those beside it that are about sessions."""
        return find.find(root)

    def bundles(self, root: Path, files: Iterable[File], around: Surroundings) -> list[Bundle]:
        """The sessions among the files."""
        return bundles.bundles(root, files, around)

    def read(self, bundle: Bundle) -> list[Session]:
        """One session."""
        assert isinstance(bundle, CodexBundle)  # noqa: S101 (a bundle comes from this source)
        with calm():
            return read(bundle)

    def claims(self, path: Path, head: bytes) -> bool:
        """Is this Codex CLI's?"""
        return bundles.claims(path, head)

    def loose(self, path: Path, around: Surroundings) -> Bundle:
        """A single file."""
        return bundles.loose(path, around)


SOURCE = Codex()
