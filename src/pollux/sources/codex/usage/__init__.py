"""What requests cost, from figures that are repeated, restarted, estimated and overwritten."""
