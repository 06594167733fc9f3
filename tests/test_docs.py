"""The documentation is true: what it names exists, what exists is named, and what it shows was really printed.

POLLUX_UPDATE_TRANSCRIPTS=1 writes the examples of commands anew. Read the difference before you keep it.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import io
import json
import os
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
from pyarrow.parquet import read_schema

from pollux import Library, registry
from pollux.cli.app import COMMANDS, cli
from pollux.lake.tables import TABLES
from pollux.library.connect import skill
from pollux.library.for_agents import texts
from pollux.model import Value
from pollux.testing import Spare, Subject, cases
from pollux.transforms.redact import RULES
from pollux.writers.csv import COLUMNS
from pollux.writers.parquet import WRITER as PARQUET
from tests.apart import apart
from tests.cli.program import CORPUS, Pollux
from tests.unit.writers.judges import JUDGES

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "pollux"
DOCS = ROOT / "docs"
SAMPLE = SOURCE / "sample" / "home"
EXAMPLES = ROOT / "examples"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *EXAMPLES.rglob("*.md")])

BLOCK = re.compile(r"^(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ pollux ?(.*)\n((?:(?!\$ pollux).*\n)*)", re.MULTILINE)
LINK = re.compile(r"(?<!`)!?\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
ELLIPSIS = "…\n"


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def blocks(text: str, *languages: str) -> list[str]:
    return [block["text"] for block in BLOCK.finditer(text) if block["language"] in languages]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture
def at_home(tmp_path: Path) -> Pollux:
    """A home that is a copy of the sample's."""
    here = Pollux(tmp_path)
    shutil.copytree(SAMPLE, here.home, dirs_exist_ok=True)
    return here


# ------------------------------------------------------------------------------------------------ commands and options


