"""What changed in the agents' files, and how it gets into the index."""
