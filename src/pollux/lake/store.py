"""The object store that a lake lies in: a folder, or a bucket of S3, Google or Azure."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from stat import S_ISREG
from typing import Any
from urllib.parse import unquote, urlsplit

from pollux.errors import NotFound, OutputError, PolluxError, RequestError, Unreadable, needs
from pollux.model import Value
from pollux.system.named_path import named_path

TABLES = "tables"
"""Where the tables lie: a folder with them is a lake."""

SCHEMES = ("s3", "gs", "az")
HINT = "Name a folder, s3://bucket/path, gs://bucket/path or az://container/path."
RIGHTS = "docs/lake.md has the rights that each role needs."
AGAIN = "What was done is kept: the same command goes on from there."
ODD_NAME = "Remove that object, by the means of the store itself."

LARGEST = 1 << 29
"""So many bytes a document may have, packed or not: who reads one needs ten times the memory, and up to thirty."""

CLIENT = {"connect_timeout": "10s", "timeout": "120s"}
"""So even 100 MB can go through a slow line, and a store that does not answer costs two minutes."""
RETRIES, PATIENCE = 4, 60
"""How often, and for how many seconds, a store that fails is asked again."""

_RETRIES = {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=PATIENCE)}
_MISSING_RIGHTS = re.compile(
    "Permission ?denied|lacked the necessary privileges|lacked valid authentication|AccessDenied|InvalidAccessKeyId|"
    "SignatureDoesNotMatch|40[13] (Forbidden|Unauthorized)",
    re.IGNORECASE,
)
_NO_PLACE = re.compile("NoSuchBucket|ContainerNotFound|404 Not Found")
_ODD_NAME = re.compile("object with invalid path")
_DRAWN = re.compile("\x1b\\[\\d+m|↳")
_TRACE = re.compile(r"(\d+: |at |Backtrace|stack backtrace)", re.IGNORECASE)
"""How lines begin that tell where in a library something failed."""
_LONGEST = 200
_DRAFT = re.compile(r"#\d+\Z")
"""How the name of an object ends that is being written in a folder."""


class StoredObject(Value, frozen=True, kw_only=True):
    """An object in the store."""

    path: str
    size: int
    modified: datetime


class Store:
    """Objects by their paths, with `/`. Nothing is ever written over."""

    def __init__(self, url: str, objects: Any, *, plain: bool = False) -> None:
        """`plain`: the connection may be without encryption."""
        self.url = url
        self.plain = plain
        self._objects = objects
        self._folder = None if "://" in url else Path(url)

    def put_if_absent(self, path: str, data: bytes) -> bool:
        """Write an object as a whole; False where there is one of this path already. Raises `OutputError`."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with self._explained("cannot be written to", OutputError):
            try:
                obstore.put(self._objects, path, data, mode="create")
            except AlreadyExistsError:
                return False
        return True

    def check_writes(self, path: str) -> None:
        """Raise `OutputError` where objects can be written over: what two do at once would be lost in the tables."""
        self.put_if_absent(path, b"")
        if self.put_if_absent(path, b""):
            raise OutputError(
                f"The store of {self.url} writes over objects, although it is asked not to.",
                "A lake needs one that knows conditional writes (If-None-Match).",
            )
        self.delete([path])

    def get(self, path: str) -> bytes:
        """An object. Raises `NotFound` where there is none, and `Unreadable`."""
        import obstore

        missing = NotFound(f"The lake {self.url} has no {path}.")
        with self._explained("cannot be read", Unreadable):
            try:
                if not self._is_file(path):
                    raise missing
                found = obstore.get(self._objects, path)
                if found.meta["size"] > LARGEST:
                    raise Unreadable(f"{path} in the lake {self.url} is larger than any document.")
                return bytes(found.bytes())
            except FileNotFoundError:
                raise missing from None

    def paths(self, prefix: str = "") -> Iterator[StoredObject]:
        """The objects below a prefix, which ends where a part of a path ends. Raises `Unreadable`."""
        import obstore

        with self._explained("cannot be listed", Unreadable):
            if self._folder is not None:
                yield from self._files(self._folder / prefix)
                return
            for chunk in obstore.list(self._objects, prefix.rstrip("/") or None):
                for one in chunk:
                    yield StoredObject(path=one["path"], size=one["size"], modified=one["last_modified"])

    def of_everybody(self, kind: str, problems: list[PolluxError]) -> Iterator[StoredObject]:
        """The objects of every person. Whose cannot be listed is among the `problems`, and keeps nobody else's out."""
        import obstore

        with self._explained("cannot be listed", Unreadable):
            if self._folder is not None:
                folders: Sequence[str] = [f"{kind}/{one.name}" for one in _entries(self._folder / kind) if one.is_dir()]
            else:
                folders = obstore.list_with_delimiter(self._objects, kind)["common_prefixes"]
        for folder in sorted(folders):
            with sparing_others(folder, problems):
                yield from self.paths(folder)

    def delete(self, paths: Iterable[str]) -> None:
        """Remove objects; it does not matter whether they are there. Raises `OutputError`."""
        import obstore

        with self._explained("cannot be changed", OutputError):
            for path in paths:
                if self._is_linked(path):
                    continue
                try:
                    obstore.delete(self._objects, path)
                except FileNotFoundError:
                    continue

    def remove_drafts(self, age: timedelta) -> int:
        """Remove what writers left that were killed, if it is as old as this. Only a folder has such files.

        They are in no list of objects. Raises `OutputError`.
        """
        if self._folder is None:
            return 0
        with self._explained("cannot be changed", OutputError):
            drafts = [
                file
                for folder, _, names in os.walk(self.url)
                for file in (Path(folder, name) for name in names if _DRAFT.search(name))
                if time.time() - file.stat().st_mtime >= age.total_seconds()
            ]
            for file in drafts:
                file.unlink(missing_ok=True)
        return len(drafts)

    def _files(self, place: Path) -> Iterator[StoredObject]:
        """The objects of a folder. What is behind a link is none: it may lead out of what its maker may change.

        Nor is a file whose name cannot be written.
        """
        for folder, _, names in os.walk(place, onerror=_unless_missing):
            within = PurePath(folder).relative_to(self._folder or folder)
            if self._is_linked(within.as_posix()):
                continue
            for name in names:
                try:
                    state = Path(folder, name).lstat()
                except FileNotFoundError:  # it was deleted meanwhile
                    continue
                path = (within / name).as_posix()
                if S_ISREG(state.st_mode) and path.isprintable() and not _DRAFT.search(name):
                    modified = datetime.fromtimestamp(state.st_mtime, UTC)
                    yield StoredObject(path=path, size=state.st_size, modified=modified)

    def _is_file(self, path: str) -> bool:
        """Is there a regular file, if it is a folder? A pipe would be waited for, for ever."""
        folder = self._folder
        return folder is None or (not self._is_linked(path) and S_ISREG((folder / path).lstat().st_mode))

    def _is_linked(self, path: str) -> bool:
        """Is a link in the way of an object in a folder? Who looks after the lake may link its first folders."""
        parts = path.split("/")
        places = ("/".join(parts[:count]) for count in range(2, len(parts) + 1))
        return self._folder is not None and any((self._folder / place).is_symlink() for place in places)

    def as_file_system(self) -> Any:
        """The store for engines that read files by their addresses, with the same keys."""
        with needs("To ask a lake in a bucket", "lake"):
            from obstore.fsspec import FsspecStore
        options = {**CLIENT, "allow_http": self.plain}
        return FsspecStore(self.url.partition("://")[0], client_options=options, retry_config=_RETRIES)  # type: ignore[call-overload]

    def _explained(self, what: str, kind: type[PolluxError]) -> AbstractContextManager[None]:
        from obstore.exceptions import BaseError

        return explained(f"The lake {self.url} {what}", kind, BaseError)


