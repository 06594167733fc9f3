"""Reads one session from all of its files."""

from pollux.sources.gemini_sessions.read import read

__all__ = ["read"]
