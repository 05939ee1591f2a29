"""Copies of the process that user code has forked, and that come out of the task's code beside the process itself.

`os.fork()` in a task, and both sides return or exit: only the process that was started for the attempt may report.
"""

import os
import traceback
from typing import NoReturn


def end_copy(error: BaseException | None) -> NoReturn:
    """End this copy as Python would end it, and without a word to anybody but its parent."""
    code = 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    elif error is not None:
        code = 1
        # Not by `sys.stderr`: that may speak to the supervisor, in the name of the process itself.
        os.write(2, "".join(traceback.format_exception(error)).encode(errors="replace"))
    os._exit(code & 0xFF)
