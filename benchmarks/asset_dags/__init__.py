"""DAG files that the benchmark `asset_runs` runs."""
