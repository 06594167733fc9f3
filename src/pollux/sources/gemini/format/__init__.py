"""What stands in Gemini CLI's files: records as types, parts of messages, tool names."""
