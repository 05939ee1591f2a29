"""Tests of one service, on a real database with a fake clock, driven by `run_once`."""
