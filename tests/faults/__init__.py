"""Real processes, really killed: what the simulator proves in virtual time, shown once with an operating system."""
