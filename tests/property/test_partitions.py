"""Whatever comes, in whatever order: a partition gets its run exactly when enough is there (C2, C3)."""

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tradewind.decide.assets import Consumption, KnownAsset, Meaning
from tradewind.decide.partitions import MapperOf, There, next_partition
from tradewind.model.asset import AllAssets, AnyAsset, AssetExpression, AssetKey, AssetRef
from tradewind.model.partition import SAME_KEY, FixedKey, RollUp, SegmentWindow, WaitForAll, WaitForCount, WaitPolicy

Found = list[tuple[str, AssetKey]]
A, B = AssetRef("a", "s3://a"), AssetRef("b", "s3://b")
KEYS = (AssetKey(1), AssetKey(2))
MEANING = Meaning([KnownAsset(KEYS[0], "a", "s3://a", True), KnownAsset(KEYS[1], "b", "s3://b", True)])
SEGMENTS = ("n", "s", "w")

waits = st.one_of(st.just(WaitForAll()), st.builds(WaitForCount, st.integers(-4, 4).filter(bool)))
arrivals = st.lists(st.tuples(st.sampled_from([*SEGMENTS, "x"]), st.sampled_from(KEYS)), max_size=8)


def opens(
    condition: AssetExpression, there: Sequence[There], mapper_for: MapperOf, *, batches: bool = False
) -> Consumption | None:
    return next_partition(condition, there, "all", MEANING, mapper_for, batches=batches)


@given(waits, arrivals, st.randoms(use_true_random=False))
def test_a_roll_up_opens_exactly_when_its_policy_says(wait: WaitPolicy, found: Found, dice: Random) -> None:
    """C3: whatever the order."""
    roll_up = RollUp(FixedKey("all"), SegmentWindow(SEGMENTS), wait)
    there = [There(asset, key, number) for number, (key, asset) in enumerate(found, 1)]
    needed = 3 if isinstance(wait, WaitForAll) else wait.n if wait.n > 0 else max(0, 3 + wait.n)
    keys = {key for key, asset in found if asset == KEYS[0]} & set(SEGMENTS)
    is_there = any(asset == KEYS[0] for _, asset in found)

    decided = opens(A, there, lambda _: roll_up)

    assert (decided is not None) == (is_there and len(keys) >= needed)
    dice.shuffle(there)
    assert opens(A, there, lambda _: roll_up) == decided


@given(arrivals, st.booleans())
def test_one_update_is_consumed_where_one_is_enough_and_else_all(found: Found, batches: bool) -> None:
    """C2: each is consumed once, and what is consumed is there."""
    there = [There(asset, key, number) for number, (key, asset) in enumerate(found, 1)]

    either = opens(AnyAsset((A, B)), there, lambda _: SAME_KEY, batches=batches)
    both = opens(AllAssets((A, B)), there, lambda _: SAME_KEY, batches=batches)

    assert (either is not None) == bool(there)
    if either is not None:
        assert either.event == (None if batches else min(each.event for each in there))
    assert (both is not None) == ({asset for _, asset in found} == set(KEYS))
    assert both is None or both.event is None
