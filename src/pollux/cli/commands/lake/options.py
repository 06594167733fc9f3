"""What the commands share by which sessions leave this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def pushing(function: Decorated) -> Decorated:
    """Add LAKE, which the settings may name instead, and `--person`."""
    lake = click.argument("lake", metavar="[LAKE]", required=False)
    person = click.option("--person", metavar="NAME", help="Push as this person, instead of the settings' one.")
    return lake(person(function))


lake_argument = click.argument("lake", metavar="LAKE")
"""The lake that a command works on."""
