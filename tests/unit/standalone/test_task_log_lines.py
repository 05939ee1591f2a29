"""What tasks log, for the terminal of `tradewind dev`."""

import json
from pathlib import Path

from tradewind.standalone.task_log_lines import LogTail
from tradewind.task_logs.places import Try, log_name

MESSAGE = {"timestamp": "2026-01-01T00:00:00Z", "level": "info", "logger": "task.stdout", "event": "ahoy"}


def write(folder: Path, of: Try, text: str) -> Path:
    path = folder / log_name(of)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    return path


def test_only_what_is_new_is_told(tmp_path: Path) -> None:
    line = json.dumps(MESSAGE) + "\n"
    old = write(tmp_path, Try("harbour", "r", "unload", 2), line)
    tail = LogTail(tmp_path)
    tail.skip()

    write(tmp_path, Try("harbour", "r", "unload", 2), line.replace("ahoy", "again"))
    write(tmp_path, Try("bulletin/board", "r", "read"), line + '{"event": "unfinish')

    told = list(tail.news([old, tmp_path]))
    assert told == ["harbour.unload[2] INFO: again", "bulletin/board.read INFO: ahoy"]
    assert list(tail.news([tmp_path])) == []
    write(tmp_path, Try("bulletin/board", "r", "read"), 'ed"}\n')
    assert list(tail.news([tmp_path])) == ["bulletin/board.read unfinished"]


def test_a_file_that_is_gone_is_passed_over(tmp_path: Path) -> None:
    assert list(LogTail(tmp_path).news([tmp_path / "dag_id=a" / "attempt=1.log"])) == []
