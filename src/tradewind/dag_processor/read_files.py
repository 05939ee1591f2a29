"""Duty: have the files read that must be, and store what they say."""

import socket
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

import msgspec

from tradewind.dag_files.fingerprint import hash_bytes
from tradewind.dag_processor.outcome import to_parse
from tradewind.dag_processor.protocol import KnownRun, Outcome, ParseRequest
from tradewind.dag_processor.state import ProcessorState, Reading
from tradewind.dag_processor.tracked_bundle import TrackedBundle, TrackedFile, problem_hash
from tradewind.errors import DatabaseError
from tradewind.model.dag_file import DagFile, DagProblem, FileKey, FileParse
from tradewind.model.manual_interval import IntervalQuestion
from tradewind.model.planned_runs import LastRun
from tradewind.operations.ask_mappers import questions_in
from tradewind.operations.claim_files import Claims, claim_files
from tradewind.operations.plan_runs import last_runs_in
from tradewind.operations.publish_files import CheckedFile, PublishReport, check_file, publish_files, remove_files
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import FileFailed
from tradewind.telemetry.measurements import FileRead

LEASE_S: Final = 10.0
"""How long a file stays in the hands of a processor that says nothing."""
HELD_S: Final = 1.0
"""How soon to ask again for a file that another processor has."""
_IN_FLIGHT_EACH: Final = 16
"""How many files wait or are read for each process: enough to keep it busy while others are stored."""
_SLOW_MS: Final = 2_000
PUT_OFF_S: Final = 60.0
_MOST_STORED: Final = 200
_ENOUGH_STORED: Final = 64
GATHER_S: Final = 0.25
"""How long to gather results before they are stored, while more are on their way."""


def start_reading(state: ProcessorState) -> int:
    """Claim files and hand them to the children, as many as keep them busy. Returns how many were taken care of."""
    capacity = _IN_FLIGHT_EACH * state.settings.dag_processor.parsing_processes
    room = capacity - state.pool.in_flight
    if room < capacity // 2:
        return 0  # many at a time, or every file would cost a transaction
    now = state.clock.monotonic()
    wanted = [(bundle, tracked) for bundle in state.bundles for tracked in bundle.to_read(now)]
    if not wanted:
        return 0
    _give_keys(state, wanted)
    chosen = _chosen(state, [each for each in wanted if each[1].key is not None], room)
    by_key = {tracked.stored.key: (bundle, tracked) for bundle, tracked in chosen if tracked.stored is not None}
    if not by_key:
        return 0
    claims, asked = state.store.transact(lambda tx: _claim_with_questions(state, tx, by_key))
    _act_on(state, claims, asked, by_key, now)
    return len(by_key)


class _Asked(NamedTuple):
    """What code of authors' own is asked when its file is read."""

    last_runs: dict[FileKey, list[LastRun]]
    questions: dict[FileKey, list[tuple[str, str, str]]]
    intervals: dict[FileKey, list[IntervalQuestion]]


def _claim_with_questions(
    state: ProcessorState, tx: Transaction, by_key: dict[FileKey, tuple[TrackedBundle, TrackedFile]]
) -> tuple[Claims, _Asked]:
    claims = _claim(state, tx, by_key)
    keys = [file.key for file in claims.claimed]
    return claims, _Asked(last_runs_in(tx, keys), questions_in(tx, keys), tx.plans.ask(keys, state.clock.now()))


def _act_on(
    state: ProcessorState,
    claims: Claims,
    asked: _Asked,
    by_key: dict[FileKey, tuple[TrackedBundle, TrackedFile]],
    now: float,
) -> None:
    """Read what was claimed, and note what became of the others."""
    claimed = {file.key for file in claims.claimed}
    for key, each in by_key.items():  # in the order that was chosen, not in that of the locks
        if key in claimed:
            _submit(state, *each, key, asked)
    for file in claims.settled:
        by_key[file.key][0].settle(by_key[file.key][1], file)
    for file in claims.held:
        by_key[file.key][1].not_before = now + HELD_S
    for key in claims.missing:
        by_key[key][1].stored = None


def take_outcome(state: ProcessorState, outcome: Outcome) -> None:
    """Check what a child has brought."""
    reading = state.readings.pop(outcome.number)
    if state.hub.measures:
        name = reading.file.name
        state.hub.emit(FileRead(name.bundle, name.path, outcome.duration_ms / 1000, outcome.is_timed_out))
    try:
        checked = check_file(_parse_of(state, outcome, reading), state.executors)
    except Exception:
        _put_off(state, reading.bundle, reading.file)
        raise
    state.add_finished(reading.bundle, checked)


def store_results(state: ProcessorState) -> int:
    """Store what was checked. Returns how many files."""
    batch = state.finished[:_MOST_STORED]
    is_enough = len(batch) >= _ENOUGH_STORED or state.pool.in_flight == 0
    if not batch or not (is_enough or state.clock.monotonic() >= state.finished_since + GATHER_S):
        return 0
    try:
        _store(state, batch)
    except DatabaseError:
        raise
    except Exception:
        # Something about one of them cannot be stored: the others must not wait for it.
        for each in batch:
            try:
                _store(state, [each])
            except DatabaseError:
                raise
            except Exception as error:
                _give_up(state, each, error)
    return len(batch)


