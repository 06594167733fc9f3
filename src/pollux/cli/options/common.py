"""What every command shares: the options that may stand before or after its name, and the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.cli.options.choice import Choice
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.cli.terminal.progress import Bar
    from pollux.library.library import Library, Progress

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

COLOR, PAGER, NO_SYNC = "pollux.color", "pollux.pager", "pollux.no-sync"
SAMPLE, OR_SAMPLE = "pollux.sample", "pollux.or-sample"


def common(*, hidden: bool = True) -> Callable[[Decorated], Decorated]:
    """Add the options that all commands have; a command's own help leaves them out."""

    def add(function: Decorated) -> Decorated:
        for option in (_no_sync(hidden), _or_sample(hidden), _sample(hidden), _pager(hidden), _color(hidden)):
            function = option(function)
        return function

    return add


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Remember an option for the whole run, wherever it was given."""

    def keep(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value:
            ctx.meta[name] = value

    return keep


def _color(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--color",
        type=Choice(["auto", "always", "never"]),
        callback=_keep(COLOR),
        expose_value=False,
        hidden=hidden,
        help="Colours: in a terminal only (auto), always, never. NO_COLOR and FORCE_COLOR count too.",
    )


def _pager(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--no-pager",
        is_flag=True,
        callback=_keep(PAGER),
        expose_value=False,
        hidden=hidden,
        help="Write long output straight to the terminal.",
    )


def _sample(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--sample",
        is_flag=True,
        callback=_keep(SAMPLE),
        expose_value=False,
        hidden=hidden,
        help="Use the bundled sample history instead of yours.",
    )


def _or_sample(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--or-sample",
        is_flag=True,
        callback=_keep(OR_SAMPLE),
        expose_value=False,
        hidden=hidden,
        help="Use the bundled sample history where you have none.",
    )


def _no_sync(hidden: bool) -> Callable[[Decorated], Decorated]:
    return click.option(
        "--no-sync",
        is_flag=True,
        callback=_keep(NO_SYNC),
        expose_value=False,
        hidden=hidden,
        help="Answer from the cache as it is, without looking for what changed.",
    )


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def open_library(
    ctx: click.Context,
    *,
    quiet: bool = False,
    words: bool = False,
    early: bool = False,
    gaps: bool = True,
    report: Callable[[Progress], None] | None = None,
    bar: Bar | None = None,
) -> Library:
    """The user's sessions, or with `--sample` those of the sample; `words` says that they will be searched.

    An `early` answer does not wait for sessions that it does not need. What is written to a file, or acted on, is none.

    After the answer, remarks say what it lacks; without `gaps`, not which files could not be read. The progress of what
    must be read first is drawn on a `bar` of its own, or on this one.
    Its files are let go of when the command ends.
    """
    from pollux.library.library import Library

    if not ctx.meta.get(SAMPLE):
        if report is not None:
            return ctx.with_resource(Library(fresh=not ctx.meta.get(NO_SYNC), report=report))
        from pollux.cli.terminal.progress import Bar

        bar = bar or Bar(quiet=quiet)
        fresh = not ctx.meta.get(NO_SYNC)
        library = ctx.with_resource(Library(fresh=fresh, complete_later=True, early=early, report=bar))
        ctx.call_on_close(library.index.complete_later)
        ctx.call_on_close(lambda: _tell(library, for_programs=quiet, gaps=gaps))
        ctx.call_on_close(bar.close)
        if not ctx.meta.get(OR_SAMPLE):
            return library
        from pollux.library.sample import is_needed

        if not is_needed(library):
            return library
        ctx.meta[SAMPLE] = True
    from pollux.library.sample import sample_environment

    cache = None
    if words:
        from tempfile import TemporaryDirectory

        cache = ctx.with_resource(TemporaryDirectory(prefix="pollux-"))
    environ, cwd = sample_environment(cache)
    if not quiet:
        click.echo("pollux: this is the bundled sample, not your own history.", err=True)
    return ctx.with_resource(Library(environ, cwd, hunt=False))


def open_quietly(ctx: click.Context) -> Library:
    """The user's sessions, without remarks at the end, and without a process that would become an agent's child."""
    from pollux.cli.terminal.progress import Bar

    writing(ctx)
    bar = Bar()
    ctx.call_on_close(bar.close)
    return open_library(ctx, report=bar)


def writing(ctx: click.Context) -> None:
    """Raise `RequestError` where a command would change the sample, which is read-only.

    With `--or-sample`, such a command works with the user's own history, even if that is empty.
    """
    if ctx.meta.get(SAMPLE):
        raise RequestError("The sample history is read-only.", "Leave --sample out.")
    ctx.meta.pop(OR_SAMPLE, None)


def _tell(library: Library, *, for_programs: bool, gaps: bool) -> None:
    """Say after an answer why it lacks something or was slow, unless that is the error that ended the command."""
    from pollux.answers.problems import early_sentence, remarks

    error, index = str(sys.exc_info()[1]), library.index
    for sentence in remarks(library, gaps=gaps):
        if sentence != error:
            is_far = sentence == index.problem and not index.is_early and index.unread_files > 0
            remark(sentence, for_programs=for_programs, **({"unread_files": index.unread_files} if is_far else {}))
    if index.is_early:
        remark(early_sentence(index.unread_files), for_programs=for_programs, unread_files=index.unread_files)


def remark(sentence: str, *, for_programs: bool, **fields: Any) -> None:
    """Write a remark to stderr; programs also get the fields."""
    if for_programs:
        from pollux.answers.problems import warning_document
        from pollux.cli.terminal.screen import write_to_stderr

        write_to_stderr(warning_document(sentence, **fields))
    else:
        from pollux.text.escape import visible

        click.echo(f"pollux: {visible(sentence)}", err=True)
