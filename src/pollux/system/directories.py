"""The only file that knows pollux's own directories."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pollux.errors import RequestError


def _home_of_account() -> Path:
    """The home directory that the system has for this user: `Path.home` takes an empty HOME for the root."""
    try:
        import pwd
    except ImportError:  # Windows
        return Path.home()
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise RequestError("Nobody tells where your home directory is.", "Set HOME.") from None


class Places:
    """Where pollux keeps its own things, from an environment: `XDG_*` where set, else their usual defaults."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self.environ = os.environ if environ is None else environ

    @property
    def home(self) -> Path:
        """The user's home directory."""
        named = self.environ.get("HOME", "")
        return Path(named) if named else _home_of_account()

    @property
    def data(self) -> Path:
        """What is the user's own and cannot be rebuilt."""
        return self._xdg("XDG_DATA_HOME", ".local/share")

    @property
    def config(self) -> Path:
        """Settings the user writes."""
        return self._xdg("XDG_CONFIG_HOME", ".config")

    @property
    def cache(self) -> Path:
        """What can be deleted at any moment."""
        return self._xdg("XDG_CACHE_HOME", ".cache")

    @property
    def projects(self) -> Path:
        """The table of project hashes and paths that pollux has learnt."""
        return self.data / "projects.json"

    @property
    def keys(self) -> Path:
        """The keys the user signs with."""
        return self.data / "keys"

    @property
    def moves(self) -> Path:
        """The projects that the user says were moved."""
        return self.data / "moved.json"

    @property
    def relocations(self) -> Path:
        """What was changed in the agents' files where projects were moved, and what it was before."""
        return self.data / "moved"

    @property
    def index(self) -> Path:
        """The cache of what the agents' files hold."""
        return self.cache / "index"

    @property
    def archive(self) -> Path:
        """What was kept of the agents' files."""
        return self.data / "archive"

    @property
    def archive_extents(self) -> Path:
        """How far the archive reached when something was last kept."""
        return self.data / "archive.json"

    @property
    def archive_wish(self) -> Path:
        """Is there where every sync keeps."""
        return self.data / "archive.keeping"

    @property
    def schedule(self) -> Path:
        """Which timer the user let pollux install."""
        return self.data / "schedule.json"

    @property
    def archive_index(self) -> Path:
        """What the archive holds."""
        return self.cache / "archive.db"

    @property
    def kept(self) -> Path:
        """What the agents deleted, laid out as they had it."""
        return self.cache / "kept"

    @property
    def past(self) -> Path:
        """A home as it once was, as it was asked for last."""
        return self.cache / "past"

    @property
    def settings(self) -> Path:
        """The file of settings."""
        return self.config / "config.toml"

    @property
    def prices(self) -> Path:
        """What the list of prices said of models."""
        return self.cache / "prices.json"

    @property
    def vain_searches(self) -> Path:
        """Project hashes that were searched for in vain."""
        return self.cache / "unknown-projects.json"

    def _xdg(self, variable: str, default: str) -> Path:
        named = self.environ.get(variable, "")
        # A relative path is invalid by the standard and must be ignored.
        base = Path(named) if named and os.path.isabs(named) else self.home / default  # noqa: PTH117
        return base / "pollux"
