"""Codecs for types of libraries that are looked up only when a value of theirs appears."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Any, Final

from tradewind.sdk.module_loading import import_string
from tradewind.sdk.serde_codecs import Codec

_NUMPY_NUMBERS: Final = (
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "bool",
    "bool_",
)


def _decode_numpy(name: str, _version: int, data: Any) -> Any:
    return getattr(import_module("numpy"), name.removeprefix("numpy."))(data)


def _encode_complex(value: Any) -> list[float]:
    return [float(value.real), float(value.imag)]


def _decode_complex(name: str, version: int, data: Any) -> Any:
    # Airflow kept the real part only.
    return _decode_numpy(name, version, complex(*data) if isinstance(data, list) else data)


def _encode_array(value: Any) -> dict[str, Any]:
    if value.dtype.hasobject:
        raise TypeError("an array of Python objects cannot be stored: turn it into a list, or give it another dtype")
    return {"dtype": value.dtype.str, "shape": list(value.shape), "values": value.tolist()}


def _decode_array(_name: str, _version: int, data: Any) -> Any:
    return import_module("numpy").array(data["values"], dtype=data["dtype"]).reshape(data["shape"])


def _encode_frame(value: Any) -> str:
    """As Parquet, in hexadecimal digits: the one form that keeps the types of columns."""
    target = BytesIO()
    value.to_parquet(target, engine="pyarrow", compression="snappy")
    return target.getvalue().hex()


def _decode_frame(_name: str, _version: int, data: Any) -> Any:
    return import_module("pandas").read_parquet(BytesIO(bytes.fromhex(data)), engine="pyarrow")


def _decode_model(name: str, _version: int, data: Any) -> Any:
    return import_string(name).model_validate(data)


_FRAME: Final = Codec(1, _encode_frame, _decode_frame)

LIBRARY_CODECS: Final[dict[str, Codec]] = {
    **{f"numpy.{name}": Codec(1, lambda value: value.item(), _decode_numpy) for name in _NUMPY_NUMBERS},
    "numpy.complex64": Codec(1, _encode_complex, _decode_complex),
    "numpy.complex128": Codec(1, _encode_complex, _decode_complex),
    "numpy.ndarray": Codec(1, _encode_array, _decode_array),
    "pandas.DataFrame": _FRAME,
    "pandas.core.frame.DataFrame": _FRAME,
    "pydantic.main.BaseModel": Codec(1, lambda value: value.model_dump(mode="json"), _decode_model),
}
