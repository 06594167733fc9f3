"""What the events say happened: who spoke, how calls ended, what became of messages, what was used."""
