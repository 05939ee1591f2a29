"""The DAG processor on real databases, with real child processes."""
