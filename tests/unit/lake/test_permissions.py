"""What the user allows, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import RequestError, StoreError, UnknownName
from pollux.index.catalogue.values import Project
from pollux.lake.documents import Level
from pollux.lake.permissions import EVERYTHING, Permission, Permissions, permission_for, project_path

SHOP, INNER = Permission(path="/code/shop"), Permission(path="/code/shop/bank", level=Level.FIGURES)


@pytest.mark.parametrize(
    ("project", "allowed"),
    [
        ("/code/shop", True),
        ("/code/shop/web", True),
        ("/code/shopping", False),
        ("/code", False),
        ("/code/shop/../diary", False),
        ("/code/diary/../shop", True),
        (None, False),
        ("", False),
        ("/other/code/shop", False),
    ],
)
def test_a_folder_includes_what_is_in_it_and_nothing_beside(project: str | None, allowed: bool) -> None:
    assert (permission_for(project, [SHOP]) is not None) is allowed


def test_the_nearest_folder_counts() -> None:
    assert permission_for("/code/shop/bank/api", [INNER, SHOP]) == INNER
    assert permission_for("/code/shop/web", [INNER, SHOP]) == SHOP


def test_everything_includes_what_nobody_knows() -> None:
    everything = Permission(path=EVERYTHING)
    assert permission_for(None, [everything]) == everything
    assert permission_for("/code/shop/bank", [everything, INNER]) == INNER
    assert permission_for("/code", [Permission(path="/")]) is not None


def test_permissions_are_kept(tmp_path: Path) -> None:
    permissions = Permissions(tmp_path / "lake")
    assert permissions.all() == []
    permissions.allow(INNER)
    permissions.allow(SHOP)
    permissions.allow(Permission(path=SHOP.path, level=Level.WHOLE))
    assert Permissions(tmp_path / "lake").all() == [Permission(path=SHOP.path, level=Level.WHOLE), INNER]
    assert permissions.withdraw(SHOP.path)
    assert not permissions.withdraw(SHOP.path)
    assert permissions.all() == [INNER]


@pytest.mark.parametrize("content", ["", "[", '[{"path": 3}]', '[{"path": "/", "level": "all"}]'])
def test_a_damaged_file_allows_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "allowed.json").write_text(content)
    with pytest.raises(StoreError, match="nothing counts as allowed"):
        Permissions(tmp_path).all()


def test_a_project_is_a_path_or_a_known_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    known = [
        Project(path=path, name=name, agents={}, hashes=(), evidence=None)
        for path, name in [("/code/shop", "shop"), ("/a/web", "web"), ("/b/web", "web"), (None, "lost")]
    ]
    assert project_path("shop", known) == "/code/shop"
    assert project_path("~/code/../new/", known) == "/home/ada/new"
    with pytest.raises(RequestError, match="2 projects"):
        project_path("web", known)
    for name in ("sho", "lost", "x"):
        with pytest.raises(UnknownName):
            project_path(name, known)
