"""XComs (D3): what one task leaves, another finds, exactly as it was, on every database."""

import math

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import NOW, World, minutes, new_task
from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.task_answers import XComElement, XComResult
from tradewind.storage.database import Database
from tradewind.storage.interface.kept_stores import XComPlace, XComValue


def _mapped(world: World, count: int, run_id: str = "r1") -> RunKey:
    run_key = world.running(run_id)
    with world.store.begin() as tx:
        tx.tasks.create([new_task(run_key, "load", index) for index in range(count)])
    return run_key


def _push(world: World, run_key: RunKey, indexes: range | list[int], key: str = "return_value") -> None:
    """Each instance leaves ten times its map index."""
    values = [XComValue(TaskKey(run_key, "load", index), key, index * 10) for index in indexes]
    with world.store.begin() as tx:
        tx.xcoms.put(values, NOW)


@pytest.mark.parametrize(
    "value",
    [None, 0, "", [], {"a": [1, {"b": None}]}, "ü\0\ud800\N{SNAKE}", 2**80, 1e-300, float("inf"), "x" * 200_000],
    ids=lambda value: repr(value)[:20],
)
def test_a_value_comes_back_as_it_was(world: World, store: Database, value: object) -> None:
    run_key = _mapped(world, 1)
    place = XComPlace(run_key, "load", "return_value")
    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "return_value", value)], NOW)  # type: ignore[arg-type]

    with store.begin() as tx:
        assert tx.xcoms.find(place, 0) == XComResult("return_value", value)


def test_what_is_not_a_number_comes_back_as_that(world: World, store: Database) -> None:
    run_key = _mapped(world, 1)
    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "k", [math.nan])], NOW)
        found = tx.xcoms.find(XComPlace(run_key, "load", "k"), 0)

    assert found is not None
    assert isinstance(found.value, list)
    assert isinstance(found.value[0], float)
    assert math.isnan(found.value[0])


def test_a_value_replaces_the_one_before_it_with_all_that_is_said_about_it(world: World, store: Database) -> None:
    run_key = _mapped(world, 1)
    task = TaskKey(run_key, "load", 0)
    with store.begin() as tx:
        tx.xcoms.put([XComValue(task, "k", [1, 2], mapped_length=2, is_dag_result=True)], NOW)
        assert tx.xcoms.of_run(run_key) == [XComValue(task, "k", [1, 2], 2, True)]
        tx.xcoms.put([XComValue(task, "k", "new")], NOW)
        tx.xcoms.put([], NOW)

    with store.begin() as tx:
        assert tx.xcoms.of_run(run_key) == [XComValue(task, "k", "new", None, False)]


def test_keys_differ_by_case_and_may_be_long(world: World, store: Database) -> None:
    run_key = _mapped(world, 1)
    task = TaskKey(run_key, "load", 0)
    keys = ["Key", "key", "é" * 512]
    with store.begin() as tx:
        tx.xcoms.put([XComValue(task, key, key) for key in keys], NOW)

        assert [tx.xcoms.find(XComPlace(run_key, "load", key), 0) for key in keys] == [
            XComResult(key, key) for key in keys
        ]


def test_without_a_map_index_the_lowest_is_found(world: World, store: Database) -> None:
    run_key = _mapped(world, 4)
    place = XComPlace(run_key, "load", "return_value")
    with store.begin() as tx:
        assert tx.xcoms.find(place) is None
    _push(world, run_key, [3, 1])

    with store.begin() as tx:
        assert tx.xcoms.find(place) == XComResult("return_value", 10)
        assert tx.xcoms.find(place, 2) is None
        assert tx.xcoms.find(place._replace(key="other")) is None
        assert tx.xcoms.find(place._replace(task_id="other")) is None


def test_items_are_counted_in_the_order_of_map_indexes(world: World, store: Database) -> None:
    """Instances that pushed nothing leave no gap."""
    run_key = _mapped(world, 12)
    _push(world, run_key, [11, 2, 5])
    _push(world, run_key, [0, 1], key="other")
    place = XComPlace(run_key, "load", "return_value")

    with store.begin() as tx:
        assert tx.xcoms.count(place) == 3
        assert tx.xcoms.count(place._replace(key="none")) == 0
        found = {offset: tx.xcoms.item(place, offset) for offset in range(-4, 4)}

    values = {offset: None if item is None else item.value for offset, item in found.items()}
    assert values == {-4: None, -3: 20, -2: 50, -1: 110, 0: 20, 1: 50, 2: 110, 3: None}


@pytest.mark.parametrize(
    "value",
    [None, 5, "text", {"a": 1}, [], [1, math.nan], [1, "\ud800"]],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_list_or_not_proper_json_has_no_elements(world: World, store: Database, value: object) -> None:
    run_key = _mapped(world, 1)
    place = XComPlace(run_key, "load", "k")
    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "k", value)], NOW)  # type: ignore[arg-type]

        assert tx.xcoms.element(place, 0, 0) is None
        assert tx.xcoms.element(place, 1, 0) is None


def test_elements_of_a_list_are_counted_round_and_round(world: World, store: Database) -> None:
    elements = ["ü\0", 2**80, 1e-300, None, {"a": [1]}, [[]]]
    run_key = _mapped(world, 1)
    place = XComPlace(run_key, "load", "k")
    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "k", elements)], NOW)  # type: ignore[arg-type]

    with store.begin() as tx:
        found = [tx.xcoms.element(place, 0, index) for index in range(12)]

    assert found == [XComElement(element, 6) for element in (*elements, *elements)]


