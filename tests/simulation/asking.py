"""Tasks that ask people: what they ask, how people answer, and what must hold when such a task goes on."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.simulation.kernel import Kernel, Process
from tests.simulation.truth import name_of
from tradewind.model.assignment import Asker
from tradewind.model.ids import AttemptKey, try_id
from tradewind.model.inquiry import HumanAnswer
from tradewind.model.task_answers import HITLDetailRequest, HITLUserResult
from tradewind.operations.cipher import Cipher
from tradewind.operations.inquire import answer_inquiry, find_inquiry
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.storage.interface import Transaction

_OPTIONS = ("yes", "no")
_DEFAULT = "no"


@dataclass(frozen=True, slots=True)
class Ask:
    """What a task asks."""

    timeout: timedelta
    """All have one: nobody may be there to answer."""
    has_default: bool


def asking_weight(seed: int) -> int:
    """How often tasks of this seed ask, beside 93 other ends: in most seeds never."""
    return Random(f"asking {seed}").choice((0, 0, 0, 0, 6, 30))


def draw_ask(seed: int, place: str) -> Ask:
    """The same for the same place."""
    rng = Random(f"ask {seed} {place}")
    return Ask(timedelta(seconds=rng.choice((0.5, 3.0, 12.0, 40.0))), has_default=rng.random() < 0.5)


@dataclass(slots=True)
class Question:
    """One attempt's question, on its way to the database. It may arrive twice, and be answered in between."""

    attempt: AttemptKey
    asker: Asker
    try_number: int
    ask: Ask
    is_repeat: bool = False

    def put(self, tx: Transaction, now: datetime, structures: Structures, cipher: Cipher) -> bool:
        """Ask, unless the attempt does not run any more."""
        is_repeat, self.is_repeat = self.is_repeat, True
        if self.attempt not in tx.attempts.current([self.attempt]):
            return False
        runtime = StoredRuntime(tx, self.asker, now=now, structures=structures, secrets=cipher, is_repeat=is_repeat)
        own = try_id(
            self.asker.dag_id, self.asker.run_id, self.attempt.task_id, self.attempt.map_index, self.try_number
        )
        defaults = (_DEFAULT,) if self.ask.has_default else None
        runtime.upsert_hitl_detail(
            HITLDetailRequest(ti_id=str(own), options=_OPTIONS, subject=name_of(self.attempt), defaults=defaults)
        )
        return True


def some_open_question(raw: sqlite3.Connection, rng: Random) -> tuple[str, str, str, int] | None:
    """Which a person may answer: DAG, run, task, map index."""
    found = raw.execute(
        "SELECT r.dag_id, r.run_id, i.task_id, i.map_index FROM inquiry i JOIN dag_run r ON r.run_key = i.run_key"
        " WHERE i.responded_at IS NULL ORDER BY i.run_key, i.task_id, i.map_index, i.try_number"
    ).fetchall()
    return rng.choice(found) if found else None


def answer(tx: Transaction, question: tuple[str, str, str, int], who: str, now: datetime, choice: str) -> None:
    """Raises `NotFound` or `Conflict` where it comes too late."""
    dag_id, run_id, task_id, map_index = question
    task, inquiry = find_inquiry(tx, dag_id, run_id, task_id, map_index=map_index)
    by = HITLUserResult(id=who, name=who)
    answer_inquiry(tx, task, inquiry, HumanAnswer(chosen_options=(choice,), params_input={}, at=now, by=by))


class Answered:
    """What tasks that asked go on with."""

    def __init__(self, kernel: Kernel, raw: sqlite3.Connection) -> None:
        self._kernel = kernel
        self._raw = raw

    def check_begin(self, key: AttemptKey) -> None:
        """A task waits for an answer: so it has asked."""
        if self._inquiry(key) is None:
            self._kernel.fail(f"{name_of(key)} waits for a person, but asks nothing")

    def check(self, process: Process, key: AttemptKey, kwargs: Any, times_out_at: str | None) -> None:
        """It goes on with the answer that was given to it, or with none after its time is over."""
        found, event = self._inquiry(key), kwargs["event"]
        if kwargs["own"] != name_of(key):
            self._kernel.fail(f"{name_of(key)} goes on with what {kwargs['own']} kept")
        if found is None:
            self._kernel.fail(f"{name_of(key)} goes on with an answer to nothing")
            return
        chosen, by, defaults = found
        if process.kind == "scheduler":
            local = self._kernel.epoch + timedelta(seconds=self._kernel.now_s + process.offset_s)
            if times_out_at is None or local < datetime.fromisoformat(times_out_at).replace(tzinfo=UTC):
                self._kernel.fail(f"{name_of(key)} was not answered in time, but may wait until {times_out_at}")
            is_right = event.get("timedout") if defaults else event.get("error_type") == "timeout"
            if by is not None or not is_right or (defaults and event["chosen_options"] != [_DEFAULT]):
                self._kernel.fail(f"{name_of(key)} goes on with {event} after its time; {by} had answered {chosen}")
        elif by is None or event.get("chosen_options") != chosen or event["timedout"]:
            self._kernel.fail(f"{name_of(key)} goes on with {event}, but {by} answered {chosen}")

    def _inquiry(self, key: AttemptKey) -> tuple[list[str] | None, str | None, bool] | None:
        query = (
            "SELECT chosen_options, responded_by_id, defaults FROM inquiry"
            " WHERE run_key = ? AND task_id = ? AND map_index = ? AND attempt = ?"
        )
        row = self._raw.execute(query, key).fetchone()
        if row is None:
            return None
        return None if row[0] is None else json.loads(row[0]), row[1], row[2] is not None
