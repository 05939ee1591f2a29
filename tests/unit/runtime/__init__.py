"""What every process is built from."""
