"""Tests of the standard operators, sensors, hooks, triggers and decorators: their `execute` is called for real."""
