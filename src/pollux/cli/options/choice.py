"""Options that take one of a few words, or several of them, or a number. The error for a wrong word suggests one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from pollux.errors import RequestError
from pollux.text.suggest import did_you_mean


class Choice(click.Choice[str]):
    """One of some words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word. Raises `RequestError` where it is not one of the choices."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            raise _wrong(value, self.choices, param) from None


class Amount(click.ParamType[int]):
    """A whole number, 1 or more."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number. Raises `RequestError` where it is none, or less than 1."""
        option = _option(param)
        try:
            number = int(value)
        except ValueError:
            raise RequestError(f"{option} must be a whole number, not {value!r}.", f"Try: {option} 20") from None
        if number < 1:
            raise RequestError(f"{option} must be 1 or more.", f"Try: {option} 20")
        return number


class Seconds(click.ParamType[float]):
    """A number of seconds, more than 0."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ARG002
        """The seconds. Raises `RequestError` where they are no number, or not more than 0."""
        option = _option(param)
        try:
            seconds = float(value)
        except ValueError:
            raise RequestError(f"{option} must be a number, not {value!r}.", f"Try: {option} 5") from None
        if not seconds > 0:
            raise RequestError(f"{option} must be more than 0.", f"Try: {option} 5")
        return seconds


class Several(click.ParamType[tuple[str, ...]]):
    """Some of a few words, with commas between them."""

    name = "words"

    def __init__(self, choices: Sequence[str]) -> None:
        self.choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:  # noqa: ARG002
        """The words. Raises `RequestError` where one is not among the choices."""
        if isinstance(value, tuple):
            return value
        words = tuple(word.strip().lower() for word in str(value).split(","))
        for word in words:
            if word not in self.choices:
                raise _wrong(word, self.choices, param)
        return words

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """As the help shows it."""
        return f"[{'|'.join(self.choices)}],…"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[click.shell_completion.CompletionItem]:
        """The choices that begin like the last word."""
        from click.shell_completion import CompletionItem

        before, comma, begun = incomplete.rpartition(",")
        return [CompletionItem(f"{before}{comma}{word}") for word in self.choices if word.startswith(begun)]


def _wrong(word: str, choices: Sequence[str], param: click.Parameter | None) -> RequestError:
    hint = did_you_mean(word, choices, f"It can be {', '.join(choices)}.")
    return RequestError(f"{_option(param)} cannot be {word!r}.", hint)


def _option(param: click.Parameter | None) -> str:
    """An option or argument as a person writes it."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return param.human_readable_name if param is not None else "It"
