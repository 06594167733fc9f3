"""Gemini CLI, 0.1 to 0.61: `~/.gemini/tmp/<project>/chats/session-*` and what lies around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pollux.model import Session
from pollux.sources.base import Bundle, File, Root, Surroundings
from pollux.sources.gemini import bundles, find
from pollux.sources.gemini.bundles import GeminiBundle
from pollux.sources.gemini.read import read
from pollux.wire.calm import calm


class Gemini:
    """Sessions recorded by Gemini CLI."""

    name = "gemini"
    title = "Gemini CLI"

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """The `tmp` folders."""
        return find.roots(environ, home)

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a `tmp` folder."""
        return find.find(root)

    def bundles(self, root: Path, files: Iterable[File], around: Surroundings) -> list[Bundle]:
        """The sessions among the files."""
        return bundles.bundles(root, files, around)

    def read(self, bundle: Bundle) -> list[Session]:
        """One session and those inside it."""
        assert isinstance(bundle, GeminiBundle)  # noqa: S101 (a bundle comes from this source)
        with calm():
            return read(bundle)

    def claims(self, path: Path, head: bytes) -> bool:
        """Is this Gemini CLI's?"""
        return bundles.claims(path, head)

    def loose(self, path: Path, around: Surroundings) -> Bundle:
        """A single file."""
        return bundles.loose(path, around)


SOURCE = Gemini()
