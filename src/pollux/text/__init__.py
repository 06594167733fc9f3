"""What can be done with letters alone: compare, guess, escape. It imports nothing."""
