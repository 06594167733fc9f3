"""Qwen Code, 0.1 to 0.24: `~/.qwen/projects/<project>/chats/*.jsonl`, up to 0.3 `~/.qwen/tmp/*/chats/session-*`."""

from pollux.sources.agent import Agent

SOURCE = Agent("qwen", "Qwen Code", __name__, marks=("QWEN.md", ".qwen"))
