"""The only file that knows pollux's own directories."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from pollux.errors import RequestError


def _home_of_account() -> Path:
    """The home directory of this user's account: `Path.home` takes an empty HOME for the root."""
    try:
        import pwd
    except ImportError:  # Windows
        return Path.home()
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise RequestError("Cannot determine your home directory.", "Set HOME.") from None


def present_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder in which pollux was started. One that was deleted meanwhile is known by its name still."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        name = environ.get("PWD", "")
        return Path(name if os.path.isabs(name) else os.sep)  # noqa: PTH117


class Places:
    """Where pollux keeps its own files, by the environment: `XDG_*` where set, else their defaults."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self.environ = os.environ if environ is None else environ

    @property
    def home(self) -> Path:
        """The user's home directory. Raises `RequestError` where HOME is relative: it would depend on where one is."""
        variable = self.environ.get("HOME", "")
        if variable and not os.path.isabs(variable):  # noqa: PTH117
            raise RequestError(f"HOME is {variable!r}, which is not a full path.", "Set HOME to your home directory.")
        return Path(variable) if variable else _home_of_account()

    @property
    def data(self) -> Path:
        """Data of the user that cannot be rebuilt."""
        return self._xdg("XDG_DATA_HOME", ".local/share")

    @property
    def config(self) -> Path:
        """Settings that the user writes."""
        return self._xdg("XDG_CONFIG_HOME", ".config")

    @property
    def cache(self) -> Path:
        """Files that can be deleted at any moment."""
        return self._xdg("XDG_CACHE_HOME", ".cache")

    @property
    def projects(self) -> Path:
        """The table of the project hashes and paths that pollux knows."""
        return self.data / "projects.json"

    @property
    def keys(self) -> Path:
        """The keys that the user signs with."""
        return self.data / "keys"

    @property
    def moves(self) -> Path:
        """The projects that the user says were moved."""
        return self.data / "moved.json"

    @property
    def relocations(self) -> Path:
        """The changes made in the agents' files for moved projects, with the content before."""
        return self.data / "moved"

    @property
    def index(self) -> Path:
        """The cache of the agents' sessions."""
        return self.cache / "index"

    @property
    def archive(self) -> Path:
        """The archive of the agents' files."""
        return self.data / "archive"

    @property
    def archive_extents(self) -> Path:
        """The size of each archive file after the last write."""
        return self.data / "archive.json"

    @property
    def archive_switch(self) -> Path:
        """A file that exists where every sync also keeps."""
        return self.data / "archive.keeping"

    @property
    def marks(self) -> Path:
        """The user's marks on sessions, and how far sessions were read."""
        return self.data / "marks"

    @property
    def handed_over(self) -> Path:
        """The record of what was handed over to other agents, and files that agents load from there."""
        return self.data / "handed-over"

    @property
    def replaced(self) -> Path:
        """Copies of settings and skills of agents, as they were before pollux changed them."""
        return self.data / "replaced"

    @property
    def machine(self) -> Path:
        """A number made by chance, which names this machine in lakes."""
        return self.data / "machine"

    @property
    def lake(self) -> Path:
        """What may be pushed to lakes, and the journal of what was."""
        return self.data / "lake"

    @property
    def schedule(self) -> Path:
        """The timer that pollux installed for the user."""
        return self.data / "schedule.json"

    @property
    def archive_index(self) -> Path:
        """The index of the archive."""
        return self.cache / "archive.db"

    @property
    def kept(self) -> Path:
        """Files that agents deleted, laid out as the agents had them."""
        return self.cache / "kept"

    @property
    def past(self) -> Path:
        """A home as it was at the moment that was last asked for."""
        return self.cache / "past"

    @property
    def web(self) -> Path:
        """The file that tells of a running `pollux web`, for the user alone."""
        return self.cache / "web.json"

    @property
    def settings(self) -> Path:
        """The file of settings."""
        return self.config / "config.toml"

    @property
    def system_settings(self) -> Path:
        """The settings of whoever looks after the machine: of these, only those about the lake count."""
        return Path("/etc/pollux/config.toml")

    @property
    def prices(self) -> Path:
        """Prices of models from the price list."""
        return self.cache / "prices.json"

    @property
    def unknown_projects(self) -> Path:
        """Project hashes whose path could not be found."""
        return self.cache / "unknown-projects.json"

    def _xdg(self, variable: str, default: str) -> Path:
        value = self.environ.get(variable, "")
        # A relative path is invalid by the standard and must be ignored.
        base = Path(value) if value and os.path.isabs(value) else self.home / default  # noqa: PTH117
        return base / "pollux"
