"""Tests of `tradewind.api`."""
