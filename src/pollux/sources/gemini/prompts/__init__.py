"""What the human typed, from the log of prompts, and which message holds it."""
