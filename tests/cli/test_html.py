"""A site that is exported again and again."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Pollux
from tests.cli.session_text import session as written

SAMPLE = Path(__file__).parents[2] / "src" / "pollux" / "sample" / "home"
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def at_home(tmp_path: Path) -> Pollux:
    here = Pollux(tmp_path)
    shutil.copytree(SAMPLE, here.home, dirs_exist_ok=True)
    return here


def session(pollux: Pollux, text: str) -> None:
    """A session more, in which this was asked."""
    file = (
        pollux.home / ".claude" / "projects" / "-home-juno-code-orchard" / "11111111-2222-4333-8444-555555555555.jsonl"
    )
    file.parent.mkdir(parents=True)
    record = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": file.stem,
        "cwd": "/home/juno/code/orchard",
        "timestamp": "2026-11-15T08:00:00.000Z",
        "version": "2.1.325",
        "message": {"role": "user", "content": text},
    }
    file.write_text(json.dumps(record) + "\n", "utf-8")


def site(pollux: Pollux, *options: str) -> dict[str, tuple[int, str]]:
    """Every file of the site: when it was written, and what it says."""
    result = pollux("export", "--all", "--to", "html", "-o", "site", *options)
    assert result.returncode == 0, result.stderr
    folder = pollux.home / "site"
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")]
    return {file.relative_to(folder).as_posix(): (file.stat().st_mtime_ns, file.read_text("utf-8")) for file in files}


def test_only_what_changed_is_written(at_home: Pollux) -> None:
    first = site(at_home)
    assert site(at_home) == first
    session(at_home, "Prune the quinces")
    later = site(at_home)
    new = "claude-11111111-2222-4333-8444-555555555555.html"
    assert {name for name in later if later[name] != first.get(name)} == {new, "index.html", "search/000.js"}
    assert "quinces" in later["search/000.js"][1]


def test_secrets_are_in_no_file_of_a_redacted_site(at_home: Pollux) -> None:
    session(at_home, f"Use {SECRET} please")
    assert SECRET[4:].lower() in site(at_home)["search/000.js"][1]
    shutil.rmtree(at_home.home / "site")
    assert not [name for name, (_, text) in site(at_home, "--redact").items() if SECRET[4:].lower() in text.lower()]


def test_a_page_by_itself_holds_its_sub_agent(at_home: Pollux) -> None:
    result = at_home("export", "a49ffc28", "--to", "html")
    assert result.returncode == 0
    assert "Compare checksums first" in result.stdout
    assert "/adf901d6843bf89e4/" not in result.stdout
    assert 'class="child"' in result.stdout


def test_the_index_tells_of_a_session_what_its_page_does(at_home: Pollux) -> None:
    files = {name: text for name, (_, text) in site(at_home).items()}
    assert "<dt>Sessions</dt><dd>15 and 4 of other kinds</dd>" in files["index.html"]
    whole, part = "gemini-aa6812ea-4d8d-44e0-b98d-81820b95da31.html", "gemini-1c0be182-0305-49f4-a7de-596cc40ce692.html"
    rows = {name: next(line for line in files["index.html"].split("<li") if name in line) for name in (whole, part)}
    costs = {name: re.search(r"<dt>Cost</dt><dd>([^<]+)</dd>", files[name]) for name in rows}
    assert all(value is not None and f" · {value[1]}</small>" in rows[name] for name, value in costs.items())
    assert [str(value and value[1]).startswith("at least $") for value in costs.values()] == [False, True]


def test_a_very_large_page_says_so_and_a_folder_has_parts(tmp_path: Path) -> None:
    empty = Pollux(tmp_path)
    empty.file("p/chats/session-2026-11-15T05-00-aaaa.json", written("aaaa", "large " * 2_700_000))
    one = empty("export", "aaaa", "--to", "html", "-o", "page.html")
    assert one.returncode == 0
    assert "MB, which a browser opens slowly. -o FOLDER/ writes it in parts." in one.stderr
    several = empty("export", "aaaa", "--to", "html", "-o", "pages/")
    assert several.returncode == 0
    assert "slowly" not in several.stderr
    names = {file.name for file in (empty.home / "pages").glob("*.html")}
    assert names == {"index.html", "gemini-aaaa.html", "gemini-aaaa.part-2.html"}
