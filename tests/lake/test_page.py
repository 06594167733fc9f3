"""The page about lakes is true: its commands for a team do what it says, in a folder and in a bucket."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from pollux.lake.store import Store
from tests.cli.program import Pollux

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lake.md").read_text("utf-8")
IN_FOLDER, IN_BUCKET = "/mnt/team/lake", "s3://acme/lake"


def commands(heading: str) -> list[str]:
    """The commands of a section, without remarks."""
    section = PAGE[PAGE.index(f"# {heading}\n") :].partition("\n#")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    lines = [line.partition("  #")[0].rstrip() for block in blocks for line in block.splitlines()]
    return [line.removeprefix("pollux ") for line in lines if line.startswith("pollux ")]


@pytest.fixture
def juno(tmp_path: Path) -> Pollux:
    """Somebody's home, with the sample's sessions."""
    here = Pollux(tmp_path)
    shutil.copytree(ROOT / "src" / "pollux" / "sample" / "home", here.home, dirs_exist_ok=True)
    return here


def run(pollux: Pollux, command: str, **environ: str) -> str:
    done = pollux(*shlex.split(command), **environ)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def tokens(document: str) -> tuple[int, float]:
    total = json.loads(document)["total"]
    return total["total"], total["cost_usd"]


def test_a_team_on_a_folder(juno: Pollux, tmp_path: Path) -> None:
    lake = str(tmp_path / "share" / "lake")
    steps = [step.replace(IN_FOLDER, lake).replace("~/code/seedbank", "seedbank") for step in commands("On a folder")]
    assert [step.split()[1] for step in steps] == [
        "init",
        "allow",
        "preview",
        "push",
        "load",
        "tidy",
        "stats",
        "search",
    ]
    printed = [run(juno, step) for step in steps]
    assert "juno" in printed[-2]
    assert "packet" in printed[-1]
    asked = run(juno, f"lake stats {lake} --by person --json")
    assert tokens(asked) == tokens(run(juno, "stats --by agent --project seedbank --json"))


def test_a_team_in_a_bucket(juno: Pollux, bucket: Store) -> None:
    keys = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    run(juno, "lake allow --every-project")
    printed = [run(juno, step.replace(IN_BUCKET, bucket.url), **keys) for step in commands("On a store like S3")]
    assert "juno" in printed[-1]
    asked = run(juno, f"lake stats {bucket.url} --by person --json", **keys)
    assert tokens(asked) == tokens(run(juno, "stats --by agent --json"))


def test_what_an_operator_does_and_what_anybody_asks(juno: Pollux, tmp_path: Path) -> None:
    lake, teams = str(tmp_path / "lake"), tmp_path / "teams.toml"
    teams.write_text('ada = "shop"\n')
    key = json.loads(run(juno, "list --project seedbank --json"))[0]["key"]

    def step(command: str) -> str:
        named = command.replace("LAKE", lake).replace("KEY", key).replace("teams.toml", str(teams))
        return run(juno, named)

    step("lake init LAKE")
    run(juno, "lake allow --every-project")
    run(juno, f"lake push {lake} --person ada")
    steps = commands("The operator's part")
    asked = commands("Questions")
    assert steps[-1].startswith("lake erase")
    for command in [*steps[:2], steps[2].partition(" --teams")[0], *asked]:
        assert step(command)
    for command in steps[2:]:
        step(command)
    gone = juno("lake", "show", lake, key)
    assert (gone.returncode, gone.stdout) == (2, "")