def section(command: str) -> str:
    found = re.search(rf"^## pollux {command}\n(.*?)(?=^## |\Z)", page("commands.md"), re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/commands.md has no section `pollux {command}`"
    return found[1]


def options(command: click.Command) -> Iterator[click.Option]:
    context = click.Context(command, help_option_names=["-h", "--help"])
    return (p for p in command.get_params(context) if isinstance(p, click.Option) and not p.hidden)


def command_named(name: str) -> click.Command:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command


def with_commands(command: click.Command) -> Iterator[click.Command]:
    """A command, and those of a group."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        found = (command.get_command(context, name) for name in command.list_commands(context))
        yield from (one for one in found if one is not None)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described(name: str) -> None:
    text = section(name)
    missing = [
        o
        for option in options(command_named(name))
        for o in (*option.opts, *option.secondary_opts)
        if f"`{o}" not in text and "--help" not in option.opts
    ]
    assert not missing


def test_every_common_option_is_described() -> None:
    text = page("commands.md")
    assert not [o for option in options(cli) for o in option.opts if f"`{o}" not in text]


def test_no_option_is_described_that_does_not_exist() -> None:
    every = [cli, *(one for name in COMMANDS for one in with_commands(command_named(name)))]
    known = {o for command in every for option in options(command) for o in (*option.opts, *option.secondary_opts)}
    rows = re.findall(r"^\| (`-.*?) \|", page("commands.md").replace("\\|", "/"), re.MULTILINE)
    described = {option for row in rows for option in re.findall(r"`(--?[a-z-]+)", row)}
    assert described <= known


def test_every_command_has_a_section_and_no_other() -> None:
    assert re.findall(r"^## pollux (\S+)$", page("commands.md"), re.MULTILINE) == list(COMMANDS)


def test_every_agent_and_format_is_named() -> None:
    assert not [name for name in registry.SOURCES if f"`{name}`" not in (ROOT / "README.md").read_text("utf-8")]
    assert not [name for name in registry.WRITERS if f"`{name}`" not in page("commands.md")]


def _public_names(name: str, holder: object) -> dict[str, set[str]]:
    """The public names of an object, and of each object of ours that it holds under such a name."""
    names = {each for each in dir(holder) if not each.startswith("_")}
    surface = {name: names}
    for each in names:
        value = getattr(holder, each)
        if not isinstance(value, Value) and type(value).__module__.startswith("pollux."):
            surface |= _public_names(f"{name}.{each}", value)
    return surface


def test_the_public_names_of_a_library_are_listed_and_no_others(tmp_path: Path) -> None:
    tables = re.findall(r"^\| `(library[\w.]*)\.` \|.*\n\|-.*\n((?:\|.*\n)+)", page("library.md"), re.MULTILINE)
    listed = {
        name: [each for row in rows.splitlines() for each in re.findall(r"`(\w+)`", row.split("|")[1])]
        for name, rows in tables
    }
    with Library({"HOME": str(tmp_path)}, tmp_path) as library:
        assert {name: sorted(names) for name, names in listed.items()} == {
            name: sorted(names) for name, names in _public_names("library", library).items()
        }


def _public_modules() -> list[str]:
    rows = page("library.md").split("## What is public")[1]
    return re.findall(r"`(pollux\.[\w.]+)`", rows)


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    """What the examples of a page import from modules of pollux."""
    for text in blocks(path.read_text("utf-8"), "pycon", "python"):
        for module, names in re.findall(r"^(?:>>> )?from (pollux\.[\w.]+) import ([\w, ]+)$", text, re.MULTILINE):
            yield from ((module, name) for name in names.split(", "))


def test_examples_import_only_what_is_public() -> None:
    public = {(name, each) for name in _public_modules() for each in importlib.import_module(name).__all__}
    assert {one for path in PAGES for one in _imports(path)} <= public


def test_the_rules_of_redaction_are_listed_as_they_are() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", page("redaction.md"), re.MULTILINE)
    assert rows[: len(RULES)] == [(rule.name, rule.what) for rule in RULES]
    assert [name for name, _ in rows[len(RULES) :]] == ["word", "email"]


def test_the_columns_of_a_table_are_named() -> None:
    assert not [name for name in COLUMNS if f"`{name}`" not in page("export.md")]


def test_the_columns_of_parquet_tables_are_named() -> None:
    text = page("formats-out.md")
    for table in PARQUET.tables:
        pieces: list[bytes] = []
        file = PARQUET.open(table, pieces.append)
        file.close()
        names = read_schema(io.BytesIO(b"".join(pieces))).names
        row = next(line for line in text.splitlines() if line.startswith(f"| `{table}` |"))
        assert not [name for name in names if f"`{name}`" not in row]


def test_the_columns_of_a_lake_are_named() -> None:
    text = page("lake.md")
    for table in TABLES.values():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{table.stored}` | `month`"))
        assert re.findall(r"`(\w+)`", row)[1:] == [column.name for column in table.columns]


def test_every_format_for_other_programs_is_described() -> None:
    named = re.findall(r"^\| \[`([a-z-]+)`\]\(#", page("formats-out.md"), re.MULTILINE)
    assert set(JUDGES) <= set(named) <= set(registry.WRITERS)


def test_the_page_for_agents_says_what_agents_are_told() -> None:
    text = page("agents.md")
    for sentence in (texts.WHEN, texts.AUTHORITY, *(f"`{name}`" for name in texts.TOOLS)):
        assert sentence in text
    for sentence in (texts.WHEN, texts.AUTHORITY):
        assert sentence in texts.INSTRUCTIONS
        assert sentence in skill.text()


# ------------------------------------------------------------------------------------------------------ notices


def written_codes() -> dict[str, set[str]]:
    """Every notice code in the source, with the severities it is given."""
    found: dict[str, set[str]] = {}
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="add"), args=[ast.Constant(value=str(code)), _, *rest]):
                    match rest:
                        case [ast.Attribute(value=ast.Name(id="Severity"), attr=severity)]:
                            found.setdefault(code, set()).add(severity.lower())
                        case _:
                            found.setdefault(code, set()).add("warning")
    return {code: severities for code, severities in found.items() if re.fullmatch(r"[a-z-]+\.[a-z-]+", code)}


def test_every_notice_code_is_described_with_its_severity() -> None:
    rows = re.findall(r"^\| `([a-z-]+\.[a-z-]+)` \| (\w+) \|", page("notices.md"), re.MULTILINE)
    assert len(rows) == len(dict(rows))
    assert {code: {severity} for code, severity in rows} == apart(written_codes)


# ------------------------------------------------------------------------------------------------------ JSON


def fields(value: Any, place: str = "") -> Iterator[str]:
    """The keys of a document; what agents and tools put in is theirs, and not looked into."""
    if isinstance(value, list):
        for item in value:
            yield from fields(item, place)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in ("extra", "native", "input", "raw", "agents", "totals", "before", "after"):
                yield from fields(item, key)


@pytest.mark.parametrize("home", ["sample", "0.61.0", "0.44.0-tui"])
def test_every_json_field_is_described(home: str, tmp_path: Path) -> None:
    pollux = Pollux(tmp_path, None if home == "sample" else home)
    if home == "sample":
        shutil.copytree(SAMPLE, pollux.home, dirs_exist_ok=True)
    listed = json.loads(pollux("list", "--all", "--json").stdout)
    documents = [
        listed,
        *(json.loads(pollux(name, "--json").stdout) for name in ("projects", "doctor", "agents", "writers", "sync")),
        json.loads(pollux("cache", "info", "--json").stdout),
        json.loads(pollux("search", "the", "--json").stdout),
        json.loads(pollux("brief", "the", "--json").stdout),
        json.loads(pollux("mcp", "install", "codex", "--yes", "--json").stdout),
        json.loads(pollux("mcp", "install", "all", "--print", "--json").stdout),
        json.loads(pollux("mcp", "doctor", "--json").stdout),
        *(json.loads(pollux("skill", "install", *more, "--json").stdout) for more in ((), ("--print",))),
        json.loads(pollux("scan", "--all", "--redact-word", "the", "--json").stdout),
        *(json.loads(pollux("stats", "--by", by, "--json").stdout) for by in ("model", "tool")),
        *(json.loads(pollux(*command, "--json").stdout) for command in (["audit"], ["timeline"])),
        *(json.loads(pollux(command, "last", "--json").stdout) for command in ("stats", "audit")),
        json.loads(pollux("edits", "--diff", "--json").stdout),
        json.loads(pollux("compare", *(summary["key"] for summary in listed[:2]), "--json").stdout),
        json.loads(pollux("friction", "--json").stdout),
        json.loads(pollux("lake", "allow", "--every-project", "--json").stdout),
        json.loads(pollux("lake", "preview", "--person", "ada", "--document", "last").stdout),
        *(json.loads(pollux("lake", name, "--person", "ada", "--json").stdout) for name in ("preview", "status")),
    ]
    documents += [json.loads(pollux("show", summary["key"], "--json").stdout) for summary in listed]
    documents.append(json.loads(pollux("doctor", "--json").stdout)["totals"])
    text = page("json.md")
    assert not sorted({key for document in documents for key in fields(document) if f"`{key}`" not in text})


# ------------------------------------------------------------------------------------------------------ examples


@pytest.mark.parametrize("path", [p for p in PAGES if "```console" in p.read_text("utf-8")], ids=named)
def test_commands_print_what_is_shown(path: Path, at_home: Pollux) -> None:
    text = path.read_text("utf-8")
    shown = BLOCK.sub(lambda block: rerun(block, at_home), text)
    if os.environ.get("POLLUX_UPDATE_TRANSCRIPTS"):
        path.write_text(shown, "utf-8")
    assert shown == text


def rerun(block: re.Match[str], pollux: Pollux) -> str:
    """The block with every command's output as it is today; an ellipsis still stands for lines left out."""
    if block["language"] != "console":
        return block[0]
    told = "".join(answer(pollux, command[1], command[2]) for command in COMMAND.finditer(block["text"]))
    return f"{block['fence']}console\n{told}{block['fence']}"


def _usual(pollux: Pollux) -> Pollux:
    """The same home, in which no variable names a folder: what agents are told depends on them."""
    usual = copy(pollux)
    names = ("PYTHONPATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    usual.env = {name: value for name, value in pollux.env.items() if name not in names}
    return usual


def answer(pollux: Pollux, arguments: str, before: str) -> str:
    shutil.rmtree(pollux.folder / "xdg", ignore_errors=True)  # nothing is remembered from the command before
    done = (_usual(pollux) if arguments.startswith(("mcp ", "skill ")) else pollux)(*shlex.split(arguments))
    lines = [*done.stdout.splitlines(), *(f"2> {line}".rstrip() for line in done.stderr.splitlines())]
    if done.returncode:
        lines.append(f"=> {done.returncode}")
    output = "".join(f"{line}\n" for line in lines).replace(str(pollux.home), "~")
    output = output.replace(str(Path(sys.executable).parent), "/usr/local/bin")
    output = re.sub(r"(?<=, in )[\d.]+ m?s(?=:)", "180 ms", output)  # how long a server took
    if ELLIPSIS in before:
        pieces = (re.escape(piece) for piece in before.split(ELLIPSIS))
        output = before if re.fullmatch("(?:.*\n)*?".join(pieces), output) else output
    return f"$ pollux {arguments}\n{output}"


@pytest.mark.parametrize("path", [p for p in PAGES if "```pycon" in p.read_text("utf-8")], ids=named)
def test_python_examples_run(path: Path, at_home: Pollux, monkeypatch: pytest.MonkeyPatch) -> None:
    moving = ("CLAUDE_PROJECTS_DIR", "CLAUDE_CONFIG_DIR", "CODEX_SESSIONS_DIR", "CODEX_HOME")
    for name in ("POLLUX_GEMINI_DIR", "GEMINI_SESSIONS_DIR", "GEMINI_CLI_HOME", *moving):
        monkeypatch.delenv(name, raising=False)
    for name, value in at_home.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(at_home.home)
    text = "\n".join(blocks(path.read_text("utf-8"), "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, named(path), str(path), 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.attempted
    assert not result.failed, "".join(said)


def test_the_pictures_are_what_pollux_prints() -> None:
    folder = DOCS / "pictures"
    for name, drawn in runpy.run_path(str(folder / "draw.py"))["pictures"]().items():
        assert drawn == (folder / f"{name}.svg").read_text("utf-8"), "run docs/pictures/draw.py"


# --------------------------------------------------------------------------------------------------- the walk-through


@pytest.fixture
def parrot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example of docs/adding-an-agent.md as a module."""
    (tmp_path / "parrot.py").write_text(blocks(page("adding-an-agent.md"), "python")[0], "utf-8")
    spec = importlib.util.spec_from_file_location("parrot", tmp_path / "parrot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "parrot", module)
    spec.loader.exec_module(module)
    return module


def test_the_agent_of_the_walk_through_keeps_every_promise(parrot: ModuleType, tmp_path: Path) -> None:
    talk = tmp_path / "homes" / "small" / "home" / ".parrot" / "talks" / "7c1f.jsonl"
    talk.parent.mkdir(parents=True)
    talk.write_text(blocks(page("adding-an-agent.md"), "json")[0], "utf-8")
    becomes = Spare(place="who", values="me|parrot", reason="becomes `role` and `author`")
    tried = cases(Subject(source=parrot.SOURCE, spares=(becomes,)), tmp_path / "homes")
    assert {case.name for case in tried} == {"cut", "lost", "odd", "offers", "others", "planted"}
    for case in tried:
        case.check()


def test_the_package_of_the_examples_is_that_of_the_walk_through() -> None:
    text = page("adding-an-agent.md")
    assert blocks(text, "python")[0] == (EXAMPLES / "parrot" / "pollux_parrot" / "__init__.py").read_text("utf-8")
    (entry_point,) = blocks(text, "toml")
    assert entry_point in (EXAMPLES / "parrot" / "pyproject.toml").read_text("utf-8")


# ------------------------------------------------------------------------------------------------------ links


def anchors(path: Path) -> set[str]:
    headings = HEADING.findall(BLOCK.sub("", path.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(BLOCK.sub("", path.read_text("utf-8"))):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


def test_every_page_is_reachable_from_the_index() -> None:
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in LINK.findall(page("index.md"))}
    assert {path for path in DOCS.rglob("*.md") if path.name != "index.md"} <= linked


@pytest.mark.parametrize("agent", sorted(folder.name for folder in CORPUS.parent.iterdir() if folder.is_dir()))
def test_the_corpus_versions_are_named_in_the_evidence(agent: str) -> None:
    homes = [folder.name for folder in (CORPUS.parent / agent).iterdir() if folder.name[0].isdigit()]
    versions = {name.partition("-")[0] for name in homes}
    text = page(f"formats/{agent}.md")
    assert not [version for version in sorted(versions) if version not in text]