def open_store(url: str, *, create: bool = False) -> Store:
    """The store at an address; nothing is asked of it yet. Raises `RequestError` where the address makes no sense.

    A folder must exist, or a share that is not mounted would be filled beside it; `create` makes it. The keys of a
    bucket come from the environment, by the names that its vendor gave them.
    """
    with needs("A lake", "lake"):
        from obstore.exceptions import BaseError
        from obstore.store import LocalStore, from_url
    if create and not _is_bucket(url):
        _make_folder(_path(url))
    check_address(url)
    try:
        if not _is_bucket(url):
            return Store(lake_name(url), LocalStore(_path(url)))
        plain = _may_be_plain()
        options = {**CLIENT, "allow_http": plain}
        objects = from_url(url, client_options=options, retry_config=_RETRIES)  # type: ignore[call-overload]
        return Store(lake_name(url), objects, plain=plain)
    except (BaseError, ValueError) as error:
        raise RequestError(f"{url!r} is not the address of a lake: {reason(error)}.", HINT) from error


def check_address(url: str) -> None:
    """Raise `RequestError` where an address makes no sense, or names a folder that is not there."""
    scheme, colon, _ = url.partition("://")
    parts = urlsplit(url)
    if colon and (scheme.lower() not in ("file", *SCHEMES) or (_is_bucket(url) and not parts.hostname)):
        raise RequestError(f"{url!r} is not the address of a lake.", HINT)
    if "@" in parts.netloc:
        raise RequestError("The address of a lake holds no password.", "Keys belong in the environment.")
    if not _is_bucket(url) and not (url and _path(url).is_dir()):
        raise RequestError(f"There is no folder {url!r} for a lake.", f"Try: pollux lake init {url or 'LAKE'}")


