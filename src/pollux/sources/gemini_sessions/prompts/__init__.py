"""The lines that the human typed, from the log of prompts, and the messages that hold them."""
