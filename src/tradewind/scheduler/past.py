"""What one run of a DAG means for the next: `depends_on_past` and `wait_for_downstream`."""

from collections.abc import Sequence
from datetime import datetime

from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress
from tradewind.decide.structure import Structure
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run, RunHead
from tradewind.model.task import NO_PAST, PastTask
from tradewind.storage.interface import Transaction


def load_past(tx: Transaction, run: RunHead, progress: RunProgress, cells: Sequence[Cell]) -> None:
    """Answer what these cells ask about the run before theirs."""
    structure = progress.structure
    before = tx.runs.before(run, only_scheduled=structure.dag.catchup)
    if before is None:
        for cell in cells:
            progress.learn_past(cell, NO_PAST)
        return
    keys = {TaskKey(before.key, structure.tasks[cell.number].task_id, cell.map_index): cell for cell in cells}
    found = {snapshot.key: snapshot for snapshot in tx.tasks.snapshots(list(keys))}
    for key, cell in keys.items():
        snapshot = found.get(key)
        if snapshot is None:
            past = PastTask(exists=False, any_earlier_run=True)
        else:
            past = PastTask(True, True, snapshot.state, _downstream_passed(tx, before, structure, cell))
        progress.learn_past(cell, past)


def tell_next_run(tx: Transaction, run: RunHead, structure: Structure, ended: set[int], now: datetime) -> None:
    """Tasks of the next run may wait for what ended in this one."""
    readers = {reader for number in ended for reader in structure.past_readers.get(number, ())}
    if not readers:
        return
    after = tx.runs.after(run, only_scheduled=structure.dag.catchup)
    if after is None:
        return
    names = {structure.tasks[reader].task_id for reader in readers}
    tx.changes.record([task.key for task in tx.tasks.instances(after.key, names)], now)


def _downstream_passed(tx: Transaction, before: Run, structure: Structure, cell: Cell) -> bool:
    if not structure.tasks[cell.number].wait_for_downstream:
        return True
    names = [structure.tasks[down].task_id for down in structure.downstream[cell.number]]
    return not names or not tx.tasks.has_unpassed(before.key, names)
