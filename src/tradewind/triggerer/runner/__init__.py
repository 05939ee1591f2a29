"""The process that runs triggers: one event loop, no database, no secret of the deployment.

`python -P -m tradewind.triggerer.runner.main FD`, with FD one end of a socket to the supervisor.
"""
