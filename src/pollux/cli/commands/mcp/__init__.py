"""`pollux mcp`: the server for agents, and the commands that connect agents with it."""
