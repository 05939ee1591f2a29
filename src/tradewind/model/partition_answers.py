"""What mappers and windows of an author's own say about partitions, asked where their DAG file is read.

Schedulers never import them. They note the keys that they want to know about as questions, and have the file read; what
the mapper made of each key is kept as long as updates of it wait.
"""

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from tradewind.model.closed_json import closed_codec
from tradewind.model.json_leaves import Mismatch
from tradewind.model.partition import Mapper


class PartitionQuestion(NamedTuple):
    """Which partitions of the DAG a partition of an asset counts for."""

    mapper: str
    """See `mapper_digest`."""
    key: str


@dataclass(frozen=True, slots=True)
class MappedKey:
    """The answer."""

    mapper: str
    key: str
    targets: tuple[str, ...] = ()
    error: str | None = None
    """Why there is none."""

    @property
    def question(self) -> PartitionQuestion:
        """That was asked."""
        return PartitionQuestion(self.mapper, self.key)


@dataclass(frozen=True, slots=True)
class AuthoredPartition:
    """A partition of the DAG, as the mapper describes it that wrote its key."""

    mapper: str
    key: str
    date: datetime | None = None
    expected: tuple[str, ...] | None = None
    """The keys of the asset that are rolled up; None: nothing is."""
    needed: int = 0
    """How many of them have to be there."""


@dataclass(frozen=True, slots=True)
class PartitionAnswers:
    """Of the mappers of one DAG."""

    questions: tuple[tuple[str, str], ...] = ()
    """A mapper and a key each: to be asked when the file is read next."""
    keys: tuple[MappedKey, ...] = ()
    partitions: tuple[AuthoredPartition, ...] = ()

    def asking(self, questions: Iterable[PartitionQuestion], in_use: Collection[str]) -> "PartitionAnswers":
        """With these questions, and without what was said of keys of the asset and the DAG that are not in use."""
        keys = tuple(each for each in self.keys if each.key in in_use)
        partitions = tuple(each for each in self.partitions if each.key in in_use)
        return PartitionAnswers(tuple(sorted((each.mapper, each.key) for each in questions)), keys, partitions)

    def answered_by(self, given: "PartitionAnswers") -> "PartitionAnswers":
        """With the answers to its questions; what nobody asked for is not kept."""
        asked = set(self.questions)
        new = {each.question: each for each in given.keys if each.question in asked}
        keys = {each.question: each for each in self.keys} | new
        partitions = {(each.mapper, each.key): each for each in (*self.partitions, *given.partitions)}
        targets = {(each.mapper, target) for each in keys.values() for target in each.targets}
        return PartitionAnswers(
            tuple(sorted(asked - new.keys())),
            tuple(keys.values()),
            tuple(each for place, each in partitions.items() if place in targets),
        )


NOTHING_SAID: Final = PartitionAnswers()


@dataclass(frozen=True, slots=True)
class _Held:
    mapper: Mapper


_ANSWERS: Final = closed_codec(PartitionAnswers)
_MAPPER: Final = closed_codec(_Held)


def mapper_digest(mapper: Mapper) -> str:
    """What tells a mapper from all that are written otherwise, also when the file has changed meanwhile."""
    text = json.dumps(_MAPPER.encode(_Held(mapper)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def encode_answers(answers: PartitionAnswers) -> object:
    """As values of JSON."""
    return _ANSWERS.encode(answers)


def decode_answers(content: object) -> PartitionAnswers:
    """What `encode_answers` made. A `ValueError` says what is wrong: it may come from an author's process."""
    try:
        answers = _ANSWERS.decode(content)
    except Mismatch as mismatch:
        raise ValueError(f"not what mappers say: {mismatch.path('answers')}: {mismatch.problem}") from None
    if not isinstance(answers, PartitionAnswers):
        raise TypeError(f"the codec of PartitionAnswers made a {type(answers).__name__}")
    return answers
