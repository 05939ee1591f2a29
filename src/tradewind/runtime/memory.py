"""The memory of a process that runs for long."""

import gc


def keep_for_good() -> None:
    """What is there now stays for as long as the process: nobody shall look through it for rubbish again and again.

    A full collection walks over every module that was ever imported, which takes longer than to schedule a task.
    """
    gc.collect()
    gc.freeze()
