"""x."""
import click
@click.command("doctor")
def command() -> None:
    """TODO."""
