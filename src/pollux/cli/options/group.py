"""Commands that refuse an option with two values, and groups that suggest the right command for a wrong one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pollux.errors import RequestError
from pollux.text.suggest import did_you_mean

if TYPE_CHECKING:
    from click.parser import _OptionParser


class _Once(click.Command):
    """Refuses an option that takes one value and is given two."""

    def make_parser(self, ctx: click.Context) -> _OptionParser:
        """The parser of the arguments. It raises `RequestError` where an option is given twice."""
        parser = super().make_parser(ctx)
        parse = parser.parse_args

        def once(args: list[str]) -> Any:
            read = parse(args)
            if not ctx.resilient_parsing:
                _check(read[2])
            return read

        parser.parse_args = once  # type: ignore[method-assign]
        return parser


def _check(given: list[click.Parameter]) -> None:
    """Raise `RequestError` where an option with one value was given twice, or two that cannot be combined."""
    options = [one for one in given if isinstance(one, click.Option) and not (one.multiple or one.count)]
    for option, times in Counter(options).items():
        name = max(option.opts, key=len)
        if times > 1 and not option.is_flag:
            raise RequestError(f"{name} takes one value, and was given {times}.", f"Leave out all {name} but one.")
        other = next((one for one in options if one.name == option.name and one is not option), None)
        if other is not None:
            raise RequestError(f"{name} and {max(other.opts, key=len)} cannot be combined.", "Leave out one of them.")


class Command(_Once):
    """A command."""


class Group(_Once, click.Group):
    """A group of commands."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises `RequestError` where none has this name."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            hint = did_you_mean(name, known, f"Try: {ctx.command_path} --help", f"{ctx.command_path} ")
            raise RequestError(f"No command is called {name!r}.", hint)
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """A group that loads a command's module when the command is named.

    `modules` has the module of each command, which is its `command`, in the order in which the help shows them.
    """

    def __init__(self, *arguments: Any, modules: Mapping[str, str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in self._modules:
            return None
        command: click.Command = import_module(self._modules[cmd_name]).command
        return command
