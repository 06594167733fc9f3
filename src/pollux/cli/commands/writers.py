"""x."""
import click
@click.command("writers")
def command() -> None:
    """TODO."""
