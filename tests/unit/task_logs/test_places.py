"""Where logs lie (D5)."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.task_logs.places import Try, log_name, trigger_log_name


def test_a_log_lies_where_airflow_has_it() -> None:
    assert log_name(Try("sales", "manual__2026-01-01T00:00:00+00:00", "load")) == (
        "dag_id=sales/run_id=manual__2026-01-01T00:00:00+00:00/task_id=load/attempt=1.log"
    )
    assert log_name(Try("sales", "r", "group.load", 3, 2)) == (
        "dag_id=sales/run_id=r/task_id=group.load/map_index=3/attempt=2.log"
    )
    assert trigger_log_name(Try("sales", "r", "load"), 7) == (
        "dag_id=sales/run_id=r/task_id=load/attempt=1.log.trigger.7.log"
    )


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..", "a/../../b", "a\\b", "a\x00b", "a\nb", "\ud800"]
)
def test_no_name_leads_out_of_its_folder(name: str) -> None:
    """E1: names come from people, and a run may be called anything that the deployment allows."""
    path = PurePosixPath(log_name(Try(name, name, name)))

    assert len(path.parts) == 4
    assert not {"..", "/"} & set(path.parts)
    assert path.as_posix().isprintable()


names = st.text(min_size=1, max_size=300)


@given(names, names, names)
def test_names_can_be_written_to_any_file_system(dag_id: str, run_id: str, task_id: str) -> None:
    parts = log_name(Try(dag_id, run_id, task_id)).split("/")

    assert len(parts) == 4
    assert all(0 < len(part.encode()) <= 255 for part in parts)


@given(names, names)
def test_two_names_are_never_one_file(first: str, second: str) -> None:
    is_same_file = log_name(Try("dag", first, "task")) == log_name(Try("dag", second, "task"))

    assert is_same_file == (first == second)


def test_long_names_stay_apart() -> None:
    first, second = (log_name(Try("x" * 250 + end, "r", "t")) for end in "ab")

    assert first != second
