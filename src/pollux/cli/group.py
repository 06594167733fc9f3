"""A command of commands, which says which one was probably meant."""

from __future__ import annotations

import click

from pollux.errors import RequestError
from pollux.near import did_you_mean


class Group(click.Group):
    """Knows its commands by their names alone, until one is named."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the named command. Raises `RequestError` where there is none of this name."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            hint = did_you_mean(name, known, f"Try: {ctx.command_path} --help", f"{ctx.command_path} ")
            raise RequestError(f"No command is called {name!r}.", hint)
        return super().resolve_command(ctx, args)