def check_is_lake(url: str) -> None:
    """Raise `RequestError` where a folder is no lake, so that no other is filled. A bucket is not asked."""
    check_address(url)
    if not _is_bucket(url) and not os.path.isdir(_path(url) / TABLES):  # noqa: PTH112 (False also without rights)
        raise RequestError(
            f"The folder {url!r} is no lake, or you may not look into it.",
            f"Whoever looks after a lake makes it there: pollux lake init {url}",
        )


def _is_bucket(url: str) -> bool:
    return "://" in url and url.partition("://")[0].lower() in SCHEMES


def lake_name(url: str) -> str:
    """What a lake is called in the journal: the same for any way to write its address."""
    return url.rstrip("/") if _is_bucket(url) else str(_path(url))


def _path(url: str) -> Path:
    """The folder that an address names."""
    return named_path(unquote(urlsplit(url).path) if "://" in url else url).absolute()


def _unless_missing(error: OSError) -> None:
    """A folder that is not there has no objects."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}.") from error


def _may_be_plain() -> bool:
    """May the connection be without encryption? On this machine, or where the user says so."""
    named = (os.environ.get(name, "") for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"))
    endpoint = urlsplit(next((name for name in named if name), "")).hostname
    return endpoint in ("localhost", "127.0.0.1", "::1") or os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"


# -------------------------------------------------------------------------------------------------- what goes wrong


@contextmanager
def explained(what: str, kind: type[PolluxError], theirs: type[Exception]) -> Iterator[None]:
    """Raise an error of ours for one of `theirs`. `what` says what could not be done."""
    try:
        yield
    except (theirs, OSError, ValueError) as error:
        raise _explained(what, kind, error) from error


def _explained(what: str, kind: type[PolluxError], error: Exception) -> PolluxError:
    said = str(error)
    if isinstance(error, PermissionError) or _MISSING_RIGHTS.search(said):
        return kind(f"{what}: the rights are missing.", RIGHTS)
    if isinstance(error, FileNotFoundError) or _NO_PLACE.search(said):
        return kind(f"{what}: there is no such place.", HINT)
    return kind(f"{what}: {reason(error)}.", ODD_NAME if _ODD_NAME.search(said) else AGAIN)


def about(path: str, error: PolluxError) -> PolluxError:
    """An error that says which place it is about."""
    return error if path in str(error) else type(error)(f"{path}: {error}", error.hint)


@contextmanager
def sparing_others(place: str, problems: list[PolluxError]) -> Iterator[None]:
    """Go on where only one person's objects are the trouble: they closed a folder, or an object has an odd name."""
    try:
        yield
    except PolluxError as error:
        if error.hint not in (RIGHTS, ODD_NAME):
            raise
        problems.append(about(place, error))


def reason(error: Exception) -> str:
    """What failed, and the last cause of it, in the words of who failed."""
    lines = [_DRAWN.sub("", text).strip(" ,.:?!{}") for text in str(error).splitlines()]
    lines = [line for line in lines if line and not _TRACE.match(line)]
    return ": ".join(map(_short, dict.fromkeys([*lines[:1], *lines[-1:]]))) or type(error).__name__


def _short(line: str) -> str:
    """A line without its middle, where it is long: what failed stands first, and why at the end."""
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} … {line[-half:]}"
