"""Logs of tasks in real storage."""
