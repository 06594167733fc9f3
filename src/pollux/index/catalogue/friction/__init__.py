"""Where the work in a session did not go smoothly: found when the session is read, and asked for later."""
