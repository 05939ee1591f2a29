"""Partitions: for which runs of a DAG the partition of an asset counts, and whether enough are there. Pure.

The mappers of `tradewind.sdk` as they are stored. What an author's own mapper does is known to its code only, and that
is never called here: what it said where its file was read takes its place (`Answered`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from tradewind.decide.assets import ALL_THAT_WAIT, Consumption, Meaning, leaves, meant_by, missing, takes_all
from tradewind.model.asset import AssetExpression, AssetKey
from tradewind.model.partition import (
    AllowedKeys,
    CustomMapper,
    CustomWindow,
    FanOut,
    FixedKey,
    Mapper,
    MapperChain,
    MapperProduct,
    RollUp,
    SameKey,
    SegmentWindow,
    StartOfPeriod,
    WaitForAll,
    WaitPolicy,
    Window,
)
from tradewind.model.partition_answers import (
    AuthoredPartition,
    MappedKey,
    PartitionAnswers,
    PartitionQuestion,
    mapper_digest,
)
from tradewind.model.partition_time import (
    downstream_key,
    period_date,
    read_period,
    upstream_key,
    window_members,
    write_period,
)
from tradewind.model.timetable import PartitionedAssets

LONGEST_KEY: Final = 250


@dataclass(frozen=True, slots=True)
class Answered:
    """What a mapper has said that the author wrote, or a part of it."""

    digest: str
    max_downstream_keys: int | None
    keys: Mapping[str, MappedKey]
    partitions: Mapping[str, AuthoredPartition]

    @property
    def rolls_up(self) -> bool:
        """Whether it waits for several keys, as far as it was asked."""
        return any(each.expected is not None for each in self.partitions.values())


MapperOf = Callable[[AssetKey], Mapper | Answered]


class CannotMap(ValueError):
    """A partition key counts for no run, and why."""


class There(NamedTuple):
    """A partition of an asset that has come for one partition of the DAG."""

    asset: AssetKey
    key: str
    event: int
    """The first update of it."""


@dataclass(frozen=True, slots=True)
class MissingKeys:
    """What a roll-up still waits for."""

    asset: AssetKey
    keys: tuple[str, ...]
    """In order."""
    needed: int
    """How many of them."""
    window: int
    """How many keys there are, with those that have come."""

    @property
    def is_unreachable(self) -> bool:
        """Whether more are wanted than can ever come."""
        return self.needed > len(self.keys)

    @property
    def enough(self) -> int:
        """How many of all keys are waited for."""
        return self.needed + self.window - len(self.keys)


def mapper_of(timetable: PartitionedAssets, meaning: Meaning, said: PartitionAnswers) -> MapperOf:
    """Which mapper stands for an asset: the first that names it, or the default. `said`: by authors' own ones."""
    named = [(meant_by(each.asset, meaning), _askable(each.mapper, said)) for each in timetable.mappers]
    default = _askable(timetable.default, said)

    def find(asset: AssetKey) -> Mapper | Answered:
        return next((mapper for keys, mapper in named if asset in keys), default)

    return find


def _askable(mapper: Mapper, said: PartitionAnswers) -> Mapper | Answered:
    if _custom_in(mapper) is None:
        return mapper
    digest = mapper_digest(mapper)
    return Answered(
        digest,
        mapper.max_downstream_keys,
        {each.key: each for each in said.keys if each.mapper == digest},
        {each.key: each for each in said.partitions if each.mapper == digest},
    )


def open_question(mapper: Mapper | Answered, key: str | None) -> PartitionQuestion | None:
    """What only the author's code can say about a key, and has not said yet."""
    if not isinstance(mapper, Answered) or key is None or key in mapper.keys:
        return None
    return PartitionQuestion(mapper.digest, key)


def target_keys(mapper: Mapper | Answered, key: str, most: int) -> list[str]:
    """The partitions of the DAG that a partition of an asset counts for, each once.

    `most`: how many there may be, where the mapper does not say. Raises `CannotMap`.
    """
    try:
        found = list(dict.fromkeys(_said(mapper, key) if isinstance(mapper, Answered) else _made(mapper, key)))
    except (ValueError, OverflowError) as error:
        raise CannotMap(str(error)) from error
    most = mapper.max_downstream_keys or most
    if len(found) > most:
        raise CannotMap(f"the partition key {key!r} makes {len(found)} keys; {most} are allowed")
    for each in found:
        if not each or len(each) > LONGEST_KEY:
            raise CannotMap(f"the partition key {key!r} becomes one of {len(each)} characters; 1 to 250 are allowed")
    return found


