"""How many copies a mapped task gets."""

import pytest

from tradewind.decide.mapping import resolve_length
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip

A, B = OutputLength("a"), OutputLength("b")
KNOWN = {"a": 2, "b": 3, "empty": 0}


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        pytest.param(FixedLength(4), 4, id="stated in the file"),
        pytest.param(A, 2, id="what a task returned"),
        pytest.param(Product((A, B)), 6, id="every combination"),
        pytest.param(Product((A, OutputLength("empty"))), 0, id="every combination with nothing"),
        pytest.param(Zip((A, B)), 2, id="the shortest"),
        pytest.param(Zip((A, B), longest=True), 3, id="the longest"),
        pytest.param(Concat((A, B, A)), 7, id="one after another"),
        pytest.param(Concat((Product((A, B)), Zip((A, FixedLength(1))))), 7, id="all of it"),
        pytest.param(OutputLength("ghost"), None, id="not known yet"),
        pytest.param(Product((A, OutputLength("ghost"))), None, id="partly not known yet"),
        pytest.param(Product((OutputLength("empty"), OutputLength("ghost"))), None, id="not even for nothing"),
    ],
)
def test_the_number_of_copies_follows_from_the_known_lengths(length: MapLength, expected: int | None) -> None:
    assert resolve_length(length, KNOWN) == expected
