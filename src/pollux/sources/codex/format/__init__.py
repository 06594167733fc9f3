"""What stands in Codex CLI's files: records as types, compressed files, old documents, tool names."""
