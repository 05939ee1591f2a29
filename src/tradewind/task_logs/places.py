"""Where the log of a try lies: Airflow's layout, with names that stay names of files."""

import hashlib
import re
from typing import Final, NamedTuple

from tradewind.model.ids import UNMAPPED

_LONGEST_NAME: Final = 255
"""Bytes: the limit of every common file system."""
_DIGEST_LENGTH: Final = 16
# A name must not lead into another folder, end a path early, or be told apart only by what nobody can see. Percent
# signs are written so as well, for two names must not become one.
_UNSAFE: Final = re.compile(r"[%/\\\x00-\x1f\x7f\ud800-\udfff]")


class Try(NamedTuple):
    """One try of a task instance, as people call it. Several attempts may belong to it: it may wait in between."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = UNMAPPED
    number: int = 1


def log_name(of: Try) -> str:
    """The path of a log, relative to the folder of all logs, here or elsewhere."""
    folder = f"{_part('dag_id', of.dag_id)}/{_part('run_id', of.run_id)}/{_part('task_id', of.task_id)}"
    mapped = f"/map_index={of.map_index}" if of.map_index > UNMAPPED else ""
    return f"{folder}{mapped}/attempt={of.number}.log"


def trigger_log_name(of: Try, triggerer: int) -> str:
    """The path of what a trigger logs while the task waits for it, in the process of that job key."""
    return f"{log_name(of)}.trigger.{triggerer}.log"


def _part(key: str, value: str) -> str:
    name = f"{key}={_UNSAFE.sub(_percent, value)}"
    data = name.encode()
    if len(data) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST_LENGTH]
    return data[: _LONGEST_NAME - _DIGEST_LENGTH - 1].decode(errors="ignore") + "~" + digest


def _percent(character: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in character[0].encode("utf-8", "surrogatepass"))
