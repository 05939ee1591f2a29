"""The life of a child: read one file, tell what it says."""

import ast
import gc
import itertools
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final, TextIO, cast

from msgspec import structs

from tradewind.compat.cluster_policies import import_timeout_s, passes, policy_folder
from tradewind.dag_files.fingerprint import hash_bytes, hash_path
from tradewind.dag_files.load import (
    LocalImports,
    compiled_files,
    members_of,
    module_name,
    run_module,
    source_text,
)
from tradewind.dag_files.observe import Observer
from tradewind.dag_processor.compile import answer_partitions, compile_dag, describe_runs, plan_runs
from tradewind.dag_processor.heuristic import might_contain_dag
from tradewind.dag_processor.parse_child.asking import AskingRuntime
from tradewind.dag_processor.parse_child.call_back import Called, call_back, tell_listeners_of_run
from tradewind.dag_processor.parse_child.explain import ReadTimeout, TimetableTimeout, explain
from tradewind.dag_processor.parse_child.meet_deadline import meet_deadline
from tradewind.dag_processor.parse_child.plugins import Send, speak_with_plugins
from tradewind.dag_processor.parse_child.schedule_check import check_schedule
from tradewind.dag_processor.parse_child.source_check import check_source, mapping_lines
from tradewind.dag_processor.parse_child.statements import run_statements
from tradewind.dag_processor.protocol import (
    VERSION_INFLATION,
    Began,
    DeadlineCall,
    Ended,
    FrameKind,
    Loaded,
    ManualInterval,
    Notice,
    ParseRequest,
    Problem,
)
from tradewind.model.dag import Dag
from tradewind.model.dag_graph import mapped_over
from tradewind.model.dag_json import encode_dag
from tradewind.model.partition_answers import PartitionQuestion, encode_answers
from tradewind.model.planned_runs import LastRun, encode_plan
from tradewind.model.timetable import DataInterval
from tradewind.runtime.clock import SystemClock
from tradewind.sdk.dag_context import collecting_dags
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import Runtime, set_process_runtime
from tradewind.sdk.secrets_masker import redact_known
from tradewind.sdk.stats import Stats
from tradewind.wire.frames import pack
from tradewind.wire.metrics import Measured
from tradewind.worker.child.metrics import TaskMetrics

_MOST_NOTICES: Final = 100
_MOST_METRICS: Final = 1_000
_CLOCK: Final = SystemClock()
_SHARED_MODULES: Final = ("airflow.", "tradewind.")

Receive = Callable[[], bytes]


@dataclass
class _Reading:
    """What was found so far."""

    request: ParseRequest
    roots: tuple[str, ...]
    dags: list[DAG] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    mapping_lines: dict[str, int] = field(default_factory=dict)
    plans: list[tuple[str, str]] = field(default_factory=list)
    answers: list[tuple[str, object]] = field(default_factory=list)
    intervals: list[ManualInterval] = field(default_factory=list)
    is_read: bool = True
    began: float = field(default_factory=_CLOCK.monotonic)

    @property
    def file(self) -> str:
        return f"{self.request.root}/{self.request.path}"

    def fail(self, error: BaseException) -> None:
        """Nothing more can be said about the file."""
        self.is_read = False
        self.problems.append(Problem(explain(error, self.roots, self.request.traceback_depth)))


def read_file(request: ParseRequest, send: Send, receive: Receive) -> None:
    """Import the file and send what it says. Uses the process up: it must end afterwards."""
    asking = AskingRuntime(send, receive)
    set_process_runtime(cast("Runtime", asking))
    measured: list[Measured] = []
    Stats.set_sink(TaskMetrics(measured.extend, hide=redact_known))
    began_ns = time.time_ns()
    roots = tuple(root.rstrip("/") for root in (request.root, request.plugins, policy_folder()) if root)
    reading = _Reading(request, roots)
    observer, imports = Observer(roots), LocalImports(roots)
    known = len(sys.modules)
    if request.asks_plugins or request.news:
        imports.install()
        _end(send, speak_with_plugins(request, send), measured)
        return
    try:
        data = _read(request, send)
        imports.install()
        observer.install()
        limit_s = import_timeout_s(reading.file, request.import_timeout_s)
        with _heard_warnings(reading), _time_limit(limit_s, ReadTimeout(limit_s)), collecting_dags() as registered:
            modules = [module for module in _run(reading, data) if module is not None]
        reading.dags = [dag for dag in _found(registered, modules) if _is_let_pass(reading, dag)]
    except BaseException as error:
        reading.fail(error)
    observer.stop()
    if request.callback is not None:
        called = Called()
        if reading.is_read:
            called = call_back(request.callback, request, reading.dags, roots, asking)
        tell_listeners_of_run(request.callback, request, reading.dags)
        problems = _cleaned([*reading.problems, *called.problems])
        _end(send, Ended(is_read=reading.is_read, problems=problems, links=called.links), measured)
        return
    if request.deadline is not None:
        _end(send, _deadline_met(reading, request.deadline), measured)
        return
    dags = _compiled(reading)
    _note_contacts(reading, observer)
    send(pack(FrameKind.LOADED, _loaded(known, imports)))
    ended = Ended(
        is_read=reading.is_read,
        dags=dags,
        plans=reading.plans,
        answers=reading.answers,
        intervals=reading.intervals,
        problems=_cleaned(reading.problems),
        notices=[structs.replace(each, message=_clean(each.message)) for each in reading.notices[:_MOST_NOTICES]],
        dependencies=_dependencies(request, {**imports.files, **dict.fromkeys(observer.paths)}, began_ns),
        is_volatile=bool(observer.contacts) or asking.has_asked,
    )
    _end(send, ended, measured)


