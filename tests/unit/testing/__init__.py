"""Tests of what `tradewind.testing` ships."""
