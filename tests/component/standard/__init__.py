"""Tests of the standard operators with tools that take their time."""
