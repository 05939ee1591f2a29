"""What mappers and windows of an author's own make of partition keys: asked here, where their code may run."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from tradewind.model.dag import Dag
from tradewind.model.partition_answers import (
    AuthoredPartition,
    MappedKey,
    PartitionAnswers,
    PartitionQuestion,
    mapper_digest,
)
from tradewind.model.timetable import PartitionedAssets
from tradewind.sdk.partition_mappers import PartitionMapper, keys_of
from tradewind.sdk.wait_policies import WaitForAll, WaitPolicy

_MOST_KEYS: Final = 10_000
"""That one key may stand for, or a window may have. Schedulers have a limit of their own, and mostly a lower one."""


def answer_partitions(timetable: Any, compiled: Dag, questions: Iterable[PartitionQuestion]) -> PartitionAnswers:
    """Each question to a mapper that the DAG still has is answered, if only with what the mapper raised."""
    if not isinstance(compiled.timetable, PartitionedAssets):
        return PartitionAnswers()
    mappers = {mapper_digest(mapper.to_model()): mapper for mapper in _mappers(timetable)}
    keys: list[MappedKey] = []
    partitions: dict[tuple[str, str], AuthoredPartition] = {}
    for digest, key in questions:
        mapper = mappers.get(digest)
        if mapper is None:
            continue
        try:
            targets = tuple(dict.fromkeys(_limited(keys_of(mapper, key), f"{type(mapper).__name__} makes of {key!r}")))
            partitions |= {(digest, target): _described(mapper, digest, target) for target in targets}
            keys.append(MappedKey(digest, key, targets))
        except Exception as error:
            keys.append(MappedKey(digest, key, error=f"{type(mapper).__name__}: {type(error).__name__}: {error}"))
    return PartitionAnswers((), tuple(keys), tuple(partitions.values()))


def _mappers(timetable: Any) -> Iterator[PartitionMapper]:
    yield timetable.default_partition_mapper
    yield from timetable.partition_mapper_config.values()


def _described(mapper: Any, digest: str, target: str) -> AuthoredPartition:
    date = _date(mapper, target)
    if not mapper.is_rollup:
        return AuthoredPartition(digest, target, date)
    expected = _limited(sorted(set(mapper.to_upstream(target))), f"{type(mapper).__name__} waits for")
    policy: WaitPolicy = getattr(mapper, "wait_policy", None) or WaitForAll()
    return AuthoredPartition(digest, target, date, tuple(expected), _needed(policy, len(expected)))


def _date(mapper: PartitionMapper, target: str) -> datetime | None:
    date = mapper.to_partition_date(target)
    if date is None:
        return None
    if date.tzinfo is None:
        raise ValueError(f"to_partition_date({target!r}) is {date.isoformat()}, which has no time zone")
    return datetime.fromisoformat(date.astimezone(UTC).isoformat())  # and not one of pendulum's


def _needed(policy: WaitPolicy, size: int) -> int:
    """How many keys are enough; more than there are, where nothing ever is."""
    return next((count for count in range(size + 1) if policy.is_satisfied(count, size)), size + 1)


def _limited(keys: list[str], what: str) -> list[str]:
    if len(keys) > _MOST_KEYS:
        raise ValueError(f"{what} {len(keys)} keys; {_MOST_KEYS} are allowed")
    return keys
