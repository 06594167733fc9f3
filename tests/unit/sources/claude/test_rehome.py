"""What a project's folder is called, proved on folders that real releases made."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from pollux.sources.claude.rehome import plain_name, plan_rehome, short_name

CORPUS = Path(__file__).parents[3] / "corpus" / "claude"
FOLDERS = sorted(folder for folder in CORPUS.glob("**/projects/*") if folder.is_dir())


def began(folder: Path) -> set[str]:
    results = set()
    for file in folder.glob("*.jsonl"):
        lines = (json.loads(line) for line in file.read_text("utf-8").split("\n") if '"cwd"' in line)
        results |= {line["cwd"] for line in islice(lines, 1)}
    return results


def test_folders_are_called_after_where_sessions_began() -> None:
    known = [(folder.name, path) for folder in FOLDERS for path in began(folder)]
    assert len({name for name, _ in known}) > 3
    assert any(len(name) > 200 for name, _ in known)
    assert any(name != plain_name(path) for name, path in known)
    for name, path in known:
        assert name in (plain_name(path), short_name(path))


def test_a_pair_of_surrogates_is_two_dashes() -> None:
    assert plain_name("/a/😀é") == "-a----"


@pytest.mark.parametrize("new", ["/srv/" + "x" * 200, "/srv/" + "é" * 200])
def test_a_path_whose_folder_differs_between_releases_is_left(tmp_path: Path, new: str) -> None:
    (tmp_path / "-a").mkdir()
    plan = plan_rehome(tmp_path, {"/a": new})
    assert not plan.steps
    assert "releases" in plan.left[0]


def test_projects_that_share_a_folder_move_together(tmp_path: Path) -> None:
    (tmp_path / "-a-b-c").mkdir()
    for number, path in enumerate(("/a/b-c", "/a/b/c")):
        (tmp_path / "-a-b-c" / f"{number}.jsonl").write_text(json.dumps({"type": "user", "cwd": path}) + "\n")
    together = plan_rehome(tmp_path, {"/a/b-c": "/x/b-c", "/a/b/c": "/x/b/c"})
    assert [(Path(step.path).name) for step in together.steps] == ["-a-b-c"]
    assert not plan_rehome(tmp_path, {"/a/b-c": "/x/b-c"}).steps
