"""What a push goes by: the lake, the person, the machine, and how much may leave it."""

from __future__ import annotations

import secrets

from pollux.errors import RequestError, StoreError
from pollux.lake.documents import Level, check_person
from pollux.lake.permissions import Permission
from pollux.model import Value
from pollux.system.config import load
from pollux.system.directories import Places
from pollux.system.files import read, write_file
from pollux.transforms.redact import user_name

_DIGITS = 16


class PushSettings(Value, frozen=True, kw_only=True):
    """The lake and the person; the level that is usual, and the highest one that the machine's settings allow."""

    url: str | None
    person: str
    level: Level = Level.REDACTED
    most: Level = Level.WHOLE

    def level_of(self, permission: Permission) -> Level:
        """How much of the sessions goes that this permission covers."""
        return min(permission.level or self.level, self.most, key=lambda level: level.rank)

    def require_url(self) -> str:
        """The lake. Raises `RequestError` where none is named."""
        if self.url is None:
            raise RequestError(
                "Which lake?",
                "Name it, as in: pollux lake push s3://acme/lake; or set `url` below [lake] in the settings.",
            )
        return self.url


def push_settings(places: Places, url: str | None = None, person: str | None = None) -> PushSettings:
    """The settings by a request, the user, and who looks after the machine: the last may only name a lake and a level.

    Raises `RequestError` where a setting is wrong.
    """
    own, system = load(places.settings).lake, load(places.system_settings).lake
    name = person if person is not None else own.person or user_name()
    if name is None:
        raise RequestError("Nobody knows your name.", "Set `person` below [lake] in the settings, or say --person.")
    return PushSettings(
        url=url or own.url or system.url,
        person=check_person(name),
        level=Level(own.level or Level.REDACTED),
        most=Level(system.level or Level.WHOLE),
    )


class Machine(Value, frozen=True, kw_only=True):
    """A machine, by a number made by chance. The `secret` hides names, so that nobody can guess them."""

    id: str
    secret: bytes


def this_machine(places: Places) -> Machine:
    """The machine that pollux runs on. Its number is made when it is asked for the first time. Raises `StoreError`."""
    if (known := known_machine(places)) is not None:
        return known
    secret = secrets.token_bytes(2 * _DIGITS)
    try:
        write_file(places.machine, secret.hex().encode(), over=False, durable=True)
    except FileExistsError:  # another process was quicker
        return this_machine(places)
    except OSError as error:
        raise StoreError(f"{places.machine} cannot be written: {error.strerror}.") from error
    return _machine(secret)


def known_machine(places: Places) -> Machine | None:
    """The machine, if it has a number already. Raises `StoreError`."""
    try:
        return _machine(bytes.fromhex(read(places.machine).decode("ascii")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{places.machine} cannot be used: {error}.", "Remove it: this machine gets a new number."
        ) from error


def _machine(secret: bytes) -> Machine:
    if len(secret) != 2 * _DIGITS:
        raise ValueError("it is not a number of a machine")
    return Machine(id=secret.hex()[:_DIGITS], secret=secret)
