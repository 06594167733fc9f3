"""Every JSON document of the command line is made in `pollux.answers`; a command only prints it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pollux

CLI = Path(pollux.__file__).parent / "cli"
SCREEN = CLI / "terminal" / "screen.py"
FILES = sorted(file for file in CLI.rglob("*.py") if file != SCREEN)
COMMANDS = sorted((CLI / "commands").glob("[!_]*.py"))
PRINTERS = {"json", "json_lines", "json_text", "write_to_stderr"}
"""What writes a document: methods of `Screen`, and functions beside it."""
MAKERS = {"json", "pollux.writers.json"}
"""What a command would make a document with."""


def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each module, with each name that is imported from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def printed(tree: ast.AST) -> Iterator[ast.expr]:
    """What is handed to a printer of documents."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            if name in PRINTERS:
                yield node.args[0]


def strangers(tree: ast.Module) -> list[str]:
    """What is printed as a document and does not come from `pollux.answers`, as it stands in the source."""
    makers = {name for module, name in imports(tree) if module.startswith("pollux.answers.")}

    def is_made(value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in makers

    variables = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_made(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        ast.unparse(value)
        for value in printed(tree)
        if not (is_made(value) or (isinstance(value, ast.Name) and value.id in variables))
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(CLI)))
def test_what_is_printed_comes_from_answers(file: Path) -> None:
    assert strangers(parsed(file)) == []


@pytest.mark.parametrize(
    "file", [*COMMANDS, *(CLI / "options").glob("*.py"), CLI / "app.py"], ids=lambda file: file.stem
)
def test_a_command_has_nothing_to_make_a_document_with(file: Path) -> None:
    assert {module for module, _ in imports(parsed(file))} & MAKERS == set()


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: file.stem)
def test_a_command_for_programs_has_an_answer(file: Path) -> None:
    tree = parsed(file)
    offers = any(name == "json_option" for _, name in imports(tree)) or '"--json"' in file.read_text("utf-8")
    assert offers == any(module.startswith("pollux.answers.") for module, _ in imports(tree)) or file.stem == "export"


@pytest.mark.parametrize(
    "body",
    [
        "screen.json({'a': 1})",
        "screen.json([row_document(row) for row in rows])",
        "screen.json(rows)",
        "write_to_stderr({'warning': sentence})",
    ],
)
def test_a_document_that_a_command_makes_is_seen(body: str) -> None:
    assert strangers(ast.parse(f"from pollux.answers.x import row_document\n{body}"))
