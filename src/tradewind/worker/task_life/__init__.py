"""One attempt of a task: prepare it, execute it, say what became of it.

Start reading at `life.py`. The host (a worker's child process, or a test) gives an `Assignment` and a runtime that
answers the task's questions, and gets an `Outcome`, which becomes a report to the engine. May import `model`, `errors`
and `sdk`; nothing here starts a process or decides about retries.
"""
