"""DAG files that the benchmark `waiting` runs."""
