"""The web pages of Tradewind, and what they ask beyond the REST API: summaries, graphs, changes as they happen."""
