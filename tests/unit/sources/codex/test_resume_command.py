"""What decides how Codex CLI goes on: the archive, the provider, the release."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import CannotResume
from tests.resumable import IDS, Desk

ID = IDS["codex"]
PLAIN = ("codex", "resume", ID)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.install("codex", "0.166.0")
    return desk


def settings(desk: Desk, text: str) -> None:
    (desk.home / ".codex").mkdir(exist_ok=True)
    (desk.home / ".codex" / "config.toml").write_text(text)


def test_an_archived_thread(desk: Desk) -> None:
    desk.codex(desk.home / ".codex", folder="archived_sessions")
    with pytest.raises(CannotResume, match="is archived in Codex CLI") as caught:
        desk.library().resume.plan(ID)
    assert caught.value.reason == "archived"
    assert caught.value.hint == f"Try: codex unarchive {ID}, then pollux resume codex:{ID}"


def test_a_thread_without_a_provider_goes_on_if_the_database_names_one(desk: Desk) -> None:
    """Nobody but Codex CLI looks there."""
    desk.codex(desk.home / ".codex", provider=None)
    settings(desk, 'model_provider = "mine"')
    plan = desk.library().resume.plan(ID)
    assert plan.words == PLAIN
    (warning,) = plan.warnings
    assert "names no model provider" in warning
    assert warning.endswith(f"pollux resume codex:{ID} --fork")
    assert desk.library().resume.plan(ID, fork=True).warnings == ()
    desk.install("codex", "0.165.0")
    assert desk.library().resume.plan(ID).warnings == ()


SAME = ["", 'model_provider = "openai"', "no TOML", "profile = 3\nprofiles = 4", 'profile = "mine"']


@pytest.mark.parametrize("text", SAME)
def test_a_thread_of_the_present_provider(desk: Desk, text: str) -> None:
    desk.codex(desk.home / ".codex", provider="openai")
    settings(desk, text)
    assert desk.library().resume.plan(ID).words == PLAIN


OTHER = ['model_provider = "mine"', 'profile = "p"\n[profiles.p]\nmodel_provider = "mine"']


@pytest.mark.parametrize("text", OTHER)
def test_a_thread_of_another_provider_that_is_configured(desk: Desk, text: str) -> None:
    """The arguments that the hint names let Codex CLI take that provider."""
    desk.codex(desk.home / ".codex", provider="openai")
    settings(desk, text)
    with pytest.raises(CannotResume, match="'openai', and Codex CLI now uses 'mine'") as caught:
        desk.library().resume.plan(ID)
    assert caught.value.reason == "provider"
    assert caught.value.hint == f"Try: pollux resume codex:{ID} -- -c model_provider=openai"
    plan = desk.library().resume.plan(ID, arguments=("-c", "model_provider=openai"))
    assert plan.words == (*PLAIN, "-c", "model_provider=openai")


def test_a_thread_of_a_provider_that_is_gone(desk: Desk) -> None:
    desk.codex(desk.home / ".codex", provider="mine")
    with pytest.raises(CannotResume, match="'mine', and Codex CLI now uses 'openai'") as caught:
        desk.library().resume.plan(ID)
    assert "--fork" in (caught.value.hint or "")
    assert desk.library().resume.plan(ID, fork=True).words == ("codex", "fork", ID)
    settings(desk, '[model_providers.mine]\nname = "mine"')
    with pytest.raises(CannotResume) as caught:
        desk.library().resume.plan(ID)
    assert "model_provider=mine" in (caught.value.hint or "")


def test_earlier_releases_do_not_ask_for_the_provider(desk: Desk) -> None:
    desk.codex(desk.home / ".codex", provider="mine")
    desk.install("codex", "0.165.0")
    assert desk.library().resume.plan(ID).words == PLAIN


@pytest.mark.parametrize(("release", "can"), [("0.42.0", False), ("0.80.0", False), ("0.92.0", True)])
def test_releases_that_can_fork(desk: Desk, release: str, can: bool) -> None:
    desk.codex(desk.home / ".codex")
    desk.install("codex", release)
    assert desk.library().resume.plan(ID).words == PLAIN
    if can:
        assert desk.library().resume.plan(ID, fork=True).fork
        return
    with pytest.raises(CannotResume, match=f"Codex CLI {release} cannot fork") as caught:
        desk.library().resume.plan(ID, fork=True)
    assert caught.value.reason == "fork"


@pytest.mark.parametrize(
    ("thread", "reason"),
    [({"folder": "archived_sessions"}, "archived"), ({"provider": "mine"}, "provider")],
    ids=["archived", "provider"],
)
@pytest.mark.parametrize("way", ["restored", "recovered"])
def test_what_stands_in_the_way_is_known_as_soon_as_it_is_back(
    desk: Desk, way: str, thread: dict[str, str], reason: str
) -> None:
    file = desk.codex(desk.home / ".codex", **thread)
    with desk.library() as library:
        library.archive.on()
        library.sync()
    file.unlink()
    with desk.library() as library:
        session = library.session(f"codex:{ID}")
        rebuilt = library.recover.rebuild(session) if way == "recovered" else None
        plan = library.recover.plan(rebuilt, None) if rebuilt is not None else library.archive.plan(session, None)
        library.archive.restore(plan)
        with pytest.raises(CannotResume) as caught:
            library.resume.plan(ID)
    assert (file.exists(), caught.value.reason) == (True, reason)
