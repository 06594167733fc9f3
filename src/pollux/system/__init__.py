"""What the machine offers: directories, files, locks, processes, timers, the clock.

It may import `model`, and what lies below.
"""
