"""Paths that a person types."""

from __future__ import annotations

from typing import Any

import click

from pollux.errors import RequestError


class NamedPath(click.Path):
    """A path. An empty one, such as a script's unset variable, is refused: it would mean the present folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises `RequestError`."""
        if not value:
            what = max(param.opts, key=len) if isinstance(param, click.Option) else "The path"
            raise RequestError(f"{what} is empty.", "Name a file or a folder.")
        return super().convert(value, param, ctx)
