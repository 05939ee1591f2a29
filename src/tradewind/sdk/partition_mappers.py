"""Mappers: which partitions of a DAG the partition of an asset counts for.

`to_downstream` leads from the key of an asset event to the key, or keys, of runs. `decode_downstream` and
`encode_upstream` lead back, so that a roll-up can name the keys that it waits for. A mapper of the author's own
subclasses `PartitionMapper`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import Any, ClassVar

from tradewind.model import partition as model
from tradewind.model.local_time import time_zone
from tradewind.model.partition_time import (
    DEFAULT_FORMATS,
    downstream_key,
    period_date,
    read_period,
    require_readable,
    upstream_key,
    write_period,
)
from tradewind.sdk.durations import zone_name
from tradewind.sdk.json_values import as_json
from tradewind.sdk.partition_windows import Window
from tradewind.sdk.wait_policies import WaitForAll, WaitPolicy


class PartitionMapper(ABC):
    """The base of all mappers. `max_downstream_keys` is how many keys one event may make at most."""

    is_rollup: ClassVar[bool] = False
    expected_decoded_type: ClassVar[type] = str
    """What `decode_downstream` returns; a window has to work on the same."""

    def __init__(self, *, max_downstream_keys: int | None = None) -> None:
        given: object = max_downstream_keys
        if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 1):
            raise ValueError(f"max_downstream_keys must be a whole number of at least 1, or None, not {given!r}")
        self.max_downstream_keys = max_downstream_keys

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = [
            getattr(cls, name) is not getattr(PartitionMapper, name)
            for name in ("decode_downstream", "encode_upstream")
        ]
        if own[0] != own[1]:
            # A roll-up would wait for keys that nobody ever writes.
            raise TypeError(f"{cls.__name__} must override both decode_downstream and encode_upstream, or neither")

    @abstractmethod
    def to_downstream(self, key: str) -> str | Iterable[str]:
        """The key of the run, or the keys of the runs, that an asset's key counts for."""

    def decode_downstream(self, downstream_key: str) -> Any:
        """What a window needs to know about a run's key."""
        return downstream_key

    def encode_upstream(self, decoded: Any) -> str:
        """How the producer writes the key for a part of a window."""
        return str(decoded)

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """The date that a run's key stands for, if it stands for one."""
        return None

    def carry_partition_date(self, source_partition_date: datetime | None) -> datetime | None:
        """The date of a run, if it is simply that of the run that made the event."""
        return None

    def to_model(self) -> model.Mapper:
        """What is stored. A subclass is the author's: what it does is known only to its own code."""
        cls = type(self)
        if cls.__module__ == __name__:
            return self._model()
        data = as_json(self.serialize(), f"what {cls.__name__}.serialize() returns")
        return model.CustomMapper(f"{cls.__module__}.{cls.__qualname__}", data or None, self.max_downstream_keys)

    def _model(self) -> model.Mapper:
        raise NotImplementedError

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {} if self.max_downstream_keys is None else {"max_downstream_keys": self.max_downstream_keys}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "PartitionMapper":
        """The mapper with those arguments."""
        return cls(**data)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({arguments})"


class IdentityMapper(PartitionMapper):
    """The key itself."""

    def to_downstream(self, key: str) -> str:
        """The key."""
        return key

    def carry_partition_date(self, source_partition_date: datetime | None) -> datetime | None:
        """The date of the producer: nothing else can be said about a key that is kept."""
        return source_partition_date

    def _model(self) -> model.SameKey:
        return model.SameKey(self.max_downstream_keys)


class AllowedKeyMapper(PartitionMapper):
    """The key itself, if it is one of `allowed_keys`."""

    def __init__(self, allowed_keys: list[str], *, max_downstream_keys: int | None = None) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.allowed_keys = allowed_keys

    def to_downstream(self, key: str) -> str:
        """The key; a `ValueError` for any other."""
        if key not in self.allowed_keys:
            raise ValueError(f"the partition key {key!r} is none of {', '.join(map(repr, self.allowed_keys))}")
        return key

    def _model(self) -> model.AllowedKeys:
        return model.AllowedKeys(tuple(self.allowed_keys), self.max_downstream_keys)

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {"allowed_keys": list(self.allowed_keys), **super().serialize()}


