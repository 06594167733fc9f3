"""The format of Codex CLI's files: records as types, compressed files, old documents, tool names."""
