"""Work whose memory goes with it: done by a copy of this process."""

import json
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from tradewind.errors import SettingsError, TradewindError


def done_aside(work: Callable[[], list[str]]) -> list[str]:
    """What it returns. What it loads and leaves behind is no burden to those who are forked from this process later.

    Call it before there are threads.

    Raises:
        TradewindError: it raised one, or its process was killed.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if not pid:
        os.close(reading)
        _work(work, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as stream:
        said = stream.read()
    _, status = os.waitpid(pid, 0)
    if not said:
        raise TradewindError(f"the process that was to prepare everything ended with {_end(status)}")
    answer = json.loads(said)
    if "settings" in answer:
        raise SettingsError(answer["settings"])
    if "error" in answer:
        raise TradewindError(answer["error"])
    lines: list[str] = answer["lines"]
    return lines


def _work(work: Callable[[], list[str]], writing: int) -> NoReturn:
    try:
        try:
            answer: dict[str, object] = {"lines": work()}
        except SettingsError as error:
            answer = {"settings": str(error)}
        except TradewindError as error:
            answer = {"error": str(error)}
        with os.fdopen(writing, "w", encoding="utf-8") as stream:
            json.dump(answer, stream)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _end(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else "the error that it wrote"
