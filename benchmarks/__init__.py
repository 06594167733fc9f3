"""Speed and memory, as ratios against a yardstick that runs beside pollux."""
