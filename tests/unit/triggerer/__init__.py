"""The parts of a triggerer, each by itself."""
