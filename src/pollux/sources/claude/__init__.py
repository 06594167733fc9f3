"""Claude Code, 1.0 to 2.1: `~/.claude/projects/<directory>/<session>.jsonl` and what lies around them."""

from pollux.sources.agent import Agent

SOURCE = Agent("claude", "Claude Code", __name__)
