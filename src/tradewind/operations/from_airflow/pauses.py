"""Whether DAGs of Airflow are paused. What holds for a DAG that no file here has yet holds when one does."""

from collections.abc import Sequence

from tradewind.operations.from_airflow.outcome import Choice, Fate, Outcome
from tradewind.operations.pause_dag import pause_dags
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.airflow_source import AirflowDag


def copy_pauses(tx: Transaction, found: Sequence[AirflowDag], choice: Choice) -> list[Outcome]:
    """Pause and unpause DAGs as in Airflow."""
    here = {record.dag_id: record.is_paused for record in tx.dags.all()}
    outcomes = []
    for dag in found:
        if dag.is_stale:
            outcomes.append(Outcome(dag.dag_id, Fate.LEFT_OUT, "no file of Airflow has it any more"))
            continue
        is_same = here.get(dag.dag_id) == dag.is_paused
        fate = choice.fate(is_here=dag.dag_id in here, is_same=is_same)
        outcomes.append(Outcome(dag.dag_id, fate, "paused" if dag.is_paused else "not paused"))
    if choice.writes:
        _write(tx, {dag.dag_id: dag.is_paused for dag in found}, outcomes, choice)
    return outcomes


def expect_dags(tx: Transaction, dags: dict[str, bool], choice: Choice) -> None:
    """Make DAGs known, paused or not, that some file will have one day."""
    tx.dags.create_missing(dags, choice.now)
    # A DAG processor may have been first.
    tx.dags.set_stale([record.dag_id for record in tx.dags.lock(dags) if record.version_key is None])


def _write(tx: Transaction, paused: dict[str, bool], outcomes: Sequence[Outcome], choice: Choice) -> None:
    new = [outcome.name for outcome in outcomes if outcome.fate is Fate.COPY]
    expect_dags(tx, {dag_id: paused[dag_id] for dag_id in new}, choice)
    others = [outcome.name for outcome in outcomes if outcome.fate is Fate.REPLACE]
    for is_paused in (True, False):
        pause_dags(tx, [dag_id for dag_id in others if paused[dag_id] is is_paused], choice.now, is_paused=is_paused)
