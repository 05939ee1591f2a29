"""DAGs that start other DAGs, and wait for them."""

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import DAG, task

with DAG("target", schedule=None):

    @task
    def read(dag_run=None) -> str:
        return dag_run.conf.get("word", "no word")

    read()

with DAG("failing_target", schedule=None):

    @task
    def fail() -> None:
        raise RuntimeError("as it should")

    fail()

with DAG("trigger_and_leave", schedule=None):
    TriggerDagRunOperator(
        task_id="trigger",
        trigger_dag_id="target",
        trigger_run_id="left_{{ run_id }}",
        conf={"word": "{{ dag.dag_id }}"},
    )

with DAG("trigger_and_wait", schedule=None):

    @task
    def after(made: str) -> str:
        return made

    waited = TriggerDagRunOperator(
        task_id="trigger", trigger_dag_id="target", wait_for_completion=True, poke_interval=1, conf={"word": "waited"}
    )
    waited >> after("{{ ti.xcom_pull(task_ids='trigger', key='trigger_run_id') }}")

with DAG("trigger_and_see_it_fail", schedule=None):
    TriggerDagRunOperator(task_id="trigger", trigger_dag_id="failing_target", wait_for_completion=True, poke_interval=1)

with DAG("trigger_twice", schedule=None):
    same = {"trigger_dag_id": "target", "trigger_run_id": "same_{{ run_id }}"}
    first = TriggerDagRunOperator(task_id="first", **same)
    (
        first
        >> TriggerDagRunOperator(task_id="again", skip_when_already_exists=True, **same)
        >> TriggerDagRunOperator(task_id="reset", reset_dag_run=True, trigger_rule="all_done", **same)
        >> TriggerDagRunOperator(task_id="refused", **same)
    )

with DAG("trigger_unknown", schedule=None):
    TriggerDagRunOperator(task_id="trigger", trigger_dag_id="there_is_no_such_dag")