class FixedKeyMapper(PartitionMapper):
    """One key for all."""

    def __init__(self, downstream_key: str, *, max_downstream_keys: int | None = None) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        given: object = downstream_key
        if not isinstance(given, str) or not given:
            raise ValueError(f"downstream_key must be a text that is not empty, not {downstream_key!r}")
        self.downstream_key = downstream_key

    def to_downstream(self, key: str) -> str:
        """The one key."""
        return self.downstream_key

    def _model(self) -> model.FixedKey:
        return model.FixedKey(self.downstream_key, self.max_downstream_keys)

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {"downstream_key": self.downstream_key, **super().serialize()}


class _StartOfPeriodMapper(PartitionMapper):
    """The period that the time in the key belongs to.

    Upstream keys are read by `input_format`, in `timezone` unless they state an offset; runs' keys are written by
    `output_format`.
    """

    expected_decoded_type: ClassVar[type] = datetime
    period: ClassVar[model.Period]

    def __init__(
        self,
        *,
        max_downstream_keys: int | None = None,
        timezone: str | tzinfo = "UTC",
        input_format: str = model.TIME_KEY_FORMAT,
        output_format: str | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.timezone = timezone
        self.input_format = _text(input_format, "input_format")
        self.output_format = _text(output_format or DEFAULT_FORMATS[self.period], "output_format")
        require_readable(self._model())
        time_zone(zone_name(timezone))  # which raises what is wrong with it, as Airflow does here

    def _model(self) -> model.StartOfPeriod:
        return model.StartOfPeriod(
            self.period,
            self.output_format,
            zone_name(self.timezone),
            self.input_format,
            self.max_downstream_keys,
        )

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        own = {
            "timezone": zone_name(self.timezone),
            "input_format": self.input_format,
            "output_format": self.output_format,
        }
        return own | super().serialize()

    def to_downstream(self, key: str) -> str:
        """The key of the period."""
        return downstream_key(self._model(), key)

    def decode_downstream(self, downstream_key: str) -> datetime:
        """When the period begins, on the wall clock."""
        return read_period(self._model(), downstream_key)

    def encode_upstream(self, decoded: datetime) -> str:
        """How the producer writes that time."""
        return upstream_key(self._model(), decoded)

    def format(self, decoded: datetime) -> str:
        """The key of a period that begins then."""
        return write_period(self._model(), decoded)

    def to_partition_date(self, downstream_key: str) -> datetime:
        """The instant at which the period begins."""
        return period_date(self._model(), downstream_key)


class StartOfHourMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024-03-13T10`."""

    period = model.Period.HOUR


class StartOfDayMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024-03-13`."""

    period = model.Period.DAY


class StartOfWeekMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024-03-11 (W11)`. Another format needs %Y, %m and %d to lead back."""

    period = model.Period.WEEK


class StartOfMonthMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024-03`."""

    period = model.Period.MONTH


class StartOfQuarterMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024-Q1`. Another format needs %Y and {quarter} to lead back."""

    period = model.Period.QUARTER


class StartOfYearMapper(_StartOfPeriodMapper):
    """`2024-03-13T10:42:15` belongs to `2024`."""

    period = model.Period.YEAR


class _CompositeMapper(PartitionMapper):
    """A mapper that is made of others."""

    def _parts(self, *mappers: PartitionMapper) -> list[PartitionMapper]:
        for mapper in mappers:
            require_mapper(mapper, f"each mapper of a {type(self).__name__}")
        return list(mappers)

    def serialize(self) -> dict[str, Any]:
        """Known only to a subclass: how it writes the mappers that it is made of."""
        raise NotImplementedError(f"{type(self).__name__} has to say in serialize() what it is made of")


class ChainMapper(_CompositeMapper):
    """One mapper after the other."""

    def __init__(
        self,
        mapper0: PartitionMapper,
        mapper1: PartitionMapper,
        /,
        *mappers: PartitionMapper,
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.mappers = self._parts(mapper0, mapper1, *mappers)

    def to_downstream(self, key: str) -> str | Iterable[str]:
        """What the last one makes of what the others made."""
        keys = [key]
        for mapper in self.mappers:
            keys = [made for each in keys for made in keys_of(mapper, each)]
        return keys[0] if len(keys) == 1 else keys

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """What the last one says: it wrote the key."""
        return self.mappers[-1].to_partition_date(downstream_key)

    def _model(self) -> model.MapperChain:
        return model.MapperChain(tuple(mapper.to_model() for mapper in self.mappers), self.max_downstream_keys)


class ProductMapper(_CompositeMapper):
    """A key of several parts with a `delimiter` between them, each with its own mapper."""

    def __init__(
        self,
        mapper0: PartitionMapper,
        mapper1: PartitionMapper,
        /,
        *mappers: PartitionMapper,
        delimiter: str = "|",
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.mappers = self._parts(mapper0, mapper1, *mappers)
        self.delimiter = delimiter

    def to_downstream(self, key: str) -> str:
        """The mapped parts, joined again."""
        parts = key.split(self.delimiter)
        if len(parts) != len(self.mappers):
            raise ValueError(
                f"the partition key {key!r} has {len(parts)} parts, but there are {len(self.mappers)} mappers for them"
            )
        return self.delimiter.join(single_key_of(*pair) for pair in zip(self.mappers, parts, strict=True))

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """The date of the one part that has one; two such parts would contradict each other."""
        parts = downstream_key.split(self.delimiter)
        if len(parts) != len(self.mappers):
            return None
        dates = [mapper.to_partition_date(part) for mapper, part in zip(self.mappers, parts, strict=True)]
        known = [date for date in dates if date is not None]
        return known[0] if len(known) == 1 else None

    def _model(self) -> model.MapperProduct:
        mappers = tuple(mapper.to_model() for mapper in self.mappers)
        return model.MapperProduct(mappers, self.delimiter, self.max_downstream_keys)


class RollupMapper(_CompositeMapper):
    """Many keys, one run: it waits for the keys of its window, as its wait policy says."""

    is_rollup: ClassVar[bool] = True

    def __init__(
        self,
        *,
        max_downstream_keys: int | None = None,
        upstream_mapper: PartitionMapper,
        window: Window,
        wait_policy: WaitPolicy | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        _require_match(upstream_mapper, window)
        self.upstream_mapper = upstream_mapper
        self.window = window
        given: object = wait_policy
        if given is not None and not isinstance(given, WaitPolicy):
            raise TypeError(f"wait_policy must be WaitForAll(), MinimumCount(n) or None, not {given!r}")
        self.wait_policy = wait_policy or WaitForAll()

    def to_downstream(self, key: str) -> str | Iterable[str]:
        """The key of the run that this one counts for."""
        return self.upstream_mapper.to_downstream(key)

    def to_upstream(self, downstream_key: str) -> frozenset[str]:
        """All keys that make up a run."""
        anchor = self.upstream_mapper.decode_downstream(downstream_key)
        return frozenset(map(self.upstream_mapper.encode_upstream, self.window.to_upstream(anchor)))

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """What the inner mapper says: it wrote the key."""
        return self.upstream_mapper.to_partition_date(downstream_key)

    def _model(self) -> model.RollUp:
        return model.RollUp(
            self.upstream_mapper.to_model(),
            self.window.to_model(),
            self.wait_policy.to_model(),
            self.max_downstream_keys,
        )


class FanOutMapper(_CompositeMapper):
    """One key, many runs: one for each part of the window, written by `downstream_mapper`."""

    default_downstream_mapper_by_window_name: ClassVar[dict[str, type[PartitionMapper]]] = {
        "DayWindow": StartOfHourMapper,
        "WeekWindow": StartOfDayMapper,
        "MonthWindow": StartOfDayMapper,
        "QuarterWindow": StartOfMonthMapper,
        "YearWindow": StartOfMonthMapper,
    }

    def __init__(
        self,
        *,
        upstream_mapper: PartitionMapper,
        window: Window,
        downstream_mapper: PartitionMapper | None = None,
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        _require_match(upstream_mapper, window)
        self.upstream_mapper = upstream_mapper
        self.window = window
        if downstream_mapper is not None:
            require_mapper(downstream_mapper, "downstream_mapper")
        self.downstream_mapper = downstream_mapper or self._default_for(window)

    @classmethod
    def _default_for(cls, window: Window) -> PartitionMapper:
        mapper = cls.default_downstream_mapper_by_window_name.get(type(window).__name__)
        if mapper is None:
            raise ValueError(f"{cls.__name__} over a {type(window).__name__} needs a downstream_mapper")
        return mapper()

    def to_downstream(self, key: str) -> Iterable[str]:
        """A key for each part."""
        anchor = self.upstream_mapper.decode_downstream(single_key_of(self.upstream_mapper, key))
        return [_written(self.downstream_mapper, part) for part in self.window.to_upstream(anchor)]

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        """What the mapper says that wrote the key."""
        return self.downstream_mapper.to_partition_date(downstream_key)

    def _model(self) -> model.FanOut:
        return model.FanOut(
            self.upstream_mapper.to_model(),
            self.window.to_model(),
            self.downstream_mapper.to_model(),
            self.max_downstream_keys,
        )


def _written(mapper: PartitionMapper, part: Any) -> str:
    """The key for a part of a window. Mappers over time know their format; others may have one."""
    write = getattr(mapper, "format", None)
    if callable(write):
        return str(write(part))
    return part.isoformat() if isinstance(part, datetime) else str(part)


def keys_of(mapper: PartitionMapper, key: str) -> list[str]:
    """What a mapper makes of a key, always as a list."""
    made: Any = mapper.to_downstream(key)
    keys: list[Any] = [made] if isinstance(made, str) or not isinstance(made, Iterable) else list(made)
    for each in keys:
        if not isinstance(each, str):
            raise TypeError(f"{type(mapper).__name__} made {each!r} of a partition key; keys are texts")
    return keys


def single_key_of(mapper: PartitionMapper, key: str) -> str:
    """What a mapper makes of a key where there can be only one."""
    keys = keys_of(mapper, key)
    if len(keys) != 1:
        raise TypeError(f"{type(mapper).__name__} made {len(keys)} keys of {key!r} where one is needed")
    return keys[0]


def require_mapper(given: object, what: str) -> None:
    """Raise a `TypeError` that says what is no mapper."""
    _require_object(given, PartitionMapper, what, "a mapper such as StartOfDayMapper()")


def _require_object(given: object, kind: type, what: str, example: str) -> None:
    if isinstance(given, type) and issubclass(given, kind):
        raise TypeError(f"{what} must be an object: {given.__name__} is its class; call it")
    if not isinstance(given, kind):
        raise TypeError(f"{what} must be {example}, not {given!r}")


def _text(given: object, what: str) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{what} must be a text, not {given!r}")
    return given


def _require_match(mapper: PartitionMapper, window: Window) -> None:
    require_mapper(mapper, "upstream_mapper")
    _require_object(window, Window, "window", "a window such as DayWindow()")
    made, needed = mapper.expected_decoded_type, window.expected_decoded_type
    if made is not needed:
        raise TypeError(
            f"{type(window).__name__} works on a {needed.__name__}, but {type(mapper).__name__} reads a {made.__name__}"
            " out of a key"
        )
