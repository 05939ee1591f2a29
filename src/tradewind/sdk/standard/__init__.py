"""The operators, sensors, hooks, triggers and decorators that every author has without installing a provider.

One noun per module, on top of `tradewind.sdk` only. `python` and `python_decorator` are what a plain `@task` loads,
so they stay free of third-party modules. Start with `bash` for an operator, `file_sensor` for a deferrable sensor,
and `virtualenv` for how functions run in other environments.
"""
