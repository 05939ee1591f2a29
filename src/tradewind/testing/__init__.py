"""What tests of Tradewind, and of the DAGs that run on it, are built from. Shipped, so that users have it too.

May import everything; nothing of Tradewind imports it. Start reading at `clock.py`.
"""
