"""What the machine offers: directories, files, locks, processes, timers, the clock. It imports the model."""
