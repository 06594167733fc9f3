"""The tokens of requests, from figures that are repeated, restarted, estimated and overwritten."""
