"""Tests of `tradewind.storage` that need no database."""
