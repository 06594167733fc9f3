"""x."""
import click
@click.command("completion")
def command() -> None:
    """TODO."""
