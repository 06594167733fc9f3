"""The format of Gemini CLI's files: types of records, parts of messages, tool names."""
