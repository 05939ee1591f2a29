"""Real deployments: every process started as an operator starts it, told by commands, watched in the database."""
