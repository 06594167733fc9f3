"""One session is read without grouping all files, and is the same as among all of them."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pollux.index.sync.groups import Layout
from pollux.library.library import Library
from pollux.library.session_files import SessionFiles
from pollux.sources.base import Bundle, Source
from tests.samples import sample

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = [
    f"{agent.name}/{home.name}"
    for agent in sorted(CORPUS.iterdir())
    if agent.is_dir()
    for home in sorted(agent.iterdir())
    if (home / "home").is_dir() and not home.name.endswith(("-home", "-cfgdir", "-rtdir"))  # told of another place
]


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How bundles were found: by a part of a root's files, or by all of them."""
    seen: list[str] = []

    def noted(name: str, genuine: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            seen.append(name)
            return genuine(*given)

        return call

    monkeypatch.setattr(Layout, "part", noted("part", Layout.part))
    monkeypatch.setattr(SessionFiles, "_group", noted("whole", SessionFiles._group))
    return seen


def library_of(home: Path, folder: Path) -> Library:
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    return Library(places, home, hunt=False)


def content(source: Source, bundle: Bundle) -> bytes:
    """All that is read from a bundle."""
    return bundle.fingerprint().encode() + msgspec.msgpack.encode(source.read(bundle))


def compare(files: SessionFiles, chance: random.Random) -> int:
    """Are bundles the same one by one? Returns how many there are."""
    count = 0
    for source, root in files.every_root():
        expected = {bundle.key: content(source, bundle) for bundle in files.bundles_of(source, root)}
        count += len(expected)
        for key in chance.sample(sorted(expected), min(8, len(expected))):
            (bundle,) = files.bundles_with(source, root, [key])
            assert content(source, bundle) == expected[key], key
        assert files.bundles_with(source, root, ["no such key"]) == []
    return count


@pytest.mark.parametrize("name", sample(HOMES, 16, "some bundles"))
def test_a_session_is_the_same_alone_as_among_all(name: str, tmp_path: Path) -> None:
    genuine, home = CORPUS / name / "home", tmp_path / "home"
    shutil.copytree(genuine, home, symlinks=True)
    chance = random.Random(name)
    with library_of(home, tmp_path) as library:
        library.sync()
        assert compare(library._files, chance)
        # What changed since the last sync is seen, too.
        changed = [path for path in sorted(home.rglob("*")) if path.is_file() and path.suffix in (".json", ".jsonl")]
        for path in chance.sample(changed, min(3, len(changed))):
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2])
            os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
            compare(library._files, chance)
        for path in chance.sample(changed, min(3, len(changed))):
            path.unlink()
            compare(library._files, chance)


def test_one_of_many_sessions_is_read_without_looking_at_the_others(tmp_path: Path, looked_at: list[str]) -> None:
    home = tmp_path / "home"
    shutil.copytree(CORPUS / "gemini" / "0.61.0" / "home", home)
    with library_of(home, tmp_path) as library:
        library.sync()
        key = library.list()[0].summary.key
        looked_at.clear()
        assert library.session(key).key == key
        assert looked_at == ["part"]
