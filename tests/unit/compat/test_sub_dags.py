"""D2: a SubDagOperator becomes a group of tasks."""

import pytest

from tradewind.compat.adapters.subdag import SubDagOperator
from tradewind.sdk import DAG, TaskGroup
from tradewind.sdk.standard.empty import EmptyOperator


def inner() -> DAG:
    with DAG("outer.section") as made:
        EmptyOperator(task_id="one") >> EmptyOperator(task_id="two")
    return made


def test_the_inner_tasks_become_a_group_of_the_outer_dag() -> None:
    with DAG("outer") as outer:
        start = EmptyOperator(task_id="start")
        section = SubDagOperator(task_id="section", subdag=inner())
        end = EmptyOperator(task_id="end")
        start >> section >> end

    outer.validate()
    assert set(outer.task_ids) == {"start", "section.one", "section.two", "end"}
    assert start.downstream_task_ids == {"section.one"}
    assert outer.get_task("section.one").downstream_task_ids == {"section.two"}
    assert outer.get_task("section.two").downstream_task_ids == {"end"}
    assert isinstance(section, TaskGroup)
    assert outer.get_task("section.one").dag is outer


def test_without_an_outer_dag_it_is_refused() -> None:
    made = inner()

    with pytest.raises(RuntimeError, match="needs a DAG"):
        SubDagOperator(task_id="section", subdag=made)


def test_inner_groups_are_refused() -> None:
    with DAG("outer.section") as made, TaskGroup("deep"):
        EmptyOperator(task_id="one")

    with DAG("outer"), pytest.raises(ValueError, match="use a TaskGroup"):
        SubDagOperator(task_id="section", subdag=made)
