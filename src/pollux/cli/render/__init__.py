"""Answers for people in a terminal, one file for each command."""
