"""Which people belong to which team, by a list that the operator keeps."""

from __future__ import annotations

import tomllib
from pathlib import Path

from pollux.errors import RequestError
from pollux.system.files import read


def read_teams(path: Path) -> dict[str, str]:
    """The team of each person, from a TOML file. Raises `RequestError`."""
    try:
        teams = tomllib.loads(read(path).decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RequestError(f"{path} is no list of teams: {error}.", 'A line of one is: ada = "shop"') from error
    if odd := next((name for name, team in teams.items() if not isinstance(team, str)), None):
        raise RequestError(f"The team of {odd} in {path} is no text.", 'A line of the list is: ada = "shop"')
    return teams