def _end(send: Send, ended: Ended, measured: list[Measured]) -> None:
    """Its last word, with what authors' code measured."""
    sink = Stats.set_sink(None)
    if isinstance(sink, TaskMetrics):
        sink.flush()
    send(pack(FrameKind.ENDED, structs.replace(ended, metrics=measured[:_MOST_METRICS])))


def _deadline_met(reading: _Reading, call: DeadlineCall) -> Ended:
    due_at = None
    if reading.is_read:
        due_at, problems = meet_deadline(call, reading.dags, reading.roots, reading.request.traceback_depth)
        reading.problems += problems
    return Ended(is_read=reading.is_read, due_at=due_at, problems=_cleaned(reading.problems))


def _cleaned(problems: Sequence[Problem]) -> list[Problem]:
    return [structs.replace(each, message=_clean(each.message)) for each in problems]


def _clean(text: str) -> str:
    """Authors' errors may hold anything: the secrets they asked for, and what is no text and could not be sent."""
    return redact_known(text).encode("utf-8", "replace").decode()


def _read(request: ParseRequest, send: Send) -> bytes:
    data = Path(request.root, request.path).read_bytes()
    source = "" if request.path.endswith(".zip") else source_text(data)
    send(pack(FrameKind.BEGAN, Began(content_hash=hash_bytes(data), source=source)))
    return data


def _run(reading: _Reading, data: bytes) -> Iterator[ModuleType | None]:
    """Each module of the file, imported; a zip file may have several."""
    request = reading.request
    is_zip = request.path.endswith(".zip")
    if is_zip:
        sys.path.insert(0, reading.file)
    for file, content in members_of(Path(reading.file), data):
        if is_zip and request.safe_mode and not might_contain_dag(content):
            continue
        name = module_name(request.bundle, file.removeprefix(f"{request.root}/"))
        tree = ast.parse(content, file)
        notices = check_source(tree)
        reading.notices += [each for each in notices if request.checks_inflation or each.kind != VERSION_INFLATION]
        reading.mapping_lines |= mapping_lines(tree)
        if request.measures:
            module, slow = run_statements(name, file, tree)
            reading.notices += slow
            yield module
        else:
            yield run_module(name, file, compile(tree, file, "exec", dont_inherit=True))


def _found(registered: Sequence[DAG], modules: Sequence[ModuleType]) -> list[DAG]:
    """DAGs that showed themselves, and those that a name of the module refers to."""
    named = (value for module in modules for value in vars(module).values() if isinstance(value, DAG))
    return list({id(dag): dag for dag in (*registered, *named)}.values())


def _is_let_pass(reading: _Reading, dag: DAG) -> bool:
    """Policies may leave out one DAG of a file, or refuse it, and nothing else."""
    try:
        return passes(dag)
    except Exception as error:
        message = explain(error, reading.roots, reading.request.traceback_depth)
        reading.problems.append(Problem(message, str(dag.dag_id)))
        return False


def _compiled(reading: _Reading) -> list[str]:
    texts = []
    for dag in reading.dags:
        dag_id = str(dag.dag_id)
        try:
            compiled = compile_dag(dag)
            limit_s = _time_for_timetable(reading)
            with _time_limit(limit_s, TimetableTimeout(_name_of_timetable(dag), limit_s)):
                _ask_author(reading, dag, compiled)
            texts.append(encode_dag(compiled))
            reading.notices += _unbounded(compiled, reading.mapping_lines)
            reading.notices += check_schedule(compiled)
        except (Exception, SystemExit, RecursionError, MemoryError, TimetableTimeout) as error:
            message = explain(error, reading.roots, reading.request.traceback_depth)
            reading.problems.append(Problem(message, dag_id))
    return texts


def _ask_author(reading: _Reading, dag: DAG, compiled: Dag) -> None:
    """What only timetables and mappers of the author's own can say."""
    dag_id = compiled.dag_id
    last_run = _last_run(reading.request, dag_id)
    plan = plan_runs(dag.timetable, compiled, last_run, now=_CLOCK.now(), monotonic=_CLOCK.monotonic)
    questions = [PartitionQuestion(*each[1:]) for each in reading.request.questions if each[0] == dag_id]
    answers = _answers(dag.timetable, compiled, questions) if questions else None
    intervals = list(_intervals(reading.request, dag.timetable, compiled))
    # All or nothing: what is asked last may fail, or not return.
    if plan is not None:
        reading.plans.append((dag_id, encode_plan(plan)))
    if answers is not None:
        reading.answers.append((dag_id, answers))
    reading.intervals += intervals


