"""What Copilot CLI writes: events, their data, the names of tools."""
