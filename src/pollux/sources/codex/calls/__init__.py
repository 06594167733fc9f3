"""Tool calls: their arguments, results and durations."""
