"""OpenCode, up to 1.18: `~/.local/share/opencode`, many small JSON files, and since 1.2 a database."""

from pollux.sources.agent import Agent

SOURCE = Agent("opencode", "OpenCode", __name__, databases=True)
