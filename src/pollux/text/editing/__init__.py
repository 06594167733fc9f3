"""Changes one value in somebody else's settings. Everything else stays as it is, to the byte."""
