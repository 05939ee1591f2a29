"""Tests over values only: no database, network, sleep or mock of our own code. Together under ten seconds."""
