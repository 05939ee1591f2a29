"""Branches, short circuits, and what is skipped by them."""

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import BranchPythonOperator, ShortCircuitOperator
from airflow.sdk import DAG, TaskGroup, chain, task

with DAG("branch_one", schedule=None):

    @task.branch
    def choose() -> str:
        return "left"

    left, right = EmptyOperator(task_id="left"), EmptyOperator(task_id="right")
    after_right = EmptyOperator(task_id="after_right")
    join = EmptyOperator(task_id="join", trigger_rule="none_failed_min_one_success")
    choose() >> [left, right] >> join
    right >> after_right

with DAG("branch_many", schedule=None):
    many = BranchPythonOperator(task_id="choose", python_callable=lambda: ["a", "c"])
    strict = EmptyOperator(task_id="strict")
    many >> [EmptyOperator(task_id=name) for name in "abc"] >> strict

with DAG("branch_to_group", schedule=None):
    to_group = BranchPythonOperator(task_id="choose", python_callable=lambda: "group")
    with TaskGroup("group") as group:
        EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")
    to_group >> [group, EmptyOperator(task_id="alone")]

with DAG("branch_to_nothing", schedule=None):
    nothing = BranchPythonOperator(task_id="choose", python_callable=lambda: None)
    lenient = EmptyOperator(task_id="lenient", trigger_rule="none_failed_min_one_success")
    done = EmptyOperator(task_id="done", trigger_rule="all_done")
    nothing >> [EmptyOperator(task_id=name) for name in "ab"] >> lenient >> done

with DAG("branch_nested", schedule=None):
    outer = BranchPythonOperator(task_id="outer", python_callable=lambda: "inner")
    inner = BranchPythonOperator(task_id="inner", python_callable=lambda: "deep")
    end = EmptyOperator(task_id="end", trigger_rule="none_failed_min_one_success")
    outer >> [inner, EmptyOperator(task_id="shallow")]
    inner >> [EmptyOperator(task_id="deep"), EmptyOperator(task_id="deeper")] >> end

with DAG("branch_to_unknown", schedule=None):
    wrong = BranchPythonOperator(task_id="choose", python_callable=lambda: "nowhere")
    wrong >> EmptyOperator(task_id="after")

with DAG("short_circuit", schedule=None):
    open_one = ShortCircuitOperator(task_id="open", python_callable=lambda: True)
    closed = ShortCircuitOperator(task_id="closed", python_callable=lambda: False)
    lazy = ShortCircuitOperator(
        task_id="closed_for_one", python_callable=lambda: False, ignore_downstream_trigger_rules=False
    )
    chain(open_one, EmptyOperator(task_id="after_open"))
    chain(closed, EmptyOperator(task_id="next"), EmptyOperator(task_id="whatever", trigger_rule="all_done"))
    chain(lazy, EmptyOperator(task_id="only_this"), EmptyOperator(task_id="anyway", trigger_rule="all_done"))