def expected_keys(roll_up: RollUp, target: str) -> frozenset[str]:
    """The partitions of the asset that make up one of the DAG. Raises `CannotMap`."""
    try:
        parts = list(_parts(roll_up.window, _anchor(roll_up.upstream, target)))
        return frozenset(_written_upstream(roll_up.upstream, part) for part in parts)
    except (ValueError, OverflowError) as error:
        raise CannotMap(str(error)) from error


def _said(mapper: Answered, key: str) -> Sequence[str]:
    answer = mapper.keys.get(key)
    if answer is None or answer.error is not None:
        raise CannotMap("the author's mapper was not asked" if answer is None else str(answer.error))
    return answer.targets


def date_of(mapper: Mapper | Answered, target: str) -> datetime | None:
    """The date that a partition of the DAG stands for, as far as its key says."""
    match mapper:
        case Answered(partitions=partitions):
            return partitions[target].date if target in partitions else None
        case StartOfPeriod():
            try:
                return period_date(mapper, target)
            except ValueError:
                return None
        case MapperChain(mappers):
            return date_of(mappers[-1], target)
        case MapperProduct(mappers, delimiter):
            parts = target.split(delimiter)
            dates = [date_of(*pair) for pair in zip(mappers, parts, strict=False)]
            known = [date for date in dates if date is not None]
            return known[0] if len(known) == 1 and len(parts) == len(mappers) else None
        case RollUp(upstream=written_by) | FanOut(downstream=written_by):
            return date_of(written_by, target)
        case SameKey() | AllowedKeys() | FixedKey() | CustomMapper():
            return None
        case _:
            assert_never(mapper)


def needed(wait: WaitPolicy, expected: int) -> int:
    """How many keys of a window of that size a roll-up waits for."""
    if isinstance(wait, WaitForAll):
        return expected
    return wait.n if wait.n > 0 else max(0, expected + wait.n)


def missing_keys(there: Iterable[There], target: str, asset: AssetKey, mapper: Mapper | Answered) -> MissingKeys | None:
    """What an asset still lacks for a partition of the DAG, where it is rolled up. `None`: nothing.

    Raises `CannotMap`.
    """
    wanted = _wanted(mapper, target)
    if wanted is None:
        return None
    expected, enough = wanted
    left = expected - {each.key for each in there if each.asset == asset}
    lacking = enough - len(expected) + len(left)
    return MissingKeys(asset, tuple(sorted(left)), lacking, len(expected)) if lacking > 0 else None


def _wanted(mapper: Mapper | Answered, target: str) -> tuple[frozenset[str], int] | None:
    """The keys that are rolled up for a partition of the DAG, and how many of them are enough."""
    if isinstance(mapper, RollUp):
        expected = expected_keys(mapper, target)
        return expected, needed(mapper.wait, len(expected))
    if not isinstance(mapper, Answered):
        return None
    described = mapper.partitions.get(target)
    if described is None:
        raise CannotMap(f"the author's mapper has not said what the partition {target!r} is made of")
    return None if described.expected is None else (frozenset(described.expected), described.needed)


def assets_there(there: Collection[There], target: str, mapper_for: MapperOf) -> set[AssetKey]:
    """The assets of which enough is there for a partition of the DAG. What cannot be asked is never there."""
    found = set()
    for asset in {each.asset for each in there}:
        try:
            if missing_keys(there, target, asset, mapper_for(asset)) is None:
                found.add(asset)
        except CannotMap:
            continue
    return found


def next_partition(
    condition: AssetExpression,
    there: Sequence[There],
    target: str,
    meaning: Meaning,
    mapper_for: MapperOf,
    *,
    batches: bool,
) -> Consumption | None:
    """What the next run for one partition of the DAG consumes of what is there for it; `None`: there is none yet.

    Where several updates are needed, by `&` or by a roll-up, all; else one, as without partitions.
    """
    found = assets_there(there, target, mapper_for)
    if not found or missing(condition, found, meaning) is not None:
        return None
    meant = {key for leaf in leaves(condition) for key in meant_by(leaf, meaning)}
    if any(_rolls_up(mapper_for(asset)) for asset in meant) or takes_all(condition, batches=batches):
        return ALL_THAT_WAIT
    return Consumption(min(each.event for each in there if each.asset in meant & found))


