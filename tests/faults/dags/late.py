"""Runs that miss their deadline at once. Their callbacks write down who they are, and wait for a word."""

import asyncio
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, AsyncCallback, DeadlineAlert, DeadlineReference, SyncCallback

NOTES = Path(os.environ["ACCEPTANCE_FOLDER"])


def _note(context: dict[str, Any], word: str) -> None:
    with (NOTES / context["dag_run"]["run_id"]).open("a") as file:
        file.write(f"{word} {os.getpid()}\n")


def _is_let_go(context: dict[str, Any]) -> bool:
    return (NOTES / f"{context['dag_run']['run_id']}.go").exists()


def tell(context: dict[str, Any]) -> None:
    """For a worker."""
    _note(context, "began")
    while not _is_let_go(context):
        time.sleep(0.05)
    _note(context, "told")


async def tell_later(context: dict[str, Any]) -> None:
    """For a triggerer."""
    _note(context, "began")
    while not _is_let_go(context):  # noqa: ASYNC110 - it is another process that says it
        await asyncio.sleep(0.05)
    _note(context, "told")


for name, callback in (("sync", SyncCallback(tell)), ("async", AsyncCallback(tell_later))):
    alert = DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, timedelta(seconds=-5), callback)
    with DAG(f"late_{name}", schedule=None, deadline=alert):
        EmptyOperator(task_id="a")
