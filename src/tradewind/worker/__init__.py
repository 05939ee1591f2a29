"""Where attempts of tasks are carried out.

`task_life` is what happens inside one attempt, from its context to its outcome, and knows nothing of processes. Code
that runs user code never imports `storage`.
"""
