"""`DAG`: a set of tasks, and when they run."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tradewind.model.states import RunType
from tradewind.sdk.configuration import conf
from tradewind.sdk.dag_context import pop_dag, push_dag
from tradewind.sdk.dag_tasks import DagTasks
from tradewind.sdk.lazy_module import LazyModule
from tradewind.sdk.node import validate_key
from tradewind.sdk.notset import NOTSET, ArgNotSet
from tradewind.sdk.operator_defaults import as_utc
from tradewind.sdk.param import DagParam, ParamsDict
from tradewind.sdk.task_groups import TaskGroup
from tradewind.sdk.xcom_arg import PlainXComArg, XComArg

if TYPE_CHECKING:
    import jinja2

    from tradewind.sdk import jinja_environment as _jinja
    from tradewind.sdk import schedule as _schedules
    from tradewind.sdk.deadline import DeadlineAlert
    from tradewind.sdk.timetables import BaseTimetable
else:
    _jinja = LazyModule("tradewind.sdk.jinja_environment")
    _schedules = LazyModule("tradewind.sdk.schedule")

DagCallback = Callable[[Any], Any]
DagCallbacks = None | DagCallback | Collection[DagCallback]

MAX_TAG_LENGTH: Final = 100
_LINK: Final = re.compile(r"(https?://|mailto:)\S+")
_PACKAGE: Final = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - compared with plain file names
_NOT_ARGUMENTS: Final = frozenset({"self", "dag_id", "task_group", "sla_miss_callback"})


class DAG(DagTasks):
    """A set of tasks, and when they run.

    `with DAG("name", schedule="@daily"):` collects the tasks that are defined inside.
    """

    description: str | None
    default_args: dict[str, Any]
    start_date: datetime | None
    end_date: datetime | None
    schedule: Any
    template_searchpath: str | Iterable[str] | None
    template_undefined: type[jinja2.Undefined] | None
    user_defined_macros: dict[str, Any] | None
    user_defined_filters: dict[str, Any] | None
    max_active_tasks: int
    max_active_runs: int
    max_consecutive_failed_dag_runs: int
    dagrun_timeout: timedelta | None
    deadline: list[DeadlineAlert]
    catchup: bool
    on_success_callback: DagCallbacks
    on_failure_callback: DagCallbacks
    doc_md: str | None
    params: ParamsDict
    access_control: dict[str, Any] | None
    is_paused_upon_creation: bool | None
    jinja_environment_kwargs: dict[str, Any] | None
    render_template_as_native_obj: bool
    tags: set[str]
    owner_links: dict[str, str]
    auto_register: bool
    allowed_run_types: tuple[RunType, ...] | None
    dag_display_name: str
    disable_bundle_versioning: bool
    rerun_with_latest_version: bool | None

    def __init__(
        self,
        dag_id: str,
        *,
        description: str | None = None,
        default_args: dict[str, Any] | None = None,
        start_date: datetime | None = None,
        end_date: datetime | None = None,
        schedule: Any = None,
        template_searchpath: str | Iterable[str] | None = None,
        template_undefined: type[jinja2.Undefined] | None = None,
        user_defined_macros: dict[str, Any] | None = None,
        user_defined_filters: dict[str, Any] | None = None,
        max_active_tasks: int | ArgNotSet = NOTSET,
        max_active_runs: int | ArgNotSet = NOTSET,
        max_consecutive_failed_dag_runs: int | ArgNotSet = NOTSET,
        dagrun_timeout: timedelta | None = None,
        deadline: DeadlineAlert | list[DeadlineAlert] | None = None,
        sla_miss_callback: Any = None,
        catchup: bool | ArgNotSet = NOTSET,
        on_success_callback: DagCallbacks = None,
        on_failure_callback: DagCallbacks = None,
        doc_md: str | None = None,
        params: Mapping[str, Any] | ParamsDict | None = None,
        access_control: dict[str, Any] | None = None,
        is_paused_upon_creation: bool | None = None,
        jinja_environment_kwargs: dict[str, Any] | None = None,
        render_template_as_native_obj: bool = False,
        tags: Collection[str] = (),
        owner_links: dict[str, str] | None = None,
        auto_register: bool = True,
        fail_fast: bool = False,
        allowed_run_types: Collection[str] | str | None = None,
        dag_display_name: str | None = None,
        task_group: TaskGroup | None = None,
        disable_bundle_versioning: bool | ArgNotSet = NOTSET,
        rerun_with_latest_version: bool | None = None,
    ) -> None:
        arguments = {name: value for name, value in locals().items() if name not in _NOT_ARGUMENTS}
        validate_key(dag_id)
        if sla_miss_callback is not None:
            warnings.warn("sla_miss_callback has no effect: use DAG(deadline=...)", UserWarning, stacklevel=2)
        self.dag_id = dag_id
        self.fileloc = _file_of_caller()
        self.relative_fileloc: str | None = None
        self.task_dict = {}
        self.edge_info = {}
        self.result_task_id: str | None = None
        self.__dict__.update(arguments)
        self.task_group = task_group or TaskGroup.create_root(self)
        self._settle()

    def _settle(self) -> None:
        """Bring what authors may write in several ways into one form, and refuse what makes no sense."""
        self.default_args = dict(self.default_args or {})
        self._settle_limits()
        self._settle_dates()
        self.params = _merged_params(self.default_args.pop("params", None), self.params)
        self.tags = _checked_tags(self.tags)
        self.owner_links = _checked_links(self.owner_links or {})
        self.dag_display_name = self.dag_display_name or self.dag_id
        self.deadline = _listed(self.deadline)
        self.doc_md = self._documentation(self.doc_md)
        self.timetable: BaseTimetable = _schedules.timetable_for(self.schedule, self.timezone)
        self._settle_run_limits()

    def _settle_limits(self) -> None:
        for name, section, option, fallback in _CONFIGURED_LIMITS:
            if isinstance(getattr(self, name), ArgNotSet):
                setattr(self, name, conf.getint(section, option, fallback=fallback))
        for name, section, option in _CONFIGURED_FLAGS:
            if isinstance(getattr(self, name), ArgNotSet):
                setattr(self, name, conf.getboolean(section, option, fallback=False))
        timeout: Any = self.dagrun_timeout
        if timeout is not None and not isinstance(timeout, timedelta):
            raise TypeError(f"dagrun_timeout has to be a timedelta, not {timeout!r}")

    def _settle_dates(self) -> None:
        start: Any = self.start_date or self.default_args.get("start_date")
        start = datetime.fromisoformat(start) if isinstance(start, str) else start
        zone = start.tzinfo if start is not None and start.tzinfo is not None else default_zone()
        self.timezone: tzinfo = zone
        self.start_date = as_utc(start, zone)
        self.end_date = as_utc(self.end_date, zone)
        for name in ("start_date", "end_date"):
            if self.default_args.get(name) is not None:
                self.default_args[name] = as_utc(self.default_args[name], zone)
        if self.end_date is None:
            self.end_date = self.default_args.get("end_date")

    def _settle_run_limits(self) -> None:
        limit = self.timetable.active_runs_limit
        if limit is not None and self.max_active_runs > limit:
            raise ValueError(
                f"the schedule {self.timetable.summary!r} allows {limit} active run at most, but max_active_runs is"
                f" {self.max_active_runs}: set max_active_runs={limit}"
            )
        if self.allowed_run_types is not None:
            self.allowed_run_types = tuple(RunType(word) for word in sorted(_listed(self.allowed_run_types)))
            self._check_run_types(self.allowed_run_types)

    def _check_run_types(self, allowed: tuple[RunType, ...]) -> None:
        """A schedule whose runs are not allowed would be a schedule that never does anything."""
        if self.timetable.asset_condition is not None:
            needed = RunType.ASSET_TRIGGERED
        elif self.timetable.can_be_scheduled:
            needed = RunType.SCHEDULED
        else:
            return
        if needed not in allowed:
            raise ValueError(f"the schedule makes {needed} runs, so allowed_run_types has to contain {needed.value!r}")

    def _documentation(self, text: str | None) -> str | None:
        if text is None or not text.endswith(".md") or "\n" in text:
            return text
        path = Path(text) if Path(text).is_absolute() else Path(self.folder) / text
        return path.read_text(encoding="utf-8") if path.is_file() else text

    def __repr__(self) -> str:
        return f"<DAG: {self.dag_id}>"

    def __enter__(self) -> DAG:
        push_dag(self)
        return self

    def __exit__(self, *exc_info: object) -> None:
        pop_dag()

    @property
    def folder(self) -> str:
        """The folder of the file that defines the DAG."""
        return os.path.dirname(self.fileloc)  # noqa: PTH120 - a plain text, as templates want it

    @property
    def filepath(self) -> str:
        """The file that defines the DAG, as seen from its bundle."""
        return self.relative_fileloc or self.fileloc

    @property
    def owner(self) -> str:
        """All owners of tasks."""
        return ", ".join(dict.fromkeys(str(getattr(task, "owner", "")) for task in self.tasks))

    @property
    def has_on_success_callback(self) -> bool:
        """Whether anybody is called when a run succeeds."""
        return bool(self.on_success_callback)

    @property
    def has_on_failure_callback(self) -> bool:
        """Whether anybody is called when a run fails."""
        return bool(self.on_failure_callback)

    def param(self, name: str, default: Any = NOTSET) -> DagParam:
        """A param of the DAG as a value in the file: what the run was started with."""
        return DagParam(current_dag=self, name=name, default=default)

    def add_result(self, xcom_arg: XComArg) -> None:
        """What this task returns is the result of the whole run."""
        if not isinstance(xcom_arg, PlainXComArg):
            raise TypeError(f"the result of a DAG is what one of its tasks returns, not {xcom_arg!r}")
        if self.result_task_id not in (None, xcom_arg.operator.task_id):
            raise ValueError(f"the DAG {self.dag_id!r} has a result already: what {self.result_task_id!r} returns")
        self.result_task_id = xcom_arg.operator.task_id

    def validate(self) -> None:
        """Raise if the DAG contradicts itself."""
        self.check_cycle()
        self.timetable.validate()
        if self.timetable.can_be_scheduled and self.params:
            self.params.validate()
        if self.catchup and self.timetable.periodic and not self._has_start():
            raise ValueError(f"the DAG {self.dag_id!r} has catchup=True, so it needs a start_date to catch up from")

    def _has_start(self) -> bool:
        return self.start_date is not None or any(getattr(task, "start_date", None) for task in self.tasks)

    def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
        """The Jinja environment in which the templates of the DAG's tasks are rendered."""
        searchpath = _listed(self.template_searchpath)
        options: dict[str, Any] = {"template_undefined": self.template_undefined} if self.template_undefined else {}
        return _jinja.create_template_env(
            native=self.render_template_as_native_obj and not force_sandboxed,
            searchpath=[*searchpath, self.folder],
            jinja_environment_kwargs=self.jinja_environment_kwargs,
            user_defined_macros=self.user_defined_macros,
            user_defined_filters=self.user_defined_filters,
            **options,
        )

    def resolve_template_files(self) -> None:
        """Put the content of template files in place of their names, in every task."""
        for task in self.tasks:
            if hasattr(task, "resolve_template_files"):
                task.resolve_template_files()

    def test(
        self,
        run_after: datetime | None = None,
        logical_date: datetime | ArgNotSet | None = NOTSET,
        run_conf: dict[str, Any] | None = None,
        conn_file_path: str | None = None,
        variable_file_path: str | None = None,
        use_executor: bool = False,
        mark_success_pattern: str | None = None,
    ) -> Any:
        """Run the DAG once, in this process. Returns the run."""
        # The scheduler and the database come with it, which a DAG file that is only read must not load.
        return import_module("tradewind.testing.dag_test").run_for_author(
            self,
            run_after=run_after,
            logical_date=logical_date,
            run_conf=run_conf,
            conn_file_path=conn_file_path,
            variable_file_path=variable_file_path,
            use_executor=use_executor,
            mark_success_pattern=mark_success_pattern,
        )

    def cli(self) -> None:
        """A command line for this DAG: `if __name__ == "__main__": dag.cli()`."""
        import_module("tradewind.testing.dag_test").command_line(self)


