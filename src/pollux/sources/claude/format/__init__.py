"""What stands in Claude Code's files: records as types, tool names, figures, the small files beside a transcript."""
