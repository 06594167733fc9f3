"""The format of Claude Code's files: types of records, tool names, figures, small files next to a transcript."""
