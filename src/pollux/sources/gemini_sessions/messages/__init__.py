"""From replayed entries to messages: prompts, replies, tool calls, sub-agents."""
