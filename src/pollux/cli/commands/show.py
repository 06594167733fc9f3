"""x."""
import click
@click.command("show")
def command() -> None:
    """TODO."""
