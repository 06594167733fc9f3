"""Going on with a session in its own agent: the command, who has the session open, what is kept before."""
