"""Marks in archives and exports."""

from __future__ import annotations

import json
from pathlib import Path

from pollux import Filter, Library, registry
from pollux.export.service import Exporter
from pollux.library.marks import Edit, Target
from pollux.model import Marks
from pollux.transforms.redact import Redactor
from pollux.writers import Options
from tests.unit.library.marks.conftest import SEEDS, SIGNS, STAR, TIDES, Place, exported, listed


def test_marks_go_along_with_an_exported_archive_and_are_joined(tmp_path: Path, library: Library) -> None:
    other = Place(tmp_path / "other")
    theirs = other.library()
    library.marks.change([Target(TIDES)], Edit(starred=True, note="first", tags={"a": True, "b": True}))
    theirs.marks.change([Target(TIDES)], Edit(note="second", tags={"c": True}))
    theirs.marks.change([Target(SEEDS)], STAR)
    library.marks.change([Target(TIDES)], Edit(name="third", tags={"b": False}))
    theirs.marks.change([Target(SIGNS)], STAR)
    theirs.marks.undo()
    carried = library.archive.export(tmp_path / "ours.pack")
    assert carried.marks == 2
    assert theirs.archive.import_file(tmp_path / "ours.pack").marks == 2
    assert theirs.archive.import_file(tmp_path / "ours.pack").marks == 0
    assert library.archive.import_file(exported(theirs, tmp_path / "theirs.pack")).marks == 4
    assert library.marks.all() == theirs.marks.all()
    tides = library.marks.of(TIDES)
    assert tides is not None
    assert tides.session == Marks(starred=True, note="second", name="third", tags=("a", "c"))
    assert set(library.marks.all()) == {TIDES, SEEDS}


def test_marks_that_no_pollux_wrote_are_not_taken(tmp_path: Path, place: Place, library: Library) -> None:
    library.marks.change([Target(TIDES)], STAR)
    journal = place.data / "pollux" / "marks" / "marks.jsonl"
    whole = journal.read_bytes()
    for odd in (b"[]", b'{"at":"2026-11-16T00:00:00","session":"a"}', b'{"at":"9999-12-31T23:59:59.999999Z"}', b"\xff"):
        journal.write_bytes(odd + b"\n" + whole)
        assert listed(library, ("is", "starred")) == [TIDES]
        library.marks.change([Target(SEEDS)], STAR)
    (tmp_path / "other").mkdir()
    other = Place(tmp_path / "there").library()
    file = exported(library, tmp_path / "ours.pack")
    data = file.read_bytes()
    assert data.count(b'"starred"') == 2
    file.write_bytes(data.replace(b'"starred"', b'"STARRED"'))  # the checksum tells
    result = other.archive.import_file(file)
    assert (result.marks, result.damaged) == (0, 1)
    assert not other.marks.all()


def test_the_name_that_the_user_gave_is_the_title_of_exports(tmp_path: Path, library: Library) -> None:
    secret = "AKIAQ7NDF2JX4TZ5WPLM"
    library.marks.change(
        [Target(SEEDS)], Edit(starred=True, name=f"Beans {secret}", tags={"seeds": True}, note="later")
    )
    message = library.cited(f"{SEEDS}#5a7c").message
    library.marks.change([Target(SEEDS, message)], Edit(note=f"the {secret}"))
    session = library.session(SEEDS)

    def written(to: str, redactor: Redactor | None = None, **options: bool) -> str:
        pieces: list[str] = []
        Exporter(library, registry.writer(to), Options(**options), redactor).write(session, pieces.append)  # type: ignore[arg-type]
        return "".join(pieces)

    lines = written("markdown", front_matter=True).splitlines()
    assert lines[:3] == ["---", f'title: "Beans {secret}"', 'own_title: "Find the one-packet assumption"']
    assert {"starred: true", 'tags: ["seeds"]', 'note: "later"', f"# Beans {secret}"} <= set(lines)
    assert written("text").startswith(f"Beans {secret}\n")
    assert f'<h1 title="Find the one-packet assumption">Beans {secret}</h1>' in written("html")
    document = json.loads(written("json"))
    assert document["title"] == "Find the one-packet assumption"
    assert document["marks"]["name"] == f"Beans {secret}"
    assert [one["marks"]["note"] for one in document["messages"] if "marks" in one] == [f"the {secret}"]
    for name in ("markdown", "text", "html", "json"):
        clean = written(name, Redactor(), front_matter=name == "markdown")
        assert secret not in clean
        assert "Beans " in clean
    folder = tmp_path / "site"
    Exporter(library, registry.writer("html")).to_folder(library.jobs(Filter()), str(folder))
    assert f"Beans {secret}" in (folder / "index.html").read_text("utf-8")
