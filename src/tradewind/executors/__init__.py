"""Who runs attempts. `interface.py` is all that the scheduler knows of them.

Executors never touch the database and never decide: they take work and say what became of it. Start reading at
`interface.py`.
"""
