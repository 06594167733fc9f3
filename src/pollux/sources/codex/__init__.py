"""Codex CLI, April 2025 to 0.166: `~/.codex/sessions/YYYY/MM/DD/rollout-*` and what lies around them."""

from pollux.sources.agent import Agent

SOURCE = Agent("codex", "Codex CLI", __name__)
