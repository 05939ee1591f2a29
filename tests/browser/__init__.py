"""The pages, looked at with a browser."""
