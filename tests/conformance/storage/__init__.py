"""What `tradewind.storage.interface` promises, on SQLite, PostgreSQL and MySQL (D7)."""