def _store(state: ProcessorState, batch: Sequence[tuple[TrackedBundle, CheckedFile]]) -> None:
    now = state.clock.now()
    paused = state.settings.core.dags_are_paused_at_creation
    files = [file for _, file in batch]
    report = state.store.transact(
        lambda tx: publish_files(tx, files, state.job, now, is_paused_by_default=paused, cipher=state.cipher)
    )
    stored = {id(file) for file in files}
    state.finished = [each for each in state.finished if id(each[1]) not in stored]
    lost = set(report.lost)
    for bundle, file in batch:
        _note(state, bundle, file, is_lost=file.parse.key in lost)
    read_again(state, report.requested)


def _give_up(state: ProcessorState, each: tuple[TrackedBundle, CheckedFile], error: Exception) -> None:
    bundle, file = each
    state.finished = [other for other in state.finished if other is not each]
    tracked = bundle.files.get(file.parse.name.path)
    if tracked is not None:
        _put_off(state, bundle, tracked)
    message = f"what the file says cannot be stored: {type(error).__name__}: {error}"
    state.hub.emit(FileFailed(*file.parse.name, message))


def _put_off(state: ProcessorState, bundle: TrackedBundle, tracked: TrackedFile) -> None:
    """A file that could not be dealt with, for a reason of our own, is tried again later."""
    tracked.is_being_read = False
    tracked.not_before = state.clock.monotonic() + PUT_OFF_S
    bundle.dirty.add(tracked.name.path)


def remove_gone(state: ProcessorState) -> int:
    """Files that are no longer there, with their DAGs. Returns how many."""
    count = 0
    for bundle in state.bundles:
        reading = {reading.file.name.path for reading in state.readings.values() if reading.bundle is bundle}
        paths = bundle.gone - reading  # what is being read may have been read before it went
        if not paths:
            continue
        keys = [tracked.key for path in paths if (tracked := bundle.files.get(path)) and tracked.key is not None]
        report = PublishReport() if not keys else _remove(state, keys)
        bundle.forget(paths)
        read_again(state, report.requested)
        count += len(paths)
    return count


def read_again(state: ProcessorState, keys: Iterable[FileKey]) -> None:
    """Have stored files read again, changed or not."""
    wanted = set(keys)
    if not wanted:
        return
    for bundle in state.bundles:
        for path, tracked in bundle.files.items():
            if tracked.key in wanted:
                tracked.is_forced = True
                tracked.not_before = 0.0
                bundle.dirty.add(path)


def renew_claims(state: ProcessorState) -> None:
    """Say that what was claimed is still being read."""
    readings = [reading.file.key for reading in state.readings.values() if reading.file.key is not None]
    keys = [*readings, *(file.parse.key for _, file in state.finished)]
    if keys:
        until = state.clock.now() + timedelta(seconds=LEASE_S)
        state.store.transact(lambda tx: tx.files.renew(keys, state.job, until))


def _remove(state: ProcessorState, keys: Sequence[FileKey]) -> PublishReport:
    return state.store.transact(lambda tx: remove_files(tx, keys))


def _give_keys(state: ProcessorState, wanted: Sequence[tuple[TrackedBundle, TrackedFile]]) -> None:
    """Files that are new get their number. All of them at once: each time the whole bundle is read."""
    new = {bundle.name: bundle for bundle, tracked in wanted if tracked.stored is None}
    if not new:
        return
    names = [tracked.name for _, tracked in wanted if tracked.stored is None]

    def add(tx: Transaction) -> list[DagFile]:
        tx.files.add(names)
        return [file for bundle in new for file in tx.files.of_bundle(bundle)]

    for file in state.store.transact(add):
        tracked = new[file.name.bundle].files.get(file.name.path)
        if tracked is not None and tracked.stored is None:
            tracked.stored = file


def _chosen(
    state: ProcessorState, wanted: list[tuple[TrackedBundle, TrackedFile]], room: int
) -> list[tuple[TrackedBundle, TrackedFile]]:
    """The next ones in their order. Files that are known to take long never take all processes: an edit would wait."""
    slow_now = sum(_is_slow(reading.file) for reading in state.readings.values())
    slow_room = max(1, state.settings.dag_processor.parsing_processes - 1) - slow_now
    chosen: list[tuple[TrackedBundle, TrackedFile]] = []
    for each in _in_order(state, wanted):
        if _is_slow(each[1]):
            if slow_room <= 0:
                continue
            slow_room -= 1
        chosen.append(each)
        if len(chosen) == room:
            break
    return chosen


def _is_slow(tracked: TrackedFile) -> bool:
    stored = tracked.stored
    return stored is not None and stored.duration_ms is not None and stored.duration_ms >= _SLOW_MS


