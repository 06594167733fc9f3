"""From the records of a transcript to messages: who speaks, what was said, asked and answered."""