_CONFIGURED_LIMITS: Final = (
    ("max_active_tasks", "core", "max_active_tasks_per_dag", 16),
    ("max_active_runs", "core", "max_active_runs_per_dag", 16),
    ("max_consecutive_failed_dag_runs", "core", "max_consecutive_failed_dag_runs_per_dag", 0),
)
_CONFIGURED_FLAGS: Final = (
    ("catchup", "scheduler", "catchup_by_default"),
    ("disable_bundle_versioning", "dag_processor", "disable_bundle_versioning"),
)


def default_zone() -> tzinfo:
    """The zone of dates that are written without one."""
    name = conf.get("core", "default_timezone", fallback="utc")
    if name.lower() == "utc":
        return UTC
    zone: tzinfo = import_module("zoneinfo").ZoneInfo(name)
    return zone


def _listed(value: Any) -> list[Any]:
    """One thing, several or none, as a list."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def _merged_params(default: Mapping[str, Any] | None, own: Mapping[str, Any] | ParamsDict | None) -> ParamsDict:
    if isinstance(own, ParamsDict) and not default:
        return own
    merged = dict(default or {})
    merged.update(own.items() if own else ())
    return ParamsDict(merged)


def _checked_tags(tags: Collection[str]) -> set[str]:
    for tag in tags:
        if not isinstance(tag, str):
            raise TypeError(f"a tag has to be a string, not {tag!r}")
        if len(tag) > MAX_TAG_LENGTH:
            raise ValueError(f"the tag {tag[:50]!r}… is longer than {MAX_TAG_LENGTH} characters")
    return set(tags)


def _checked_links(links: Mapping[str, str]) -> dict[str, str]:
    for owner, link in links.items():
        if _LINK.fullmatch(str(link)) is None:
            raise ValueError(f"the link of the owner {owner!r} has to be an http or mailto address, not {link!r}")
    return dict(links)


def _file_of_caller() -> str:
    """The file of the author: the nearest frame that is not ours."""
    frame = sys._getframe(1)  # noqa: SLF001 - Python's own way to ask who calls
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename
