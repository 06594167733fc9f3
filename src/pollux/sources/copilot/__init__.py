"""GitHub Copilot CLI, 1.0.11 to 1.0.102: `~/.copilot/session-state/<id>/events.jsonl` and what lies around them."""

from pollux.sources.agent import Agent

SOURCE = Agent("copilot", "GitHub Copilot CLI", __name__)
