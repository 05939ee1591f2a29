"""Triggers for asset watchers that take messages out of queues, and tell the queues when they are done with."""
