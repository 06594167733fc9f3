"""Answers as a person reads them in a terminal, one file a command."""
