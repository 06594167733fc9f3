"""Where a home is, whatever the environment says."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.system.directories import Places


def test_home_is_what_the_environment_says_else_what_the_system_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    account = pwd.struct_passwd(("ada", "x", 1000, 1000, "", "/srv/ada", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: account)
    for environ, home in (({"HOME": "/home/ada"}, "/home/ada"), ({"HOME": ""}, "/srv/ada"), ({}, "/srv/ada")):
        monkeypatch.setenv("HOME", "")
        assert Places(environ).home == Path(home)
        assert Places(environ).cache == Path(home, ".cache", "pollux")


def test_a_home_that_depends_on_where_one_is_is_refused() -> None:
    with pytest.raises(RequestError, match="HOME is 'work', which is not a full path"):
        _ = Places({"HOME": "work"}).cache


def test_nobody_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(RequestError, match="Cannot determine your home directory"):
        _ = Places({}).home
