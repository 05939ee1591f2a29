"""Provider packages: their names, their metadata, and how they are installed."""
