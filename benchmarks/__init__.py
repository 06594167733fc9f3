"""Speed and memory, as ratios against a yardstick that runs beside pollux.

An installed pollux is compiled. A checkout is compiled here: where the environment forbids Python to keep what it
compiled, every command would do that again, for 0.1 to 0.2 seconds.
"""

import compileall
import os

import pollux

compileall.compile_dir(os.path.dirname(pollux.__file__), quiet=1)  # noqa: PTH120
