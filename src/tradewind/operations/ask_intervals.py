"""What runs by hand are about, where only code of the DAG's author can say it. See decision 0016."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from tradewind.decide.timetables import date_of_key, is_custom, manual_interval
from tradewind.model.dag import Dag
from tradewind.model.ids import RunKey
from tradewind.model.manual_interval import AskedRun, IntervalAnswer, IntervalQuestion
from tradewind.model.run import NewRun, Run
from tradewind.model.states import RunState
from tradewind.operations.call_off_triggers import stop_unfinished
from tradewind.operations.listen_to_assets import look_again
from tradewind.operations.request_callbacks import request_listeners
from tradewind.operations.run_times import times_of
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import RunMoved


def waits_for_author(dag: Dag, new: NewRun) -> bool:
    """Whether a run that somebody asks for needs a word of the author's code: who named an interval needs none, and a
    run without a date has none, as in Airflow. What date a partition has, nobody else can say."""
    if not is_custom(dag.timetable):
        return False
    return new.partition_key is not None or (new.data_interval is None and new.logical_date is not None)


def held_runs(tx: Transaction, dags: Iterable[Dag]) -> dict[str, set[RunKey]]:
    """Of these DAGs, the queued runs that must not start yet."""
    held: dict[str, set[RunKey]] = {}
    custom = [dag.dag_id for dag in dags if is_custom(dag.timetable)]
    for question in tx.plans.questions(custom) if custom else ():
        held.setdefault(question.dag_id, set()).add(question.run_key)
    return held


def keep_intervals(tx: Transaction, dags: Sequence[Dag], answers: Sequence[IntervalAnswer], now: datetime) -> None:
    """What the timetables of locked DAGs have said. Questions that came while their files were read stay."""
    if not dags:
        return
    said = {(answer.dag_id, answer.about): answer for answer in answers}
    by_id = {dag.dag_id: dag for dag in dags}
    settled: dict[RunKey, IntervalAnswer] = {}
    for question in tx.plans.questions(by_id):
        answer = _answer(by_id[question.dag_id], question, said)
        if answer is not None:
            settled[question.run_key] = answer
    for run in tx.runs.lock(settled) if settled else ():
        _settle(tx, run, settled[run.key], now)


def _answer(
    dag: Dag, question: IntervalQuestion, said: Mapping[tuple[str, AskedRun], IntervalAnswer]
) -> IntervalAnswer | None:
    if is_custom(dag.timetable):
        return said.get((question.dag_id, question.about))
    # The author has taken another timetable meanwhile: one that can be asked here.
    about = question.about
    interval = manual_interval(dag.timetable, about.moment) if about.is_dated else None
    try:
        date = None if about.partition_key is None else date_of_key(dag.timetable, about.partition_key)
    except ValueError as error:
        return IntervalAnswer(question.dag_id, about, error=str(error))
    return IntervalAnswer(question.dag_id, about, interval, date)


def _settle(tx: Transaction, run: Run, answer: IntervalAnswer, now: datetime) -> None:
    tx.plans.settle(run.key, answer.interval, now, answer.partition_date)
    if answer.error:
        _fail(tx, run, answer.error, now)
    tx.changes.record_runs([run.key], now)


def _fail(tx: Transaction, run: Run, error: str, now: datetime) -> None:
    """Nobody knows what the run is about: who asked for it shall hear why, and it is not in the way of others."""
    reason = f"the timetable could not say what the run is about: {error}"
    stop_unfinished(tx, run.key, now, spare=(), reason=reason, fails_running=True)
    if tx.runs.set_state(run.key, RunState.QUEUED, RunState.FAILED, now, reason=reason, owner=None):
        tx.emit(RunMoved(run.key, run.dag_id, run.run_id, RunState.FAILED, reason, times_of(run, now)))
        request_listeners(tx, run, RunState.FAILED, reason, now)
        tx.dags.set_at_run_limit([run.dag_id], False)
        look_again(tx, [run.dag_id], now)
