"""pollux's own cache of what the agents' files hold: a catalogue of the sessions and an index of their words."""
