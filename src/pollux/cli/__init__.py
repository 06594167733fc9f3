"""The command line.

Nothing is imported before it is needed: `pollux --version` does without click even.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run pollux on the process's arguments and end the process with its exit status."""
    if sys.argv[1:] == ["--version"]:
        from pollux import __version__

        sys.stdout.write(f"pollux {__version__}\n")
        return
    from pollux.cli.app import run

    sys.exit(run(sys.argv[1:]))
