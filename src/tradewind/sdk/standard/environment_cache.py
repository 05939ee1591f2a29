"""Environments that are built once and used by many tasks."""

import fcntl
import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tradewind.sdk.exceptions import AirflowException

log = logging.getLogger(__name__)

_MARKER = "install_complete_marker.json"


def cached_environment(folder: Path, recipe: Mapping[str, Any], build: Callable[[Path], Any]) -> Path:
    """The environment that was built by this recipe; it is built if there is none, or if an earlier attempt broke off.

    Tasks that need the same one at the same time wait for the first to build it.
    """
    text = json.dumps(recipe, sort_keys=True)
    place = folder / f"venv-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    folder.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        marker = place / _MARKER
        # The text too: eight digits are short enough for two recipes to meet one day.
        if marker.exists() and marker.read_text() == text:
            log.info("Using the environment in %s", place)
            return place
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            build(place)
        except Exception as failure:
            shutil.rmtree(place, ignore_errors=True)
            raise AirflowException(f"the environment in {place} could not be built: {failure}") from failure
        marker.write_text(text)
        log.info("Built the environment in %s", place)
        return place
