"""`pollux completion`: the script that teaches a shell to complete pollux's arguments."""

from __future__ import annotations

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common
from pollux.cli.options.group import Command

WHERE = {
    "bash": 'eval "$(pollux completion bash)"            in ~/.bashrc',
    "zsh": 'eval "$(pollux completion zsh)"             in ~/.zshrc, after compinit',
    "fish": "pollux completion fish > ~/.config/fish/completions/pollux.fish",
}


@click.command(
    "completion",
    cls=Command,
    epilog="\b\nTo use it:\n" + "\n".join(f"  {line}" for line in WHERE.values()),
)
@click.argument("shell", type=Choice(list(WHERE)))
@common()
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, options, agents, formats, projects, and the ids of sessions with their titles.
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker is not None  # noqa: S101 (click knows these three)
    from pollux.cli.app import COMPLETION

    script = maker(ctx.find_root().command, {}, "pollux", COMPLETION)
    click.echo(script.source_template % script.source_vars())
