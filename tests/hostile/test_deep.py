"""JSON nested as deeply as it is read at all, and sessions that something fails over: neither costs the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pollux import registry
from pollux.export.folder import Folder
from pollux.export.names import Layout
from pollux.export.run import FolderExport
from pollux.export.secrets import secrets
from pollux.model import Part, Session, ToolCall, Unknown
from pollux.transforms.redact import Redactor
from pollux.writers.base import Options, WriterContext
from pollux.writers.json import encode
from tests.hostile.conftest import EVERYTHING, World
from tests.unit.writers.kitchen_sink import SESSION

SECRET = "ghp_" + "Zq7Kx2Wm9Rt4Lp8Vn3Bc6Hd1Gf5Js0TyUeAi"
FORMATS = (
    *("json", "markdown", "text", "html", "csv", "events", "vac", "atif", "otel", "openai", "sharegpt", "hf"),
    *("parquet", "agent-trace", "acp"),
)


def _nest(world: World, levels: int, opening: str = "[", closing: str = "]") -> str:
    """Give the first call of a session of Claude Code an input of so many levels, with a secret in the innermost."""
    every = (world.home / ".claude" / "projects").glob("*/*.jsonl")
    file = next(file for file in sorted(every) if '"type":"tool_use"' in file.read_text(encoding="utf-8"))
    lines = file.read_text(encoding="utf-8").split("\n")
    for place, line in enumerate(lines):
        record = json.loads(line) if line else {}
        content = record.get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use":
                block["input"] = "⁂"
                deep = opening * levels + json.dumps(SECRET) + closing * levels
                lines[place] = json.dumps(record, ensure_ascii=False).replace('"⁂"', '{"a":' + deep + "}")
                file.write_text("\n".join(lines), encoding="utf-8")
                return file.stem
    raise AssertionError("no call")


@pytest.mark.parametrize(("opening", "closing", "more"), [("[", "]", ()), ('{"a":', "}", ("--redact",))])
def test_a_deep_value_is_looked_through_and_written(
    tmp_path: Path, opening: str, closing: str, more: tuple[str, ...]
) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    name = _nest(world, 900, opening, closing)
    result = world.command("scan", "--all", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert not document["unread"]
    assert any(name in one["key"] and one["rule"] == "github-token" for one in document["secrets"])
    for form in FORMATS:
        folder = tmp_path / form
        result = world.command("export", "--all", "--to", form, *more, "-o", str(folder))
        assert result.returncode == 0, (form, result.stderr)
        written = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
        assert not more or SECRET.encode() not in written, form


PASSWORD = "kaffee7Rosen"
LEAVES: dict[str, Any] = {
    "line": f"password={PASSWORD}",
    "name": {"password": PASSWORD},
    "setting": {"text": f"export DB_PASSWORD={PASSWORD}"},
    "arguments": ["mysql", "--password", PASSWORD],
    "address": f"postgres://ada:{PASSWORD}@host/db",
    "cookie": {"Cookie": f"sid={PASSWORD}"},
}


def _deep(levels: int) -> dict[str, Any]:
    """Every kind of secret below so many lists, so many objects, and so many of both by turns."""
    result: dict[str, Any] = {}
    for kind, leaf in LEAVES.items():
        lists = objects = both = leaf
        for level in range(levels):
            lists, objects, both = [lists], {"a": objects}, {"b": both} if level % 2 else [both]
        result |= {f"{kind}-1": lists, f"{kind}-2": objects, f"{kind}-3": both}
    return result


def _full_of(deep: dict[str, Any]) -> Session:
    """A session that holds this wherever recorded objects are: arguments, results, raw records, what is kept beside."""

    def filled(part: Part) -> Part:
        if isinstance(part, ToolCall):
            return replace(part, input=deep, output=encode(deep), extra=deep)
        if isinstance(part, Unknown):
            return replace(part, raw=deep)
        return replace(part, extra=deep) if hasattr(part, "extra") else part

    wanted = [ToolCall, Unknown]
    chosen = [next(m for m in SESSION.messages if any(type(part) is kind for part in m.parts)) for kind in wanted]
    messages = [replace(one, parts=tuple(map(filled, one.parts)), extra=deep) for one in chosen]
    return replace(SESSION, messages=tuple(messages), extra=deep)


@pytest.mark.parametrize("levels", [1, 480])
def test_no_secret_is_too_deep_to_be_found(levels: int) -> None:
    session = _full_of(_deep(levels))
    assert any(isinstance(part, Unknown) for message in session.messages for part in message.parts)
    bare = Redactor()(session)
    for form in registry.WRITERS:
        everything = Options(thinking=True, tools="full", tokens=True, notices=True, content=True)
        for options in (Options(), everything) if levels == 1 else (everything,):
            pieces: list[str | bytes] = []
            registry.writer(form).write(bare, pieces.append, options)
            written = b"".join(
                piece.encode("utf-8", "replace") if isinstance(piece, str) else piece for piece in pieces
            )
            assert written
            assert PASSWORD.encode() not in written, form


@pytest.mark.parametrize("form", FORMATS)
def test_a_session_that_cannot_be_written_costs_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    jobs = world.library().jobs(EVERYTHING)
    keys = sorted(summary.key for job in jobs for summary in job.summaries)
    prepare = FolderExport._prepare

    def fails(self: FolderExport, session: Session) -> tuple[Session, WriterContext]:
        if session.key == keys[0]:
            raise RecursionError
        return prepare(self, session)

    monkeypatch.setattr(FolderExport, "_prepare", fails)
    with Folder(str(world.folder / "exported"), forbidden=()) as folder:
        outcome = FolderExport(registry.writer(form), Options(), folder).run(jobs, {}, {})
    assert outcome.unread == [keys[0]]
    assert sorted(entry.summary.key for entry in outcome.entries) == keys[1:]


def test_nothing_is_left_of_a_session_that_was_half_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = world.library().jobs(EVERYTHING)
    keys = sorted(summary.key for job in jobs for summary in job.summaries)
    writer = registry.writer("markdown")
    write = type(writer).write

    def fails(self: Any, session: Session, *more: Any) -> Any:
        if session.key == keys[0]:
            more[0]("half of a session")
            raise RecursionError
        return write(self, session, *more)

    monkeypatch.setattr(type(writer), "write", fails)
    with Folder(str(world.folder / "exported"), forbidden=()) as folder:
        outcome = FolderExport(writer, Options(), folder, layout=Layout.DAY).run(jobs, {}, {})
    assert outcome.unread == [keys[0]]
    assert not any("half of a session" in file.read_text() for file in (world.folder / "exported").rglob("*.md"))


def test_a_session_that_cannot_be_looked_through_costs_no_other(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = world.library().jobs(EVERYTHING)
    keys = sorted(summary.key for job in jobs for summary in job.summaries)
    findings = Redactor.findings

    def fails(self: Redactor, session: Session) -> Any:
        if session.key == keys[0]:
            raise RecursionError
        return findings(self, session)

    monkeypatch.setattr(Redactor, "findings", fails)
    result = secrets(jobs, Redactor())
    assert (result.unread, result.sessions) == ([keys[0]], len(keys) - 1)