def test_a_list_is_read_once_in_a_transaction_until_it_changes(world: World, store: Database) -> None:
    run_key = _mapped(world, 2)
    place = XComPlace(run_key, "load", "k")
    asked: list[str] = []

    def listen(_c: object, _cursor: object, statement: str, *_: object) -> None:
        asked.append(statement)

    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "k", [1, 2])], NOW)
        sa.event.listen(store.engine, "before_cursor_execute", listen)
        try:
            assert [tx.xcoms.element(place, 0, index) for index in range(2)] == [XComElement(1, 2), XComElement(2, 2)]
        finally:
            sa.event.remove(store.engine, "before_cursor_execute", listen)
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), "k", [3])], NOW)
        assert tx.xcoms.element(place, 0, 0) == XComElement(3, 1)
        tx.xcoms.delete(place, 0)
        assert tx.xcoms.element(place, 0, 0) is None

    assert len(asked) == 1


_BOUNDS = (None, 0, 1, 3, 6, 9, -1, -3, -7, -9)


@pytest.mark.parametrize("step", [None, 1, 2, 3, 10, -1, -2, -10])
def test_a_cut_is_what_python_cuts_out_of_a_list(world: World, store: Database, step: int | None) -> None:
    run_key = _mapped(world, 14)
    _push(world, run_key, range(0, 14, 2))
    _push(world, run_key, range(14), key="other")
    place = XComPlace(run_key, "load", "return_value")
    whole = [index * 10 for index in range(0, 14, 2)]

    with store.begin() as tx:
        for start in _BOUNDS:
            for stop in _BOUNDS:
                part = slice(start, stop, step)
                assert tx.xcoms.cut(place, part) == whole[part], part


def test_a_cut_by_nothing_is_refused(world: World, store: Database) -> None:
    run_key = _mapped(world, 1)

    with pytest.raises(ValueError, match="zero"), store.begin() as tx:
        tx.xcoms.cut(XComPlace(run_key, "load", "k"), slice(None, None, 0))


def test_the_latest_run_with_a_value_is_this_one_or_the_last_before(world: World, store: Database) -> None:
    dates = {"old": 1, "gap": 2, "this": 3, "later": 4}
    keys = {}
    for run_id, day in dates.items():
        keys[run_id] = world.running(run_id, logical_date=NOW + minutes(day))
        with store.begin() as tx:
            tx.tasks.create([new_task(keys[run_id], "load", index) for index in range(2)])
    other = world.running("old", "other", logical_date=NOW + minutes(2))
    with store.begin() as tx:
        tx.tasks.create([new_task(other, "load", 0, dag_id="other")])
    this = world.find("this")

    def latest(map_index: int | None = None) -> RunKey | None:
        with store.begin() as tx:
            return tx.xcoms.latest_run(this, "load", "return_value", map_index)

    _push(world, keys["later"], [0])
    _push(world, other, [0])
    assert latest() is None
    _push(world, keys["old"], [0, 1])
    assert latest() == keys["old"]
    _push(world, keys["gap"], [0])
    assert (latest(), latest(0), latest(1)) == (keys["gap"], keys["gap"], keys["old"])
    _push(world, keys["this"], [1])
    assert (latest(), latest(0), latest(1)) == (keys["this"], keys["gap"], keys["this"])


def test_delete_takes_one_value(world: World, store: Database) -> None:
    run_key = _mapped(world, 3)
    _push(world, run_key, range(3))
    place = XComPlace(run_key, "load", "return_value")

    with store.begin() as tx:
        tx.xcoms.delete(place, 1)
        tx.xcoms.delete(place, 1)
        tx.xcoms.delete(place._replace(key="other"), 0)

        assert tx.xcoms.cut(place, slice(None)) == [0, 20]
        tx.xcoms.delete(place)
        assert tx.xcoms.cut(place, slice(None)) == [20]
        tx.xcoms.delete(place._replace(key="other"))


def test_the_keys_of_many_tasks_are_found_at_once(world: World, store: Database) -> None:
    run_key, other = _mapped(world, 3), _mapped(world, 1, "r2")
    _push(world, run_key, [0, 1])
    _push(world, run_key, [0, 2], key="extra")
    _push(world, other, [0], key="elsewhere")
    task = TaskKey(run_key, "load", 0)

    with store.begin() as tx:
        found = tx.xcoms.keys_of(
            [task, task._replace(map_index=1), TaskKey(run_key, "none", 0), TaskKey(other, "load", 0)]
        )

        assert found == {
            task: ("extra", "return_value"),
            task._replace(map_index=1): ("return_value",),
            TaskKey(other, "load", 0): ("elsewhere",),
        }
        assert tx.xcoms.keys_of([]) == {}


def test_values_go_with_their_run(world: World, store: Database) -> None:
    run_key, other = _mapped(world, 2), _mapped(world, 1, "r2")
    _push(world, run_key, [0, 1])
    _push(world, other, [0])

    with store.begin() as tx:
        tx.runs.delete(run_key)

    with store.begin() as tx:
        assert tx.xcoms.of_run(run_key) == []
        assert len(tx.xcoms.of_run(other)) == 1
