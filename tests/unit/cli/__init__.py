"""Pure parts of the command line."""
