"""Tool calls: what was asked, what came back, how long it took."""
