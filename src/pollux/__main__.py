"""`python -m pollux`."""

from pollux.cli import main

main()
