"""What running tasks ask of the engine, and are told to store: `sdk.runtime.Runtime`, answered from the database.

`StoredRuntime` in `runtime` has all of it; each of the other modules has one part.
"""
