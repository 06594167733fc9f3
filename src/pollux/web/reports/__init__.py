"""The pages beside the sessions: what each asks of the library. Each also answers in JSON, as its command does."""
