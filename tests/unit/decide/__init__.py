"""Tests of the pure decisions, one file per question."""
