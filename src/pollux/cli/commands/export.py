"""x."""
import click
@click.command("export")
def command() -> None:
    """TODO."""
