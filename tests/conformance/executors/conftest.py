"""The places that the suite runs over."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conformance.executors.local_place import LocalPlace, SequentialPlace
from tests.conformance.executors.places import InstantPlace, KeepingPlace, Place

PLACES: dict[str, Callable[[Path], Place]] = {
    "instant": lambda home: InstantPlace(),
    "keeping": lambda home: KeepingPlace(),
    "local": LocalPlace,
    "sequential": SequentialPlace,
}


@pytest.fixture(params=sorted(PLACES))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Each kind in turn."""
    made = PLACES[request.param](tmp_path)
    yield made
    made.close()
