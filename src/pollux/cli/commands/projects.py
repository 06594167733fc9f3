"""x."""
import click
@click.command("projects")
def command() -> None:
    """TODO."""