def _time_for_timetable(reading: _Reading) -> float:
    """As long as a file may take to be imported; but the process has to tell of it before it is ended itself."""
    left = max(1.0, 0.9 * reading.request.timeout_s - (_CLOCK.monotonic() - reading.began))
    return min(reading.request.import_timeout_s or left, left)


def _name_of_timetable(dag: DAG) -> str:
    """Beside assets, that of the timetable within."""
    return type(getattr(dag.timetable, "timetable", dag.timetable)).__name__


def _answers(timetable: object, compiled: Dag, questions: Sequence[PartitionQuestion]) -> object:
    answers = answer_partitions(timetable, compiled, questions)
    keys = (replace(each, error=None if each.error is None else _clean(each.error)) for each in answers.keys)
    return encode_answers(replace(answers, keys=tuple(keys)))


def _intervals(request: ParseRequest, timetable: object, compiled: Dag) -> Iterator[ManualInterval]:
    asked = dict.fromkeys(about for dag_id, about in request.asked_runs if dag_id == compiled.dag_id)
    for said in describe_runs(timetable, compiled, asked):
        yield ManualInterval(
            dag_id=said.dag_id,
            about=said.about,
            interval=None if said.interval is None else (said.interval.start, said.interval.end),
            partition_date=said.partition_date,
            error=_clean(said.error),
        )


def _last_run(request: ParseRequest, dag_id: str) -> LastRun | None:
    for known in request.last_runs:
        if known.dag_id == dag_id:
            interval = None if known.data_interval is None else DataInterval(*known.data_interval)
            return LastRun(dag_id, known.run_after, interval, known.partition_key, known.partition_date)
    return None


def _unbounded(dag: Dag, lines: dict[str, int]) -> Iterator[Notice]:
    for task in dag.tasks:
        is_limited = task.max_active_per_dag is not None or task.max_active_per_run is not None
        if task.mapping is None or is_limited:
            continue
        for source in mapped_over(task.mapping):
            message = (
                f"task {task.task_id!r} gets as many copies as {source!r} returns items, all of which may run at once:"
                " set max_active_tis_per_dagrun"
            )
            line = lines.get(task.task_id) or lines.get(task.task_id.rpartition(".")[2])
            yield Notice("unbounded_mapping", message, line, dag.dag_id)
            break


def _note_contacts(reading: _Reading, observer: Observer) -> None:
    for what, file, line in observer.contacts:
        message = f"the file {what} while it is read, which happens again and again: do it inside a task"
        other = None if file.startswith(reading.file) else file
        reading.notices.append(Notice("top_level_io", message, line, file=other))


def _loaded(known: int, imports: LocalImports) -> Loaded:
    # Backwards, and only the new ones: to touch a name of each module is to copy the page that it is on.
    new = list(itertools.islice(reversed(sys.modules), max(0, len(sys.modules) - known)))
    shared = [name for name in reversed(new) if name.startswith(_SHARED_MODULES) and not imports.has(name)]
    files = [(path, content_hash) for path, content_hash in imports.files.items() if content_hash]
    return Loaded(modules=shared, files=[item for item in files if item not in compiled_files])


def _dependencies(request: ParseRequest, paths: dict[str, str | None], began_ns: int) -> list[tuple[str, str]]:
    """What the file depends on, without itself: relative to the bundle, where it is in it."""
    root = f"{request.root}/"
    own = f"{root}{request.path}"
    return sorted(
        (
            path.removeprefix(root),
            hash_path(path, unchanged_since_ns=began_ns) if content_hash is None else content_hash,
        )
        for path, content_hash in paths.items()
        if path != own and _clean(path) == path
    )


@contextmanager
def _heard_warnings(reading: _Reading) -> Iterator[None]:
    """Python's warnings become notices, with their line."""

    def hear(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,  # noqa: ARG001 - the signature is Python's
        line: str | None = None,  # noqa: ARG001
    ) -> None:
        if filename.startswith(reading.roots):
            kind = "deprecated" if issubclass(category, DeprecationWarning | FutureWarning) else "warning"
            other = None if filename == reading.file else filename
            reading.notices.append(Notice(kind, str(message), lineno, file=other))

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = hear
        yield


@contextmanager
def _time_limit(seconds: float, error: BaseException) -> Iterator[None]:
    def too_long(_signal: int, _frame: FrameType | None) -> None:
        raise error

    if seconds <= 0:
        yield
        return
    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def use_less_time_for_rubbish() -> None:
    """A child lives for milliseconds: cycles are rarely worth looking for."""
    gc.set_threshold(50_000, 20, 20)
