"""What the processes of a worker do, each by itself."""
