"""The web server on a real database, asked by a client in the same process."""
