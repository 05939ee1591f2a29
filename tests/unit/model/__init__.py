"""Tests of `tradewind.model`."""
