"""Codecs for types of the standard library: what they become in JSON, and back."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from tradewind.sdk.module_loading import qualname


@dataclass(frozen=True)
class Codec:
    """Both directions for some types. `decode` gets the name under which the value was stored, and the version."""

    version: int
    encode: Callable[[Any], Any]
    decode: Callable[[str, int, Any], Any]
    name: str | None = None

    def name_of(self, value: object) -> str:
        """Under which name a value is stored: that of its class, unless the codec has one for all."""
        return self.name or qualname(type(value), use_qualname=True)


_COLLECTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    "builtins.tuple": tuple,
    "builtins.set": set,
    "builtins.frozenset": frozenset,
}


def _collection(name: str) -> Codec:
    return Codec(1, list, lambda _name, _version, data: _COLLECTIONS[name](data), name)


def _bytes_codec(kind: Callable[[bytes], Any]) -> Codec:
    return Codec(
        1,
        lambda value: base64.b64encode(value).decode("ascii"),
        lambda _name, _version, data: kind(base64.b64decode(data)),
    )


# --- time ---------------------------------------------------------------------------------------------------------
# The classes of pendulum are named here and imported when such a value is read: it is what templates see dates as.


def _encode_datetime(value: dt.datetime) -> dict[str, Any]:
    zone = value.tzinfo
    encoded: dict[str, Any] = {"iso": value.replace(tzinfo=None).isoformat(), "tz": None}
    if zone is not None:
        encoded["tz"] = _zone_name(zone)
        # An hour that a clock shows twice needs its offset to be known again.
        encoded["utcoffset"] = (value.utcoffset() or dt.timedelta()).total_seconds()
    return encoded


def _decode_datetime(name: str, version: int, data: Any) -> dt.datetime:
    if version >= 3:
        naive = dt.datetime.fromisoformat(data["iso"])
        value = naive if data["tz"] is None else _aware(naive, data["tz"], data["utcoffset"])
    else:
        value = _airflow_datetime(data)
    return value if name == "datetime.datetime" else _as_pendulum(value)


def _aware(naive: dt.datetime, zone_name: str | float, utcoffset: float) -> dt.datetime:
    zone = _zone_of(zone_name)
    for fold in (0, 1):
        value = naive.replace(tzinfo=zone, fold=fold)
        offset = value.utcoffset()
        if offset is not None and offset.total_seconds() == utcoffset:
            return value
    # The rules of the zone have changed since: the instant is what counts.
    return naive.replace(tzinfo=dt.timezone(dt.timedelta(seconds=utcoffset))).astimezone(zone)


def _airflow_datetime(data: Any) -> dt.datetime:
    """A moment as Airflow writes it: seconds since 1970 and its zone, or the bare seconds."""
    if not isinstance(data, dict):
        return dt.datetime.fromtimestamp(float(data), tz=dt.UTC)
    zone = data.get("tz")
    # Name, class, version, and whether it was encoded at all; an older one is just the name.
    zone = zone[0] if isinstance(zone, list | tuple) else zone
    moment = dt.datetime.fromtimestamp(float(data["timestamp"]), tz=dt.UTC)
    return moment.replace(tzinfo=None) if zone is None else moment.astimezone(_zone_of(zone))


def _as_pendulum(value: dt.datetime) -> dt.datetime:
    converted: dt.datetime = import_module("pendulum").instance(value, tz=None)
    return converted


def _zone_name(zone: dt.tzinfo) -> str | float:
    """The name of a zone, or the seconds by which it is ahead of UTC."""
    for attribute in ("key", "name", "zone"):  # of zoneinfo, pendulum, pytz
        name = getattr(zone, attribute, None)
        if isinstance(name, str) and not name.startswith(("+", "-")):
            return name
    offset = zone.utcoffset(None)
    if offset is None:
        raise TypeError(f"the time zone {zone!r} has no name and no fixed offset, so it cannot be stored")
    return "UTC" if not offset else offset.total_seconds()


def _zone_of(name: str | float) -> dt.tzinfo:
    if not isinstance(name, str):
        return dt.timezone(dt.timedelta(seconds=name))
    return dt.UTC if name.upper() == "UTC" else ZoneInfo(name)


def _decode_pendulum_zone(_name: str, _version: int, data: Any) -> Any:
    timezone = import_module("pendulum").timezone
    return timezone("UTC") if not data else timezone(data if isinstance(data, str) else int(data))


def _decode_zone(_name: str, _version: int, data: Any) -> dt.tzinfo:
    return _zone_of(data)


def _decode_date(name: str, _version: int, data: Any) -> dt.date:
    day = dt.date.fromisoformat(data)
    if name == "datetime.date":
        return day
    converted: dt.date = import_module("pendulum").Date(day.year, day.month, day.day)
    return converted


def _decode_duration(name: str, _version: int, data: Any) -> dt.timedelta:
    seconds = float(data)
    if name == "datetime.timedelta":
        return dt.timedelta(seconds=seconds)
    converted: dt.timedelta = import_module("pendulum").Duration(seconds=seconds)
    return converted


_DATETIME: Final = Codec(3, _encode_datetime, _decode_datetime)
_DATE: Final = Codec(2, lambda value: value.isoformat(), _decode_date)
_DURATION: Final = Codec(2, lambda value: value.total_seconds(), _decode_duration)
_PENDULUM_ZONE: Final = Codec(1, _zone_name, _decode_pendulum_zone)

BUILTIN_CODECS: Final[dict[str, Codec]] = {
    **{name: _collection(name) for name in _COLLECTIONS},
    "builtins.bytes": _bytes_codec(bytes),
    "builtins.bytearray": _bytes_codec(bytearray),
    "datetime.datetime": _DATETIME,
    "pendulum.datetime.DateTime": _DATETIME,
    "datetime.date": _DATE,
    "pendulum.date.Date": _DATE,
    "datetime.time": Codec(
        1, lambda value: value.isoformat(), lambda _name, _version, data: dt.time.fromisoformat(data)
    ),
    "datetime.timedelta": _DURATION,
    "pendulum.duration.Duration": _DURATION,
    "datetime.timezone": Codec(1, _zone_name, _decode_zone),
    "zoneinfo.ZoneInfo": Codec(1, _zone_name, _decode_zone),
    "pendulum.tz.timezone.Timezone": _PENDULUM_ZONE,
    "pendulum.tz.timezone.FixedTimezone": _PENDULUM_ZONE,
    # As text: a float would change the number.
    "decimal.Decimal": Codec(1, str, lambda _name, _version, data: Decimal(str(data))),
    "uuid.UUID": Codec(1, str, lambda _name, _version, data: UUID(data)),
}
