"""The Execution API: what supervisors of attempts on other machines ask of the engine, over HTTP.

Start reading at `routes.py`. Who asks is known by tokens of its own (`tokens.py`); what tasks may ask for is what
`operations.task_requests` has (`calls.py`), what they may not write is said by `scope.py`.
"""
