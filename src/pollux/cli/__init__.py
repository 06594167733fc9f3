"""The command line.

Nothing heavy is imported before a command needs it: `pollux --version` loads click and little else.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run pollux on the process's arguments and end the process with its exit status."""
    from pollux.cli.app import run

    sys.exit(run(sys.argv[1:]))
