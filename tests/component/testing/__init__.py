"""DAGs of authors, run in memory through the real scheduler."""
