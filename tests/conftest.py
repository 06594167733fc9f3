"""What all tests share."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# Whoever is started in the background of a script ignores Ctrl-C, and so do all it starts. Some tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test leaves a process behind, but those that are about it.
os.environ["POLLUX_BACKGROUND"] = "0"

# How long an example takes says something about the machine, not about the code.
settings.register_profile("pollux", deadline=None)
settings.load_profile("pollux")
