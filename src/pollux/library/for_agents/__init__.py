"""What agents may see of sessions: not the private ones, without secrets, and what they are told about it."""
