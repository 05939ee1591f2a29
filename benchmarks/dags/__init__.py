"""DAG files that benchmarks run."""
