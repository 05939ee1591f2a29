"""Classes that are stored and read back in tests of serde; they have to be importable."""

import dataclasses
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, ClassVar, NamedTuple


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


class Colour(StrEnum):
    """A text enum."""

    RED = "red"


class Plain(Enum):
    """An enum that is no text and no number."""

    ONE = object()


@dataclass
class Inner:
    """Inside of another one."""

    value: Any = None


@dataclass
class Outer:
    """Has another one inside, and a field that is not for the constructor."""

    __version__: ClassVar[int] = 2

    name: str
    inner: Inner
    computed: int = field(init=False, default=0)


class Own:
    """Serializes itself."""

    __version__: ClassVar[int] = 3

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def serialize(self) -> dict[str, Any]:
        return {"reversed": self.secret[::-1], "inner": Inner(1)}

    @staticmethod
    def deserialize(data: dict[str, Any], version: int) -> "Own":
        assert version <= 3
        assert data["inner"] == Inner(1)
        return Own(data["reversed"][::-1])


class WriteOnly:
    """Cannot be read back."""

    def serialize(self) -> int:
        return 1


class Holder:
    """Has a class inside."""

    @dataclass
    class Held:
        """Is inside."""

        value: int


class AttrsLike:
    """Has the marks of an attrs class, as attrs makes them."""

    @dataclasses.dataclass(frozen=True)
    class _Attribute:
        name: str
        alias: str
        init: bool

    __attrs_attrs__ = (_Attribute("_hidden", "hidden", True), _Attribute("derived", "derived", False))

    def __init__(self, hidden: int) -> None:
        self._hidden = hidden
        self.derived = hidden + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AttrsLike) and self._hidden == other._hidden

    __hash__ = None  # type: ignore[assignment]
