"""Makes pollux known to agents: as a server in their settings, and as a skill; and checks that it answers."""
