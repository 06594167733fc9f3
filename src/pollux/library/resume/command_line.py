"""The command that starts an agent: as a line for a shell, and with the environment that it gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pollux.text.shell import shell_line, shell_word


def command_line(
    words: Sequence[str], folder: str, environ: Mapping[str, str | None], *, before: Sequence[str] = ()
) -> str:
    """A command, after one `before` it, as a line for a shell. A variable that is None must not be set."""
    unset = [word for name, value in environ.items() if value is None for word in ("-u", name)]
    variables = [f"{name}={shell_word(value)}" for name, value in environ.items() if value is not None]
    lead = [*(("env", *unset) if unset else ()), *variables]
    commands = [" ".join([*lead, shell_line(*one)]) for one in (before, words) if one]
    return " && ".join([f"cd {shell_word(folder)}", *commands])


def changed_environment(present: Mapping[str, str], folder: str, environ: Mapping[str, str | None]) -> dict[str, str]:
    """The environment for a command, made of the present one."""
    changed = {name: value for name, value in environ.items() if value is not None}
    return {**{name: value for name, value in present.items() if name not in environ}, **changed, "PWD": folder}
