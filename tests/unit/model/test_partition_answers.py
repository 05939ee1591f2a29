"""What mappers of authors' own are asked, and what is kept of what they say (C2)."""

import pytest

from tests.instants import utc
from tradewind.model.partition import SAME_KEY, CustomMapper, CustomWindow, Mapper, MapperChain, RollUp
from tradewind.model.partition_answers import (
    AuthoredPartition,
    MappedKey,
    PartitionAnswers,
    PartitionQuestion,
    decode_answers,
    encode_answers,
    mapper_digest,
)

SAID = PartitionAnswers(
    (("m", "open"),),
    (MappedKey("m", "a", ("A",)), MappedKey("m", "bad", error="no")),
    (AuthoredPartition("m", "A", utc("2026-01-01"), ("a", "b"), 1),),
)


def test_answers_are_written_and_read_again() -> None:
    assert decode_answers(encode_answers(SAID)) == SAID


@pytest.mark.parametrize(
    "content", [[], {"keys": [{"mapper": "m"}]}, {"more": 1}, {"partitions": [{"mapper": "m", "key": 3}]}]
)
def test_what_an_authors_process_forges_is_refused(content: object) -> None:
    with pytest.raises(ValueError, match="not what mappers say"):
        decode_answers(content)


def test_mappers_are_told_apart_by_all_that_they_are_made_of() -> None:
    """Not by the order of the arguments that they wrote down."""
    own = CustomMapper("shop.Own", {"a": 1, "b": 2})
    others: list[Mapper] = [
        CustomMapper("shop.Own", {"a": 1}),
        MapperChain((SAME_KEY, own)),
        RollUp(own, CustomWindow("shop.Days")),
    ]

    assert mapper_digest(own) == mapper_digest(CustomMapper("shop.Own", {"b": 2, "a": 1}))
    assert len({mapper_digest(each) for each in (own, *others)}) == 4


def test_only_what_was_asked_is_kept_and_only_while_it_is_in_use() -> None:
    given = PartitionAnswers(
        (),
        (MappedKey("m", "open", ("O",)), MappedKey("m", "unasked", ("U",))),
        (AuthoredPartition("m", "O"), AuthoredPartition("m", "U")),
    )

    known = SAID.answered_by(given)

    assert known.questions == ()
    assert [each.key for each in known.keys] == ["a", "bad", "open"]
    assert [each.key for each in known.partitions] == ["A", "O"]
    asking = known.asking({PartitionQuestion("m", "next")}, {"a", "A"})
    assert (asking.questions, asking.keys, asking.partitions) == ((("m", "next"),), SAID.keys[:1], SAID.partitions)
