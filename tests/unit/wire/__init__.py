"""What processes say to one another."""
