"""A home folder with a database, and the command line on it."""

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.tables import copy_migrated
from tradewind.bootstrap import make_scheduler, wired
from tradewind.cli.main import main
from tradewind.executors.instant import InstantExecutor, Outcome, succeed
from tradewind.model.dag import Dag
from tradewind.operations.publish_dag import publish_dag
from tradewind.settings import load_settings
from tradewind.storage.schema import audit_log

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class CliDeployment:
    """What a person at a terminal has before them."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self._capsys = capsys
        self._monkeypatch = monkeypatch
        monkeypatch.setenv("TRADEWIND_HOME", str(home))
        copy_migrated(load_settings().database.sql_alchemy_conn)

    def publish(self, *dags: Dag, is_paused: bool = False) -> None:
        """As the DAG processor would."""
        with wired(load_settings()) as wiring, wiring.database.begin() as tx:
            for dag in dags:
                publish_dag(tx, dag, NOW, is_paused_by_default=is_paused)

    def run(self, *words: str, code: int = 0, answer: str = "") -> str:
        """What a command writes, which must end with this code; to its error stream where it fails. `answer` is what
        the person types."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        self._capsys.readouterr()
        assert main(list(words)) == code
        written = self._capsys.readouterr()
        return written.out if code == 0 else written.err

    def remarks(self, *words: str) -> str:
        """What a command that succeeds says besides its answer."""
        self._capsys.readouterr()
        assert main(list(words)) == 0
        return self._capsys.readouterr().err

    def rows(self, *words: str) -> list[dict[str, Any]]:
        """What a command writes as JSON."""
        rows: list[dict[str, Any]] = json.loads(self.run(*words, "--output", "json"))
        return rows

    def audit_log(self) -> list[dict[str, Any]]:
        """What it says, the oldest first."""
        with wired(load_settings()) as wiring, wiring.database.engine.begin() as connection:
            rows = connection.execute(sa.select(audit_log).order_by(audit_log.c.entry_key)).mappings()
            return [dict(row) for row in rows]

    def schedule(self, outcome: Outcome = succeed) -> None:
        """Let the scheduler do all that there is to do, with attempts that end at once."""
        with wired(load_settings()) as wiring:
            scheduler = make_scheduler(wiring, [InstantExecutor(wiring.clock.now, outcome=outcome)])
            scheduler.start()
            while scheduler.run_once():
                pass
            scheduler.stop()
