"""Shell completion: agents, formats, projects, session ids with their titles, message ids with their words, tags.

Whatever goes wrong here goes wrong silently: somebody is in the middle of typing.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    import click

    from pollux.library.library import Library

MOST_ITEMS = 40
PATIENCE = 0.6


def agents(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Names of agents."""
    from pollux import registry

    names = registry.source_names()
    return [CompletionItem(name, help=registry.source(name).title) for name in names if name.startswith(incomplete)]


def formats(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Names of formats, with what each is for."""
    from pollux import registry

    items = []
    for name in registry.writer_names():
        if name.startswith(incomplete):
            with contextlib.suppress(ImportError):
                items.append(CompletionItem(name, help=registry.writer(name).purpose))
    return items


def projects(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Names of projects, or directories."""
    if _is_path(incomplete):
        return [CompletionItem(incomplete, type="dir")]
    known: dict[str, str] = {}
    with contextlib.suppress(Exception):
        for project in _library(ctx).projects.all():
            if project.path is not None:
                known.setdefault(project.name, project.path)
    return [CompletionItem(name, help=_help(path)) for name, path in known.items() if name.startswith(incomplete)]


def sessions(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Ids of sessions with their titles, those that changed last first; or session files."""
    if _is_path(incomplete):
        return [CompletionItem(incomplete, type="file")]
    items: list[CompletionItem] = []
    agent, colon, prefix = incomplete.rpartition(":")
    with contextlib.suppress(Exception):
        for name, id, title in _library(ctx).index.with_prefix(prefix):
            if colon and name != agent:
                continue
            items.append(CompletionItem(f"{name}:{id}" if colon else id, help=_help(title)))
            if len(items) >= MOST_ITEMS:
                break
    if "last".startswith(incomplete):
        items.append(CompletionItem("last", help="the newest session"))
    return items


def tags(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Tags that the user gave, the most frequent first."""
    known: dict[str, int] = {}
    with contextlib.suppress(Exception):
        known = _library(ctx).marks.tags()
    return [CompletionItem(tag, help=str(count)) for tag, count in known.items() if tag.startswith(incomplete)]


def messages(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Ids of a session's messages with their first words, the newest first."""
    items: list[CompletionItem] = []
    with contextlib.suppress(Exception):
        # click gives up parsing at an option whose value is being typed, and leaves the rest as it was.
        key = ctx.params.get("key") or next(word for word in ctx.args if not word.startswith("-"))
        session = _library(ctx).session(key)
        fitting = [message for message in reversed(session.messages) if message.id.startswith(incomplete)]
        items = [CompletionItem(message.id, help=_help(message.text)) for message in fitting[:MOST_ITEMS]]
    return items


def _help(title: str | None) -> str:
    from pollux.draw.width import cut
    from pollux.text.escape import one_line

    return cut(one_line(title or ""), 60)


def _library(ctx: click.Context) -> Library:
    """The library, brought up to date only as far as the time allows: somebody waits for the completion."""
    from pollux.cli.options.common import open_library
    from pollux.library.library import Enough, Progress

    begun = time.monotonic()

    def patient(_: Progress) -> None:
        if time.monotonic() - begun > PATIENCE:
            raise Enough

    return open_library(ctx, quiet=True, report=patient)


def _is_path(incomplete: str) -> bool:
    return os.sep in incomplete or incomplete.startswith(("~", "."))
