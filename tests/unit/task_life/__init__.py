"""One attempt of a task, run in this process with a runtime in memory."""
