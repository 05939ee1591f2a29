"""Values as JSON and back: what XComs can hold (D3)."""

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pendulum
import pytest

from tests.unit.sdk_runtime import serde_samples
from tests.unit.sdk_runtime.serde_samples import AttrsLike, Colour, Holder, Inner, Outer, Own, Plain, Point, WriteOnly
from tradewind.sdk import serde
from tradewind.sdk.serde import allow_class, deserialize, is_allowed, serialize

BERLIN = ZoneInfo("Europe/Berlin")
SAMPLES = serde_samples.__name__


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The sample classes may be read back."""
    monkeypatch.setenv("TRADEWIND__CORE__ALLOWED_DESERIALIZATION_CLASSES", f"airflow.* {SAMPLES}.*")
    serde.forget_configuration()
    yield
    serde.forget_configuration()


def again(value: object) -> Any:
    """Stored as JSON text, and read back."""
    return deserialize(json.loads(json.dumps(serialize(value))))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        5,
        1.5,
        "text",
        [1, [2, None]],
        {"a": {"b": [1]}},
        (1, (2, "x")),
        {1, 2},
        frozenset({"a"}),
        b"\x00\xff",
        bytearray(b"x"),
        dt.date(2026, 1, 31),
        dt.time(5, 6, 7, 8),
        dt.timedelta(days=-1, microseconds=1),
        dt.datetime(2026, 1, 31, 5, 6, 7, 123456, tzinfo=dt.UTC),
        dt.datetime(2026, 1, 31, 5, 6, 7),  # noqa: DTZ001 - one without a zone comes back without
        dt.datetime(2026, 7, 1, 12, tzinfo=BERLIN),
        dt.datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=0),
        dt.datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
        dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30))),
        pendulum.datetime(2026, 10, 25, 2, 30, tz="Europe/Berlin"),
        pendulum.datetime(2026, 1, 1),
        pendulum.datetime(2026, 1, 1, tz=pendulum.timezone(3600)),
        pendulum.date(2026, 1, 31),
        pendulum.duration(days=3, seconds=1.5),
        BERLIN,
        dt.UTC,
        dt.timezone(dt.timedelta(hours=-3)),
        pendulum.timezone("Asia/Tokyo"),
        pendulum.timezone(3600),
        pendulum.UTC,
        Decimal("0.1000000000000000000000001"),
        Decimal(10**30),
        Decimal("-1E+3"),
        UUID(int=5),
        {"mixed": (dt.date(2026, 1, 1), [Decimal("1.10")], {UUID(int=1)})},
    ],
)
def test_value_comes_back_the_same(value: Any) -> None:
    back = again(value)

    assert back == value
    assert type(back) is type(value)


def test_moment_comes_back_in_its_zone_and_on_its_side_of_the_clock_change() -> None:
    value = dt.datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)

    back = again(value)

    assert (back.utcoffset(), back.fold, back.tzinfo) == (dt.timedelta(hours=1), 1, BERLIN)


def test_pendulum_moment_keeps_its_zone() -> None:
    assert again(pendulum.datetime(2026, 7, 1, tz="Europe/Berlin")).timezone_name == "Europe/Berlin"


def test_named_tuple_comes_back_as_a_tuple() -> None:
    assert again(Point(1, 2)) == (1, 2)


def test_member_of_a_text_enum_comes_back_as_its_text() -> None:
    assert again(Colour.RED) == "red"


def test_keys_of_a_dict_become_texts() -> None:
    assert again({1: "a"}) == {"1": "a"}


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("value", [Outer("n", Inner((1, dt.date(2026, 1, 1)))), Holder.Held(5), AttrsLike(3)])
def test_class_with_fields_comes_back_with_what_is_inside(value: Any) -> None:
    assert again(value) == value


@pytest.mark.usefixtures("allowed")
def test_class_may_serialize_itself() -> None:
    stored = serialize(Own("abc"))

    assert stored["__classname__"] == f"{SAMPLES}.Own"
    assert stored["__version__"] == 3
    assert stored["__data__"]["reversed"] == "cba"
    assert again(Own("abc")).secret == "abc"


@pytest.mark.usefixtures("allowed")
def test_class_without_a_way_back_is_named() -> None:
    with pytest.raises(TypeError, match="WriteOnly cannot be read back"):
        again(WriteOnly())


@pytest.mark.usefixtures("allowed")
def test_data_of_a_newer_version_is_refused() -> None:
    stored = serialize(Outer("n", Inner()))
    stored["__version__"] = 9

    with pytest.raises(TypeError, match="has version 9, but here only versions up to 2 are known"):
        deserialize(stored)
    with pytest.raises(TypeError, match="version 99"):
        deserialize({"__classname__": "uuid.UUID", "__version__": 99, "__data__": ""})


@pytest.mark.parametrize("value", [object(), Plain.ONE, lambda: None, iter([])])
def test_value_without_a_form_is_named(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be stored"):
        serialize({"a": [value]})


def test_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(RecursionError, match="contains itself"):
        serialize(endless)


def test_reserved_keys_are_refused() -> None:
    with pytest.raises(AttributeError, match="__classname__"):
        serialize({"__classname__": "os.system"})


def test_class_that_is_not_allowed_is_not_loaded() -> None:
    """Data must not decide what is imported."""
    stored = {"__classname__": "antigravity.fly", "__version__": 0, "__data__": {}}

    with pytest.raises(ImportError, match=r"antigravity\.fly may not be loaded"):
        deserialize(stored)

    assert "antigravity" not in sys.modules


def test_allow_list_takes_globs_and_regular_expressions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__ALLOWED_DESERIALIZATION_CLASSES", "mine.*.Thing other.One")
    monkeypatch.setenv("TRADEWIND__CORE__ALLOWED_DESERIALIZATION_CLASSES_REGEXP", r"theirs\..*Thing")
    serde.forget_configuration()

    names = ["mine.a.Thing", "mine.Thing", "other.One", "other.OneMore", "theirs.aThing", "theirs.aThings", "airflow.x"]
    verdicts = {name: is_allowed(name) for name in names}

    serde.forget_configuration()
    assert [name for name, verdict in verdicts.items() if verdict] == ["mine.a.Thing", "other.One", "theirs.aThing"]


def test_own_classes_are_allowed_as_airflows_are() -> None:
    assert is_allowed("tradewind.sdk.assets.Asset")
    assert is_allowed("airflow.sdk.definitions.asset.Asset")


def test_class_may_be_allowed_by_code() -> None:
    assert not is_allowed(f"{SAMPLES}.Holder")

    allow_class(Holder)

    assert is_allowed(f"{SAMPLES}.Holder")


def test_class_that_cannot_be_found_again_is_not_allowed_by_code() -> None:
    class Local:
        pass

    impostor = type("Holder", (), {"__module__": SAMPLES})

    with pytest.raises(ValueError, match="inside a function"):
        allow_class(Local)
    with pytest.raises(ValueError, match="is the name of something else"):
        allow_class(impostor)
    with pytest.raises(ValueError, match="cannot be imported by its name"):
        allow_class(type("Nowhere", (), {"__module__": SAMPLES}))


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        # As Airflow 3 writes them.
        (
            {
                "__classname__": "datetime.datetime",
                "__version__": 2,
                "__data__": {
                    "timestamp": 1782900000.0,
                    "tz": {
                        "__classname__": "builtins.tuple",
                        "__version__": 1,
                        "__data__": ["UTC", "pendulum.tz.timezone.Timezone", 1, True],
                    },
                },
            },
            dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC),
        ),
        (
            {
                "__classname__": "pendulum.datetime.DateTime",
                "__version__": 1,
                "__data__": {"timestamp": 1782900000.0, "tz": "Europe/Berlin"},
            },
            pendulum.datetime(2026, 7, 1, 12, tz="Europe/Berlin"),
        ),
        ({"__classname__": "decimal.Decimal", "__version__": 1, "__data__": 1.5}, Decimal("1.5")),
        # As Airflow 2 wrote them.
        ({"__type": "datetime", "__var": 1782900000.0}, dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC)),
        ({"__type": "dict", "__var": {"a": {"__type": "tuple", "__var": [1]}}}, {"a": (1,)}),
        ({"__type": "timedelta", "__var": 60.0}, dt.timedelta(minutes=1)),
    ],
)
def test_what_airflow_wrote_is_read(stored: Any, expected: Any) -> None:
    assert deserialize(stored) == expected


def test_description_loads_no_class() -> None:
    unknown = {"__classname__": "x.Y", "__version__": 1, "__data__": {"k": 1}}

    assert deserialize({"a": unknown}, full=False) == {"a": "x.Y@version=1(k=1)"}
    assert deserialize(serialize((1, dt.date(2026, 1, 31))), full=False) == "(1,datetime.date@version=2(2026-01-31))"


@pytest.mark.usefixtures("allowed")
def test_type_hint_says_what_a_plain_dict_is_for() -> None:
    assert deserialize({"value": 5}, type_hint=Inner) == Inner(5)


@pytest.mark.parametrize("tags", [{"__classname__": "", "__version__": 0}, {"__classname__": "a", "__version__": "0"}])
def test_broken_tags_are_refused(tags: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="has to be a text"):
        deserialize(tags)


def test_pydantic_model_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Measured", value=(int, ...), at=(dt.date, ...), __module__=SAMPLES)
    monkeypatch.setattr(serde_samples, "Measured", model, raising=False)
    allow_class(model)

    assert again(model(value=1, at="2026-01-31")) == model(value=1, at=dt.date(2026, 1, 31))


def test_numpy_values_come_back() -> None:
    numpy = pytest.importorskip("numpy")

    for value in (numpy.int8(-3), numpy.uint64(2**60), numpy.float32(0.1), numpy.bool_(True), numpy.complex128(1 + 2j)):
        back = again(value)
        assert back == value
        assert type(back) is type(value)
    array = numpy.array([[1, 2], [3, 4]], dtype="int16")
    assert (again(array) == array).all()
    assert again(array).dtype == array.dtype
    with pytest.raises(TypeError, match="array of Python objects"):
        serialize(numpy.array([object()]))


def test_pandas_frame_comes_back() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})

    pandas.testing.assert_frame_equal(again(frame), frame)


def test_attrs_class_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    attrs = pytest.importorskip("attrs")
    cls = attrs.make_class("Made", {"a": attrs.field(), "_b": attrs.field()})
    cls.__module__ = SAMPLES
    monkeypatch.setattr(serde_samples, "Made", cls, raising=False)
    allow_class(cls)

    assert again(cls(a=1, b=(2,))) == cls(a=1, b=(2,))


def test_libraries_are_loaded_only_for_values_of_theirs() -> None:
    code = (
        "import sys, datetime; from tradewind.sdk.serde import *\n"
        "deserialize(serialize([1, (2,), datetime.date(2026, 1, 1)]))\n"
        "print([name for name in ('numpy', 'pandas', 'pydantic', 'attrs', 'pendulum') if name in sys.modules])"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "[]"
