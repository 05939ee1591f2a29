"""Where secrets are looked up, and how they are kept."""
