"""x."""
import click
@click.command("agents")
def command() -> None:
    """TODO."""
