"""Files with a JSON list of objects, as Airflow's exports of users and roles are."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tradewind.errors import InvalidRequest


def read_objects(path: Path) -> list[Mapping[str, Any]]:
    """Raises `InvalidRequest`: the file is no such file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path} is no JSON: {error}") from error
    if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
        raise InvalidRequest(f"{path} has to hold a list of objects")
    return content


def write_objects(path: Path, content: Sequence[Mapping[str, Any]], *, is_pretty: bool = True) -> None:
    """For people to read, and to change, unless they do not want to."""
    text = json.dumps(content, indent=4 if is_pretty else None, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
