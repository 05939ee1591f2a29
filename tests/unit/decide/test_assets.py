"""Conditions over assets: whether they hold, what is missing, and what a run consumes (C2)."""

import pytest

from tradewind.decide.assets import (
    ALL_THAT_WAIT,
    Consumption,
    KnownAsset,
    Meaning,
    condition_words,
    leaves,
    meant_by,
    missing,
    next_consumption,
)
from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetExpression, AssetKey, AssetRef

A, B, C = AssetRef("a", "s3://a"), AssetRef("b", "s3://b"), AssetRef("c", "s3://c")
ALIAS = AssetAliasRef("alias")
KEYS = {name: AssetKey(number) for number, name in enumerate("abc", start=1)}
MEANING = Meaning(
    [
        *(KnownAsset(KEYS[name], name, f"s3://{name}", True) for name in "abc"),
        KnownAsset(AssetKey(9), "a", "old", False),
    ],
    {"alias": [KEYS["c"]]},
)


def left(condition: AssetExpression, updated: str) -> AssetExpression | None:
    return missing(condition, [KEYS[name] for name in updated], MEANING)


def test_a_leaf_stands_for_what_it_names() -> None:
    assert meant_by(A, MEANING) == {1}
    assert meant_by(AssetRef(name="a"), MEANING) == {1}
    assert meant_by(AssetRef(uri="s3://b"), MEANING) == {2}
    assert meant_by(AssetRef(uri="old"), MEANING) == frozenset()
    assert meant_by(AssetRef("a", "old"), MEANING) == {9}
    assert meant_by(ALIAS, MEANING) == {3}
    assert meant_by(AssetAliasRef("unknown"), MEANING) == frozenset()


@pytest.mark.parametrize(
    ("condition", "updated", "expected"),
    [
        (A, "", A),
        (A, "a", None),
        (ALIAS, "a", ALIAS),
        (ALIAS, "c", None),
        (AllAssets((A, B)), "", AllAssets((A, B))),
        (AllAssets((A, B)), "a", B),
        (AllAssets((A, B)), "ba", None),
        (AnyAsset((A, B)), "", AnyAsset((A, B))),
        (AnyAsset((A, B)), "b", None),
        (AllAssets((A, AnyAsset((B, C)))), "a", AnyAsset((B, C))),
        (AllAssets((A, AnyAsset((B, C)))), "c", A),
        (AnyAsset((AllAssets((A, B)), C)), "a", AnyAsset((B, C))),
        (AnyAsset(()), "abc", AnyAsset(())),
    ],
)
def test_what_is_missing_is_a_condition_itself(
    condition: AssetExpression, updated: str, expected: AssetExpression | None
) -> None:
    assert left(condition, updated) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (A, Consumption(5)),
        (AnyAsset((A, B)), Consumption(4)),
        (AnyAsset((A, C)), Consumption(5)),
        (C, None),
        (AllAssets((A, B)), ALL_THAT_WAIT),
        (AllAssets((A,)), Consumption(5)),
        (AnyAsset((A, AllAssets((B, C)))), ALL_THAT_WAIT),
    ],
)
def test_a_run_consumes_one_update_unless_several_assets_are_needed(
    condition: AssetExpression, expected: Consumption | None
) -> None:
    assert next_consumption(condition, {KEYS["a"]: 5, KEYS["b"]: 4}, MEANING, batches=False) == expected


def test_no_update_makes_no_run_whatever_the_condition() -> None:
    assert next_consumption(AllAssets(()), {}, MEANING, batches=True) is None


def test_a_run_consumes_all_that_wait_if_asked_for() -> None:
    for condition in (A, AnyAsset((A, B)), AllAssets((A,))):
        assert next_consumption(condition, {KEYS["a"]: 5}, MEANING, batches=True) == ALL_THAT_WAIT


def test_conditions_are_said_as_authors_write_them() -> None:
    condition = AllAssets((A, AnyAsset((AssetRef(uri="s3://b"), ALIAS)), C))

    assert condition_words(condition) == "a & (s3://b | alias alias) & c"
    assert list(leaves(condition)) == [A, AssetRef(uri="s3://b"), ALIAS, C]
