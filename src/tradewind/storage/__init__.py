"""Where the state lives. SQLAlchemy, and every line of SQL, is in here and nowhere else.

`interface.py` is what the rest of Tradewind sees: protocols, one per aggregate, with their guarantees. `schema.py` has
the tables, `database.py` the connection and its transactions, and one module per aggregate the queries. `batch.py`
is how thousands of rows travel in one statement. Start reading at `interface.py`.
"""
