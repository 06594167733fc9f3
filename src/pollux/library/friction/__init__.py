"""Where the work of agents did not go smoothly."""
