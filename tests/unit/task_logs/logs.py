"""Logs in a folder, with times that are easy to read."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tradewind.task_logs.places import Try, log_name

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TRY = Try("sales", "run_1", "load")


def at(second: float) -> datetime:
    """So many seconds after the start."""
    return START + timedelta(seconds=second)


def record(second: float, event: str, **fields: Any) -> dict[str, Any]:
    """A record of that second."""
    return {"timestamp": at(second), "level": "info", "event": event, "logger": "test", **fields}


def line(second: float, event: str, **fields: Any) -> str:
    """The same as a line of a file."""
    time = at(second).isoformat().replace("+00:00", "Z")
    return json.dumps({**record(second, event, **fields), "timestamp": time}, separators=(",", ":")) + "\n"


def put(folder: Path, content: str | bytes, *, of: Try = TRY, suffix: str = "") -> Path:
    """Write a log, as somebody else would."""
    path = folder / (log_name(of) + suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def objects(path: Path) -> list[dict[str, Any]]:
    """What the lines of a log say."""
    return [json.loads(each) for each in path.read_text().splitlines()]


def events(path: Path) -> list[str]:
    """Only what happened."""
    return [each["event"] for each in objects(path)]
