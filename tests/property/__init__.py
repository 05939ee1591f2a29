"""Property tests: what holds for every value that hypothesis can think of. See `tests.strategies`."""