def _in_order(
    state: ProcessorState, wanted: list[tuple[TrackedBundle, TrackedFile]]
) -> list[tuple[TrackedBundle, TrackedFile]]:
    """By `file_parsing_sort_mode`: what was written last first, by name, or in an order of this machine's own."""
    match state.settings.dag_processor.file_parsing_sort_mode:
        case "modified_time":
            return sorted(wanted, key=lambda each: (-_mtime_ns(*each), each[1].name))
        case "random_seeded_by_host":
            host = socket.gethostname()
            return sorted(wanted, key=lambda each: hash_bytes(f"{host}/{'/'.join(each[1].name)}".encode()))
        case _:
            return sorted(wanted, key=lambda each: each[1].name)


def _mtime_ns(bundle: TrackedBundle, tracked: TrackedFile) -> int:
    return 0 if bundle.folder is None else bundle.folder.mtime_ns(tracked.name.path)


def _claim(state: ProcessorState, tx: Transaction, by_key: dict[FileKey, tuple[TrackedBundle, TrackedFile]]) -> Claims:
    def is_current(file: DagFile) -> bool:
        bundle, tracked = by_key[file.key]
        if tracked.is_forced:
            # Somebody else may have had the same thought.
            known = None if tracked.stored is None else tracked.stored.parsed_at
            return file.parsed_at is not None and known is not None and file.parsed_at > known
        return file.parsed_at is not None and bundle.is_current(file)

    return claim_files(tx, by_key, state.job, state.clock.now(), lease_s=LEASE_S, is_current=is_current)


def _known_run(run: LastRun) -> KnownRun:
    interval = run.data_interval
    known = None if interval is None else (interval.start, interval.end)
    return KnownRun(
        dag_id=run.dag_id,
        run_after=run.run_after,
        data_interval=known,
        partition_key=run.partition_key,
        partition_date=run.partition_date,
    )


def _submit(
    state: ProcessorState,
    bundle: TrackedBundle,
    tracked: TrackedFile,
    key: FileKey,
    asked: _Asked,
) -> None:
    assert bundle.folder is not None
    assert tracked.stored is not None
    path = tracked.name.path
    if tracked.problem is not None:
        parse = FileParse(
            tracked.stored.key,
            tracked.name,
            content_hash=problem_hash(tracked.problem),
            source="",
            environment=bundle.environment,
            is_read=False,
            problems=(DagProblem(tracked.problem),),
        )
        tracked.is_being_read = True
        state.add_finished(bundle, check_file(parse))
        return
    request = msgspec.structs.replace(
        make_request(state, bundle, path),
        last_runs=[_known_run(run) for run in asked.last_runs.get(key, ())],
        questions=asked.questions.get(key, []),
        asked_runs=[(each.dag_id, each.about) for each in asked.intervals.get(key, ())],
    )
    reading = Reading(bundle, tracked, request, bundle.folder.content_hash(path), bundle.version)
    tracked.is_being_read = True
    state.readings[request.number] = reading
    state.pool.submit(request)


def make_request(state: ProcessorState, bundle: TrackedBundle, path: str) -> ParseRequest:
    """How a file is to be read."""
    assert bundle.folder is not None
    core, settings = state.settings.core, state.settings.dag_processor
    return ParseRequest(
        number=state.pool.next_number(),
        bundle=bundle.name,
        root=str(bundle.folder.root),
        path=path,
        plugins=str(state.settings.plugins_folder),
        import_timeout_s=core.dagbag_import_timeout,
        timeout_s=settings.dag_file_processor_timeout,
        memory_limit_mb=settings.parsing_memory_limit_mb,
        traceback_depth=core.dagbag_import_error_traceback_depth if core.dagbag_import_error_tracebacks else 0,
        safe_mode=core.dag_discovery_safe_mode,
        checks_inflation=settings.dag_version_inflation_check_level != "off",
    )


def _parse_of(state: ProcessorState, outcome: Outcome, reading: Reading) -> FileParse:
    assert reading.file.key is not None
    return to_parse(
        outcome,
        reading.request,
        key=reading.file.key,
        environment=reading.bundle.environment,
        bundle_version=reading.version,
        known_hash=reading.content_hash,
        forbids_inflation=state.settings.dag_processor.dag_version_inflation_check_level == "error",
    )


def _note(state: ProcessorState, bundle: TrackedBundle, file: CheckedFile, *, is_lost: bool) -> None:
    """Remember what was stored; what could not be, because another processor took the file over, is asked for again."""
    now = state.clock.monotonic()
    tracked = bundle.files.get(file.parse.name.path)
    if tracked is None:
        return
    if is_lost:
        tracked.is_being_read = False
        tracked.not_before = now + HELD_S
        bundle.dirty.add(tracked.name.path)
        return
    bundle.published(file.parse, has_error=bool(file.problems), now=state.clock.now())
    settings = state.settings.dag_processor
    bundle.plan_retry(tracked, now, settings.min_file_process_interval, settings.refresh_interval)
