"""Engines that only judge: without one a test is skipped with a word, but never in CI."""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import pytest


def engine(name: str) -> Any:
    """The module of an engine."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        _without(f"{name} is not installed: `make engines` installs it")


def apart(name: str) -> Path:
    """The folder of an engine that needs other releases of what is installed here."""
    folder = Path(sys.prefix, "judges", name)
    return folder if folder.is_dir() else _without(f"{name} is not installed: `make engines` installs it")


def java() -> str:
    """The program that Spark runs in."""
    return shutil.which("java") or _without("Spark needs Java 17 or 21: Debian has it as default-jre-headless")


def _without(reason: str) -> NoReturn:
    if os.environ.get("POLLUX_ENGINES") == "required":
        pytest.fail(reason)
    pytest.skip(reason)
