"""What authors give to be stored is JSON, or they are told where it is not."""

from collections import OrderedDict
from enum import StrEnum
from typing import Any

import pytest

from tradewind.sdk.json_values import as_json


class Colour(StrEnum):
    RED = "red"


def test_json_is_copied_into_plain_types() -> None:
    given: Any = {"a": (1, 2.5, None, True), "b": OrderedDict(c=Colour.RED)}

    made: Any = as_json(given, "it")

    assert made == {"a": [1, 2.5, None, True], "b": {"c": "red"}}
    assert type(made["b"]) is dict
    assert type(made["b"]["c"]) is str


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": [{"b": {1, 2}}]}, r"it\['a'\]\[0\]\['b'\] is a set"),
        ({1: 2}, "it has the key 1"),
        ([float("nan")], r"it\[0\] is nan"),
        (float("inf"), "it is inf"),
        (b"bytes", "it is a bytes"),
    ],
)
def test_what_is_no_json_is_refused_by_its_place(value: Any, problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        as_json(value, "it")
