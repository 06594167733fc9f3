"""The tools: each turns arguments into the text of an answer."""
