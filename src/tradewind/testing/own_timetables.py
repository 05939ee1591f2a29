"""Timetables of authors' own in a test: asked on the spot, for no DAG file is read there."""

from collections.abc import Mapping
from datetime import datetime

from tradewind.dag_processor.compile import describe_runs
from tradewind.model.dag import Dag
from tradewind.operations.ask_intervals import keep_intervals
from tradewind.sdk.dags import DAG
from tradewind.storage.interface import Transaction


def answer_timetables(tx: Transaction, dags: Mapping[str, tuple[DAG, Dag]], now: datetime) -> bool:
    """Have them say what runs are about that somebody asked for. Returns whether any was asked.

    `dags`: those with such a timetable, as they were written and compiled.
    """
    questions = tx.plans.questions(dags)
    answers = [
        answer
        for question in questions
        for answer in describe_runs(dags[question.dag_id][0].timetable, dags[question.dag_id][1], [question.about])
    ]
    keep_intervals(tx, [compiled for _, compiled in dags.values()], answers, now)
    return bool(questions)
