"""The commands, run in this process on databases of their own."""
