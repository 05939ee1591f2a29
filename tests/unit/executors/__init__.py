"""Which executors there are."""
