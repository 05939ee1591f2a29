"""What the web pages of Tradewind need beyond the REST API: to be told of changes as they happen."""
