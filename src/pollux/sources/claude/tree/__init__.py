"""The tree that records form: its branches, copies, forks and sub-agents."""
