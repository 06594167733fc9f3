"""Which project a session belongs to, and how we know."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pollux.library.library import Filter
from pollux.model.names import project_matches
from pollux.sources.base import File
from pollux.sources.gemini_sessions.projects.path_evidence import path_evidence
from tests.unit.sources.gemini.conftest import Home, call, gemini, header, user


def digest(path: str | Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()


def session_of(home: Home, path: str, folder: str | None = None, text: str = "hi") -> None:
    home.log(
        f"{folder or digest(path)}/chats/session-a.jsonl", header(project=path), user("u1", text), gemini("g1", "ok")
    )


def evidence(home: Home) -> tuple[str | None, str | None]:
    session = home.only()
    return session.project, session.project_evidence


def test_the_marker_comes_first(home: Home) -> None:
    session_of(home, "/work/weather", "weather")
    home.write("weather/.project_root", "/work/weather")
    assert evidence(home) == ("/work/weather", "marker")


def test_then_the_registry(home: Home) -> None:
    session_of(home, "/work/weather", "weather")
    home.write("../projects.json", '{"projects": {"/work/weather": "weather", "/else": 7}}')
    assert evidence(home) == ("/work/weather", "registry")


def test_a_registry_that_lies_is_not_believed(home: Home) -> None:
    session_of(home, "/work/weather", "weather")
    home.write("../projects.json", '{"projects": {"/work/other": "weather"}}')
    assert evidence(home) == (None, None)


def test_a_path_in_the_sessions_is_proved_by_its_hash(home: Home) -> None:
    session_of(home, "/work/Мой проект 2", text="Directory listing for /work/Мой проект 2:\nmain.py")
    assert evidence(home) == ("/work/Мой проект 2", "hash")


def test_another_session_of_the_folder_may_name_the_path(home: Home) -> None:
    session_of(home, "/work/weather")
    edit = call("c1", "write_file", args={"file_path": "/work/weather/src/main.py"})
    home.log(
        f"{digest('/work/weather')}/chats/session-b.jsonl",
        header("b", "/work/weather"),
        user("u1", "x"),
        gemini("g1", "", toolCalls=[edit]),
    )
    assert {session.project for session in home.sessions().values()} == {"/work/weather"}


def test_folders_under_the_home_are_tried(home: Home) -> None:
    path = home.path / "code" / "deep" / "weather"
    path.mkdir(parents=True)
    session_of(home, str(path))
    assert evidence(home) == (str(path), "hash")
    path.rmdir()
    assert evidence(home) == (str(path), "hash")


def test_the_current_directory_and_its_parents_are_tried(home: Home, tmp_path: Path) -> None:
    path = tmp_path / "far" / "away"
    session_of(home, str(path))
    library = home.library(path / "src")
    assert [entry.summary.project for entry in library.list()] == [str(path)]


def test_a_path_that_cannot_be_proved_is_called_a_guess(home: Home) -> None:
    calls = [call(f"c{n}", "read_file", args={"file_path": f"/srv/app/core/{name}.py"}) for n, name in enumerate("abc")]
    home.log(
        f"{digest('/elsewhere')}/chats/session-a.jsonl",
        header(project="/elsewhere"),
        user("u1", "x"),
        gemini("g1", "", toolCalls=calls),
    )
    assert evidence(home) == ("/srv/app/core", "guess")


def test_an_unknown_project_goes_by_its_hash(home: Home) -> None:
    session_of(home, "/nobody/knows")
    (project,) = home.library().projects.all()
    assert (project.path, project.name, project.hashes) == (
        None,
        digest("/nobody/knows")[:8],
        (digest("/nobody/knows"),),
    )


def test_a_taught_path_is_known_from_then_on(home: Home) -> None:
    session_of(home, "/nobody/knows")
    assert evidence(home) == (None, None)
    home.library().projects.add("/nobody/knows")
    assert evidence(home) == ("/nobody/knows", "hash")
    assert not list(home.tmp.rglob("*.json"))


def test_names_as_people_type_them() -> None:
    path = "/home/ada/code/Weather-App"
    assert all(
        project_matches(query, path) for query in (path, path + "/", "weather", "Weather-App", "/home/ada", "app")
    )
    assert all(
        project_matches(query, path) for query in ("code/Weather-App", "ada/code/Weather-App/", "weather*", "W?ather-*")
    )
    assert all(project_matches(query, path) for query in ("/home/*/Weather-App", "/home/ada/code/*"))
    assert not any(
        project_matches(query, path) for query in ("code", "/home/ad", "weather-app-2", "ada", "eather*", "*code")
    )
    assert not any(
        project_matches(query, path) for query in ("de/Weather-App", "./code/Weather-App", "~/code/Weather-App")
    )
    assert not project_matches("weather", None)


def test_a_project_narrows_the_list(home: Home) -> None:
    session_of(home, "/work/weather", "weather")
    home.write("weather/.project_root", "/work/weather")
    assert len(home.library().list(Filter(project="weath"))) == 1
    assert home.library().list(Filter(project="news")) == []


def test_a_path_is_proved_however_it_is_escaped(tmp_path: Path) -> None:
    """Other programs write `/` and letters beyond ASCII with a backslash."""
    path = "/srv/été/東京"
    for number, text in enumerate((json.dumps(path, ensure_ascii=False), json.dumps(path).replace("/", "\\/"))):
        file = tmp_path / f"{number}.json"
        file.write_text(f'{{"read":{text[:-1]}/main.py"}}', "utf-8")
        assert path_evidence(digest(path), File(path=str(file), role="session")).proof == path
