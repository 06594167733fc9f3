"""What a view needs to hand sessions on: a library, a format, and nothing of another view."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pollux import Filter, Library, registry
from pollux.errors import OutputError
from pollux.export.service import Exporter
from pollux.library.redaction import redactor
from pollux.library.sample import sample_environment


@pytest.fixture
def library() -> Library:
    environ, cwd = sample_environment()
    return Library(environ, cwd, hunt=False)


def test_one_session_becomes_a_page(library: Library) -> None:
    page: list[str] = []
    exporter = Exporter(library, registry.writer("html"))
    exporter.write(library.session("last"), page.append)
    assert page[0].startswith("<!doctype html>")
    assert (exporter.sessions, exporter.size) == (1, len("".join(page)))
    assert exporter.report.kept > 0


def test_a_page_has_prices_and_sub_agents(library: Library) -> None:
    parent = next(session for session in library.sessions() if any(_children(library, session.key)))
    page: list[str] = []
    Exporter(library, registry.writer("html")).write(parent, page.append)
    assert "<b>The sub-agent’s session</b>" in "".join(page)
    assert "<dt>Cost</dt>" in "".join(page)


def _children(library: Library, key: str) -> list[str]:
    entries = library.list(Filter(everything=True))
    return [entry.summary.key for entry in entries if entry.summary.parent == key]


def test_many_sessions_go_to_a_folder(library: Library, tmp_path: Path) -> None:
    exporter = Exporter(library, registry.writer("html"))
    outcome = exporter.to_folder(library.jobs(Filter(everything=True)), str(tmp_path))
    assert len(outcome.entries) == exporter.sessions == library.count(Filter(everything=True))
    assert (tmp_path / "index.html").exists()
    assert outcome.foreign == outcome.unread == []


def test_secrets_are_taken_out_first(library: Library) -> None:
    text: list[str] = []
    exporter = Exporter(
        library, registry.writer("text"), redactor=redactor(library.settings_file, library.user_home, ["tide"])
    )
    exporter.write(library.session("c883"), text.append)
    assert "tide " not in "".join(text)
    assert "secrets" in {dropped.what for dropped in exporter.report.dropped}


def test_nothing_is_written_among_the_agents_files(library: Library) -> None:
    session = library.session("last")
    with pytest.raises(OutputError, match="agent's own files"):
        Exporter(library, registry.writer("text")).to_file(session, session.files[0], force=True)


def test_no_view_is_needed() -> None:
    code = "import sys, pollux.export.service, pollux.library.redaction, pollux.export.run, pollux.export.secrets;"
    code += "sys.exit(any(name.startswith('pollux.cli') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
