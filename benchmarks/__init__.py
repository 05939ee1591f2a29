"""Benchmarks: `make bench` prints a table and writes it as JSON. May import everything."""
