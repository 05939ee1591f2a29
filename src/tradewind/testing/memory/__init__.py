"""The answers that running tasks get in a test: variables, connections, XComs and assets in memory, runs and task
instances from the database of the test. `runtime.py` puts them together; `contents.py` is what is remembered.
"""
