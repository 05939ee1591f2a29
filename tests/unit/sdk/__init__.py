"""Tests of the core of `tradewind.sdk`."""
