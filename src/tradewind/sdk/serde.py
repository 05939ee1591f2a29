"""Values as plain JSON, and back: how XComs and the arguments of triggers are stored.

What JSON can say stays as it is. Everything else becomes `{"__classname__", "__version__", "__data__"}`. In this order:
the codec for a type that is known here or in `serde_libraries`, the `serialize()` of the object itself, the fields of a
dataclass or attrs class. Reading imports a class only if a codec of this module wrote it, or `[core]
allowed_deserialization_classes` (globs) or `_regexp` allow it: data never decides by itself what is imported.

The format is Airflow's, and what Airflow wrote can be read.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.module_loading import import_string, qualname
from tradewind.sdk.serde_codecs import BUILTIN_CODECS, Codec
from tradewind.sdk.serde_libraries import LIBRARY_CODECS

CLASSNAME: Final = "__classname__"
VERSION: Final = "__version__"
DATA: Final = "__data__"
SCHEMA_ID: Final = "__id__"
DEFAULT_VERSION: Final = 0
MAX_DEPTH: Final = 200

# How Airflow 2 wrote what is no JSON.
_OLD_TYPE: Final = "__type"
_OLD_DATA: Final = "__var"
_OLD_NAMES: Final = {
    "datetime": "datetime.datetime",
    "timedelta": "datetime.timedelta",
    "timezone": "pendulum.tz.timezone.Timezone",
    "tuple": "builtins.tuple",
    "set": "builtins.set",
}

_CODECS: Final[dict[str, Codec]] = {**BUILTIN_CODECS, **LIBRARY_CODECS}
_PYDANTIC: Final = _CODECS["pydantic.main.BaseModel"]
_PRIMITIVES: Final = (bool, int, float, str)
_allowed_by_code: Final[set[str]] = set()


def serialize(o: object, depth: int = 0) -> Any:
    """The value as plain JSON; `TypeError` for what has no such form."""
    if depth > MAX_DEPTH:
        raise RecursionError(f"a value is nested more than {MAX_DEPTH} levels deep, or contains itself")
    if o is None:
        return None
    if isinstance(o, list):
        return [serialize(element, depth + 1) for element in o]
    if isinstance(o, dict):
        return _serialize_dict(o, depth)
    codec = _codec_for(o)
    if codec is not None:
        name, data = codec.name_of(o), codec.encode(o)
        return _tagged(name, codec.version, serialize(data, depth + 1))
    if isinstance(o, _PRIMITIVES):
        # A member of a text or number enum is its value to everybody else.
        return o.value if isinstance(o, enum.Enum) else o
    return _serialize_object(o, depth)


def _serialize_dict(o: dict[Any, Any], depth: int) -> dict[str, Any]:
    if CLASSNAME in o or SCHEMA_ID in o:
        raise AttributeError(f"a dict with the key {CLASSNAME!r} or {SCHEMA_ID!r} cannot be serialized: rename the key")
    return {str(key): serialize(value, depth + 1) for key, value in o.items()}


def _codec_for(o: object) -> Codec | None:
    if isinstance(o, tuple) and hasattr(o, "_fields"):
        return _CODECS["builtins.tuple"]  # a named tuple is read back as a plain one
    codec = _CODECS.get(qualname(type(o), use_qualname=True))
    if codec is None and _is_pydantic_model(o):
        return _PYDANTIC
    return codec


def _serialize_object(o: Any, depth: int) -> dict[str, Any]:
    cls = type(o)
    data: Any
    if hasattr(o, "serialize"):
        data = o.serialize()
    elif dataclasses.is_dataclass(o):
        data = {field.name: getattr(o, field.name) for field in dataclasses.fields(o) if field.init}
    elif hasattr(cls, "__attrs_attrs__"):
        data = {field.alias: getattr(o, field.name) for field in cls.__attrs_attrs__ if field.init}
    else:
        raise TypeError(
            f"a value of type {qualname(cls, use_qualname=True)} cannot be stored: give the class serialize() and a"
            " static deserialize(data, version), make it a dataclass, or use plain values instead"
        )
    return _tagged(qualname(cls, use_qualname=True), getattr(cls, VERSION, DEFAULT_VERSION), serialize(data, depth + 1))


def _tagged(name: str, version: int, data: Any) -> dict[str, Any]:
    return {CLASSNAME: name, VERSION: version, DATA: data}


def deserialize(o: Any, full: bool = True, type_hint: Any = None) -> Any:
    """The value that was serialized.

    Args:
        full: if not, a text that describes the value, and no class is loaded.
        type_hint: the class that a dict without a class of its own is for.
    """
    if o is None or isinstance(o, _PRIMITIVES):
        return o
    if isinstance(o, list | tuple | set | frozenset):
        return type(o)(deserialize(element, full) for element in o)
    if not isinstance(o, dict):
        return o  # nobody serialized it
    o = _from_airflow_2(o)
    if CLASSNAME in o and VERSION in o:
        name, version, data = _read_tags(o)
    elif type_hint is not None:
        name, version, data = qualname(type_hint, use_qualname=True), DEFAULT_VERSION, o
    else:
        return {str(key): deserialize(value, full) for key, value in o.items()}
    return _load(name, version, data) if full else _described(name, version, data)


def _from_airflow_2(o: dict[str, Any]) -> dict[str, Any]:
    if _OLD_TYPE not in o or _OLD_DATA not in o:
        return o
    kind, data = o[_OLD_TYPE], o[_OLD_DATA]
    if kind == "dict":
        return dict(data)
    return _tagged(_OLD_NAMES.get(kind, kind), DEFAULT_VERSION, data)


def _read_tags(o: dict[str, Any]) -> tuple[str, int, Any]:
    name, version = o[CLASSNAME], o[VERSION]
    if not isinstance(name, str) or not name or not isinstance(version, int):
        raise ValueError(f"{CLASSNAME} has to be a text and {VERSION} a number, not {name!r} and {version!r}")
    return name, version, o.get(DATA)


def _load(name: str, version: int, data: Any) -> Any:
    codec = _CODECS.get(name)
    if codec is not None and codec is not _PYDANTIC:
        _check_version(name, version, codec.version)
        return codec.decode(name, version, deserialize(data))
    if not is_allowed(name):
        raise ImportError(
            f"{name} may not be loaded from stored data: to allow it, add it to [core] allowed_deserialization_classes"
        )
    cls = import_string(name)
    value = deserialize(data)
    if _is_pydantic_model(cls):
        _check_version(name, version, _PYDANTIC.version)
        return cls.model_validate(value)
    if hasattr(cls, "deserialize"):
        return cls.deserialize(value, version)
    if dataclasses.is_dataclass(cls) or hasattr(cls, "__attrs_attrs__"):
        _check_version(name, version, getattr(cls, VERSION, DEFAULT_VERSION))
        if not isinstance(value, dict):
            raise TypeError(f"stored data for {name} has to be its fields, not a {type(value).__name__}")
        return cls(**value)
    raise TypeError(f"{name} cannot be read back: give the class a static deserialize(data, version)")


def _check_version(name: str, stored: int, known: int) -> None:
    if stored > known:
        raise TypeError(f"stored data for {name} has version {stored}, but here only versions up to {known} are known")


def allow_class(cls: type) -> None:
    """Allow a class to be loaded from stored data by this process: for operators that know what they return."""
    name = qualname(cls, use_qualname=True)
    if "<locals>" in name:
        raise ValueError(f"{name} is defined inside a function, so it cannot be read back: move it to its module")
    try:
        found = import_string(name)
    except ImportError as error:
        raise ValueError(f"{name} cannot be imported by its name, so it cannot be read back: {error}") from error
    if found is not cls:
        raise ValueError(f"{name} is the name of something else, so the class cannot be read back under it")
    _allowed_by_code.add(name)


def is_allowed(name: str) -> bool:
    """Whether a class may be loaded because stored data names it."""
    return (
        name in _allowed_by_code
        or any(fnmatchcase(name, pattern) for pattern in _globs())
        or any(pattern.fullmatch(name) is not None for pattern in _regexps())
    )


@cache
def _globs() -> tuple[str, ...]:
    text = conf.get("core", "allowed_deserialization_classes", fallback="airflow.*") or ""
    # Airflow's own classes are Tradewind's.
    own = ("tradewind.*",) if "airflow.*" in text.split() else ()
    return (*text.replace(",", " ").split(), *own)


@cache
def _regexps() -> tuple[re.Pattern[str], ...]:
    text = conf.get("core", "allowed_deserialization_classes_regexp", fallback="") or ""
    return tuple(re.compile(pattern) for pattern in text.split())


def forget_configuration() -> None:
    """Read the allow-list again when it is next needed."""
    _globs.cache_clear()
    _regexps.cache_clear()


def _described(name: str, version: int, data: Any) -> str:
    if name in ("builtins.tuple", "builtins.set", "builtins.frozenset") and isinstance(data, list):
        return f"({','.join(str(deserialize(element, full=False)) for element in data)})"
    if isinstance(data, dict) and CLASSNAME not in data:
        inner = ",".join(f"{key}={deserialize(value, full=False)}" for key, value in data.items())
    else:
        inner = "" if data is None else str(deserialize(data, full=False))
    return f"{name}@version={version}({inner})"


def _is_pydantic_model(o: Any) -> bool:
    """By its marks: asking pydantic itself would load it. A pydantic dataclass is a dataclass."""
    return (
        hasattr(o, "__pydantic_fields__") and hasattr(o, "__pydantic_validator__") and not dataclasses.is_dataclass(o)
    )
