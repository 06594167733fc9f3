"""Going on with a session in another agent: what is written where, the record of it, and taking it back."""
