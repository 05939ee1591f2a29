"""Mappers of authors' own: what schedulers want to know of them, asked where DAG files are read."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime

from tradewind.model.dag_file import FileKey
from tradewind.model.partition_answers import NOTHING_SAID, PartitionAnswers, PartitionQuestion
from tradewind.model.planned_runs import PlannedRuns
from tradewind.storage.interface import DagRecord, Transaction


def answers_of(tx: Transaction, dag_id: str) -> PartitionAnswers:
    """What the mappers of a DAG have said so far."""
    plan = tx.plans.find(dag_id)
    return NOTHING_SAID if plan is None else plan.partitions


def ask_mappers(
    tx: Transaction, record: DagRecord, questions: Collection[PartitionQuestion], in_use: Collection[str], now: datetime
) -> None:
    """Have the file of a locked DAG read, with questions to its mappers. What they said before is kept while in use."""
    plan = tx.plans.find(record.dag_id) or PlannedRuns()
    tx.plans.put({record.dag_id: replace(plan, partitions=plan.partitions.asking(questions, in_use))}, now)
    file = None if record.file is None else tx.files.find(record.file)
    if file is not None:
        tx.files.request([file.key])


def questions_in(tx: Transaction, files: Collection[FileKey]) -> dict[FileKey, list[tuple[str, str, str]]]:
    """What mappers in these files are to be asked: a DAG, a mapper and a key each."""
    return {
        file: [(dag_id, *question) for dag_id in dag_ids for question in answers_of(tx, dag_id).questions]
        for file, dag_ids in tx.plans.planned_in(files).items()
    }


def keep_answers(tx: Transaction, answers: Mapping[str, PartitionAnswers], now: datetime) -> None:
    """What mappers of locked DAGs have said; a scheduler goes on with it."""
    for dag_id, given in answers.items():
        plan = tx.plans.find(dag_id)
        if plan is not None and plan.partitions.questions:
            tx.plans.put({dag_id: replace(plan, partitions=plan.partitions.answered_by(given))}, now)
            tx.dag_changes.record([dag_id], now)
