"""Metrics and traces: what becomes of events, and what receivers get."""