def _rolls_up(mapper: Mapper | Answered) -> bool:
    return mapper.rolls_up if isinstance(mapper, Answered) else isinstance(mapper, RollUp)


def needs_author(timetable: PartitionedAssets) -> str | None:
    """The path of a mapper or a window of the author's own, whose code nobody but its author's file can call."""
    for mapper in (timetable.default, *(each.mapper for each in timetable.mappers)):
        if (path := _custom_in(mapper)) is not None:
            return path
    return None


def _custom_in(mapper: Mapper) -> str | None:
    inner: Sequence[Mapper]
    match mapper:
        case CustomMapper(path):
            return path
        case MapperChain(mappers) | MapperProduct(mappers):
            inner = mappers
        case FanOut(upstream, window, downstream):
            if isinstance(window, CustomWindow):
                return window.path
            inner = (upstream, downstream)
        case RollUp(upstream, window):
            if isinstance(window, CustomWindow):
                return window.path
            inner = (upstream,)
        case _:
            return None
    return next((found for each in inner if (found := _custom_in(each)) is not None), None)


def _made(mapper: Mapper, key: str) -> list[str]:
    match mapper:
        case MapperChain(mappers):
            made = [key]
            for each in mappers:
                made = [target for one in made for target in _made(each, one)]
            return made
        case FanOut(upstream, window, downstream):
            anchor = _anchor(upstream, _single(upstream, key))
            return [_written_downstream(downstream, part) for part in _parts(window, anchor)]
        case RollUp(upstream=upstream):
            return _made(upstream, key)
        case MapperProduct():
            return [_product(mapper, key)]
        case _:
            return [_one_made(mapper, key)]


def _one_made(mapper: SameKey | AllowedKeys | FixedKey | StartOfPeriod | CustomMapper, key: str) -> str:
    match mapper:
        case SameKey():
            return key
        case AllowedKeys(keys):
            if key not in keys:
                raise CannotMap(f"the partition key {key!r} is none of {', '.join(map(repr, keys))}")
            return key
        case FixedKey(fixed):
            return fixed
        case StartOfPeriod():
            return downstream_key(mapper, key)
        case CustomMapper(path):
            raise CannotMap(f"the mapper {path} is the author's own, which is not asked")
        case _:
            assert_never(mapper)


def _product(mapper: MapperProduct, key: str) -> str:
    parts = key.split(mapper.delimiter)
    if len(parts) != len(mapper.mappers):
        raise CannotMap(
            f"the partition key {key!r} has {len(parts)} parts, but there are {len(mapper.mappers)} mappers for them"
        )
    return mapper.delimiter.join(_single(*pair) for pair in zip(mapper.mappers, parts, strict=True))


def _single(mapper: Mapper, key: str) -> str:
    made = _made(mapper, key)
    if len(made) != 1:
        raise CannotMap(f"{len(made)} keys were made of {key!r} where one is needed")
    return made[0]


def _anchor(mapper: Mapper, key: str) -> datetime | str:
    """What a window needs to know about a key that the mapper wrote."""
    return read_period(mapper, key) if isinstance(mapper, StartOfPeriod) else key


def _parts(window: Window, anchor: datetime | str) -> Iterable[datetime | str]:
    if isinstance(window, SegmentWindow):
        return window.segments
    if isinstance(window, CustomWindow):
        raise CannotMap(f"the window {window.path} is the author's own, which is not asked")
    if isinstance(anchor, str):
        raise CannotMap(f"a {window.period} has no part {anchor!r}: the mapper reads no time out of its keys")
    return window_members(window, anchor)


def _written_upstream(mapper: Mapper, part: datetime | str) -> str:
    if isinstance(mapper, StartOfPeriod) and isinstance(part, datetime):
        return upstream_key(mapper, part)
    return str(part)


def _written_downstream(mapper: Mapper, part: datetime | str) -> str:
    if isinstance(part, datetime):
        return write_period(mapper, part) if isinstance(mapper, StartOfPeriod) else part.isoformat()
    return part


def arrivals_by_target(found: Iterable[tuple[str, There]]) -> Mapping[str, Sequence[There]]:
    """What is there for each partition of the DAG, the one that waits longest first."""
    by_target: dict[str, list[There]] = {}
    for target, there in sorted(found, key=lambda each: each[1].event):
        by_target.setdefault(target, []).append(there)
    return by_target
