"""Timetables that authors write themselves: what they subclass, and the values that they return."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tradewind.sdk.partition_mappers import PartitionMapper
from tradewind.sdk.states import DagRunType
from tradewind.sdk.timetables import BaseTimetable


class DataInterval(NamedTuple):
    """The span of data that a run is about. Both ends know their time zone."""

    start: datetime
    end: datetime

    @classmethod
    def exact(cls, at: datetime) -> "DataInterval":
        """A single moment."""
        return cls(at, at)


class TimeRestriction(NamedTuple):
    """Between which dates (both included) a DAG may run, and whether it makes up for what it missed."""

    earliest: datetime | None
    latest: datetime | None
    catchup: bool


class DagRunInfo(NamedTuple):
    """One run that a timetable asks for."""

    run_after: datetime
    """The run is not made before."""
    data_interval: DataInterval | None
    partition_date: datetime | None = None
    partition_key: str | None = None

    @classmethod
    def exact(cls, at: datetime) -> "DagRunInfo":
        """A run at a moment, about that moment."""
        return cls(at, DataInterval.exact(at))

    @classmethod
    def interval(cls, start: datetime, end: datetime) -> "DagRunInfo":
        """A run about a span of data, when it is over."""
        return cls(end, DataInterval(start, end))

    @property
    def logical_date(self) -> datetime | None:
        """The start of the data interval; a run without an interval has no logical date."""
        return None if self.data_interval is None else self.data_interval.start


class Timetable(BaseTimetable):
    """The base of timetables with logic of their own.

    A subclass says when the next run is (`next_dagrun_info`), what a run by hand is about
    (`infer_manual_data_interval`), and how it is written and built again (`serialize`, `deserialize`).
    """

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The run after the last one that the timetable made; `None` for no further run."""
        raise NotImplementedError(f"{type(self).__name__} has to say in next_dagrun_info() when the next run is")

    def next_dagrun_info_v2(
        self, *, last_dagrun_info: DagRunInfo | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        """The same, told the whole last run; for timetables whose runs have partitions and no interval."""
        last = None if last_dagrun_info is None else last_dagrun_info.data_interval
        return self.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        """What a run is about that somebody asks for."""
        raise NotImplementedError(
            f"{type(self).__name__} has to say in infer_manual_data_interval() what a run by hand is about"
        )

    def generate_run_id(
        self, *, run_type: DagRunType, run_after: datetime, data_interval: DataInterval | None, **extra: Any
    ) -> str:
        """The id of a run."""
        return DagRunType(run_type).generate_run_id(suffix=run_after.isoformat())

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs to build the same timetable again, as JSON."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "Timetable":  # noqa: ARG003 - for subclasses with arguments
        """The timetable again."""
        return cls()

    def validate(self) -> None:
        """Raise `AirflowTimetableInvalid` if no run can come from this. Nothing is known about it here."""

    def get_partition_mapper(self, *, name: str = "", uri: str = "") -> PartitionMapper:
        """The mapper for the partitions of an asset, by its name or its URI."""
        raise NotImplementedError(f"{type(self).__name__} has no partitions, so none for the asset {name or uri!r}")

    def iter_partition_dagrun_infos(self, *, earliest: datetime, latest: datetime) -> Iterable[DagRunInfo]:
        """The runs for all partitions between two dates, both included."""
        raise NotImplementedError(f"{type(self).__name__} cannot list its partitions")

    def localize_partition_datetime(self, dt: datetime) -> datetime:
        """The instant that a reading of the clock stands for in the zone of the timetable; here, UTC."""
        return dt.replace(tzinfo=UTC) if dt.tzinfo is None else dt

    def resolve_partition_date(self, partition_key: str | None) -> datetime | None:
        """The date that a partition key stands for, if it stands for one."""
        if partition_key is None or not self.partitioned or self.partitioned_at_runtime:
            return None
        return self._decode_partition_date(partition_key)

    def _decode_partition_date(self, partition_key: str) -> datetime | None:
        return None

    @property
    def partition_mapper_info(self) -> list[dict[str, Any]]:
        """What people see of the mappers, by asset."""
        return []
