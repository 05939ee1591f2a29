"""What user code asks for while it runs, and the parts of the SDK around that."""
