"""Gemini CLI, 0.1 to 0.61: `~/.gemini/tmp/<project>/chats/session-*` and what lies around them."""

from pollux.sources.agent import Agent

SOURCE = Agent("gemini", "Gemini CLI", __name__, marks=("GEMINI.md", ".gemini"))
