"""What one run of a DAG means for the next: `depends_on_past` and `wait_for_downstream`."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime

from tradewind.decide.structure import Structure
from tradewind.model.run import Run, RunHead
from tradewind.model.states import DATED_RUN_TYPES, PASSED_STATES, TaskState
from tradewind.model.task import NO_PAST, PastTask
from tradewind.storage.interface import Transaction


def past_of(tx: Transaction, run: Run | RunHead, structure: Structure, numbers: Collection[int]) -> dict[int, PastTask]:
    """How these tasks ended in the run before. A mapped task is asked for as a whole, as in Airflow."""
    before = tx.runs.before(run, only_scheduled=structure.dag.catchup)
    if before is None:
        return dict.fromkeys(numbers, NO_PAST)
    names = {structure.tasks[number].task_id for number in numbers}
    below = {number: structure.downstream[number] for number in numbers if structure.tasks[number].wait_for_downstream}
    names |= {structure.tasks[down].task_id for downs in below.values() for down in downs}
    states = tx.tasks.count_states(before.key, names)
    return {
        number: _past(
            states.get(structure.tasks[number].task_id, {}),
            (states.get(structure.tasks[down].task_id, {}) for down in below.get(number, ())),
        )
        for number in numbers
    }


def tell_next_run(tx: Transaction, run: Run | RunHead, structure: Structure, now: datetime) -> None:
    """A person or a timeout ended tasks of this run: let those of the next run that wait for them ask again."""
    if structure.past_readers:
        tx.changes.record_runs([follower.key for follower in _followers(tx, run, structure)], now)


def tell_readers(
    tx: Transaction, run: Run | RunHead, structure: Structure, ended: Collection[int], now: datetime
) -> None:
    """These tasks ended in the run's own course: only those of the next run that wait for them need ask again."""
    readers = {reader for number in ended for reader in structure.past_readers.get(number, ())}
    names = {structure.tasks[reader].task_id for reader in readers}
    for follower in _followers(tx, run, structure) if readers else ():
        tx.changes.record([task.key for task in tx.tasks.instances(follower.key, names)], now)


def _followers(tx: Transaction, run: Run | RunHead, structure: Structure) -> Iterator[Run]:
    """The runs that look back at this one: the next. Where only scheduled runs count as past, runs by hand are in
    nobody's way: all of them up to the next scheduled one look back at this one."""
    follower = tx.runs.after(run, only_scheduled=False)
    while follower is not None:
        yield follower
        if not structure.dag.catchup or follower.run_type in DATED_RUN_TYPES:
            return
        follower = tx.runs.after(follower, only_scheduled=False)


def _past(own: dict[TaskState, int], downstream: Iterable[dict[TaskState, int]]) -> PastTask:
    if not own:
        return PastTask(exists=False, any_earlier_run=True)
    return PastTask(True, True, _worst(own), all(_worst(states) in PASSED_STATES for states in downstream))


def _worst(states: dict[TaskState, int]) -> TaskState:
    """A state of the task that is not good enough, if it has one. Removed instances do not count."""
    for state in states:
        if state not in PASSED_STATES and state is not TaskState.REMOVED:
            return state
    return TaskState.SUCCESS
