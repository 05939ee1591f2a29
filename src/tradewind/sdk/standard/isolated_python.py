"""What the operators that run a function in another interpreter have in common."""

import inspect
import os
import sys
import types
from collections import ChainMap
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module, metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal

from tradewind.sdk.context import Context, whole
from tradewind.sdk.exceptions import AirflowException, AirflowSkipException
from tradewind.sdk.standard.bash import exit_codes
from tradewind.sdk.standard.environments import Environment, inspect_environment
from tradewind.sdk.standard.exceptions import DeserializingResultError
from tradewind.sdk.standard.isolated_script import function_source, plain_dates, write_python_script
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.standard.subprocess_hook import SubprocessHook

Serializer = Literal["pickle", "cloudpickle", "dill"]
SERIALIZERS: tuple[Serializer, ...] = ("pickle", "cloudpickle", "dill")


class IsolatedPythonOperator(PythonOperator):
    """Runs the source of a function, so the function must not use names from outside of it.

    Of the context it gets what can be taken along: texts, numbers, params and dates always, and the objects of
    Tradewind where the same version of Tradewind is installed in the other environment.
    """

    BASE_SERIALIZABLE_CONTEXT_KEYS: ClassVar[frozenset[str]] = frozenset(
        {
            "ds",
            "ds_nodash",
            "expanded_ti_count",
            "params",
            "partition_key",
            "run_id",
            "task_instance_key_str",
            "task_reschedule_count",
            "templates_dict",
            "test_mode",
            "ts",
            "ts_nodash",
            "ts_nodash_with_tz",
        }
    )
    PENDULUM_SERIALIZABLE_CONTEXT_KEYS: ClassVar[frozenset[str]] = frozenset(
        {
            "data_interval_end",
            "data_interval_start",
            "logical_date",
            "partition_date",
            "prev_data_interval_end_success",
            "prev_data_interval_start_success",
            "prev_end_date_success",
            "prev_start_date_success",
        }
    )
    AIRFLOW_SERIALIZABLE_CONTEXT_KEYS: ClassVar[frozenset[str]] = frozenset(
        {"dag", "dag_run", "inlets", "macros", "outlets", "task", "triggering_asset_events"}
    )

    _context: Context | None = None

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        serializer: Serializer | None = None,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        string_args: Iterable[str] | None = None,
        templates_dict: dict[str, Any] | None = None,
        templates_exts: Sequence[str] | None = None,
        expect_airflow: bool = True,
        skip_on_exit_code: int | Container[int] | None = None,
        env_vars: dict[str, str] | None = None,
        inherit_env: bool = True,
        **kwargs: Any,
    ) -> None:
        name = type(self).__name__
        if not isinstance(python_callable, types.FunctionType) or python_callable.__name__ == "<lambda>":
            raise ValueError(f"{name} needs a function that is defined with `def`, not {python_callable!r}")
        if inspect.isgeneratorfunction(python_callable) or inspect.isasyncgenfunction(python_callable):
            raise ValueError(f"{name} cannot run {python_callable.__name__!r}, because it uses `yield`")
        if serializer is not None and serializer not in SERIALIZERS:
            raise AirflowException(f"{name} has serializer {serializer!r}; use one of {', '.join(SERIALIZERS)}")
        super().__init__(
            python_callable=python_callable,
            op_args=op_args,
            op_kwargs=op_kwargs,
            templates_dict=templates_dict,
            templates_exts=templates_exts,
            **kwargs,
        )
        self.string_args = list(string_args or ())
        self.serializer: Serializer = serializer or "pickle"
        self.expect_airflow = expect_airflow
        self.skip_on_exit_code = exit_codes(skip_on_exit_code)
        self.env_vars = env_vars
        self.inherit_env = inherit_env

    @property
    def is_async(self) -> bool:
        """Never here: the other interpreter awaits the function."""
        return False

    @property
    def pickling_library(self) -> Any:
        """The module that turns arguments and result into bytes."""
        try:
            return import_module(self.serializer)
        except ModuleNotFoundError as missing:
            raise AirflowException(
                f"serializer {self.serializer!r} is not installed here: pip install {self.serializer}"
            ) from missing

    @cached_property
    def subprocess_hook(self) -> SubprocessHook:
        """What runs the other interpreter."""
        return SubprocessHook()

    def get_python_source(self) -> str:
        """The source of the function."""
        return function_source(self.python_callable)

    def on_kill(self) -> None:
        """Ask the other interpreter to end."""
        self.subprocess_hook.send_sigterm()

    def _prepare_call(self, context: Context) -> None:
        # What can be passed depends on the other environment, which may yet have to be built.
        self._context = whole(context)

    def _call_in(self, python: Path) -> Any:
        """Run the function there and return what it returned."""
        environment = inspect_environment(str(python))
        translate_dates = environment.pendulum_major != _own_pendulum_major()
        own_arguments = self.op_kwargs
        self.op_kwargs = self.determine_kwargs(ChainMap(dict(own_arguments), self._context_for(environment)))
        self._check_versions(environment)
        with TemporaryDirectory(prefix="tradewind-call-") as folder:
            files = {name: Path(folder) / name for name in ("script.py", "in", "out", "string_args", "error")}
            files["in"].write_bytes(self._pickled(own_arguments, translate_dates))
            files["string_args"].write_text("\n".join(map(str, self.string_args)))
            self._write_script(files["script.py"], translate_dates)
            self._run(python, files)
            return self._read_result(files["out"])

    def _context_for(self, environment: Environment) -> dict[str, Any]:
        keys = self.BASE_SERIALIZABLE_CONTEXT_KEYS | self.PENDULUM_SERIALIZABLE_CONTEXT_KEYS
        if environment.tradewind == metadata.version("tradewind"):
            keys |= self.AIRFLOW_SERIALIZABLE_CONTEXT_KEYS
            # With these goes the whole DAG file, which a function that only takes `**kwargs` did not ask for.
            keys -= {"dag", "task"} - set(inspect.signature(self.python_callable).parameters)
        elif self.expect_airflow:
            self.log.info(
                "The environment has no Tradewind of this version, so the function gets no objects of the context"
            )
        context: dict[str, Any] = {**(self._context or {})}
        passed = {key: value for key, value in context.items() if key in keys}
        if "params" in passed:
            passed["params"] = dict(passed["params"])
        if self.templates_dict:
            passed["templates_dict"] = self.templates_dict
        return passed

    def _check_versions(self, environment: Environment) -> None:
        if environment.python[0] != sys.version_info.major and (self.op_args or self.op_kwargs):
            raise AirflowException(
                f"task {self.task_id!r} passes arguments from Python {sys.version_info.major} to Python"
                f" {environment.python[0]}, which cannot read them: use string_args"
            )

    def _pickled(self, own_arguments: Mapping[str, Any], translate_dates: bool) -> bytes:
        if translate_dates:
            self.op_args, self.op_kwargs = plain_dates(tuple(self.op_args)), plain_dates(dict(self.op_kwargs))
        try:
            return self._dumps({"args": list(self.op_args), "kwargs": dict(self.op_kwargs)})
        except Exception as failure:
            stubborn = {name for name, value in self.op_kwargs.items() if not self._can_pickle(value)}
            wanted = set(own_arguments) | set(inspect.signature(self.python_callable).parameters)
            if not stubborn or stubborn & wanted:
                which = sorted(stubborn & wanted) or "in op_args"
                raise AirflowException(
                    f"arguments {which} of task {self.task_id!r} cannot be passed to another interpreter with"
                    f" {self.serializer}: {failure}; pass texts, numbers or collections of them"
                ) from failure
        # A function with `**kwargs` gets whatever can be passed.
        self.log.info("These context values stay here, because they cannot be pickled: %s", sorted(stubborn))
        self.op_kwargs = {name: value for name, value in self.op_kwargs.items() if name not in stubborn}
        return self._dumps({"args": list(self.op_args), "kwargs": self.op_kwargs})

    def _dumps(self, value: Any) -> bytes:
        dumped: bytes = self.pickling_library.dumps(value)
        return dumped

    def _can_pickle(self, value: Any) -> bool:
        # Pickling runs code of the value's own class, which may fail in any way.
        try:
            self._dumps(value)
        except Exception:
            return False
        return True

    def _write_script(self, file: Path, translate_dates: bool) -> None:
        function = self.python_callable
        in_dag_file = self.dag is not None and inspect.getfile(function) == self.dag.fileloc
        values = {
            "op_args": self.op_args,
            "op_kwargs": self.op_kwargs,
            "pickling_library": self.serializer,
            "python_callable": function.__name__,
            "python_callable_source": self.get_python_source(),
            "pendulum_version_mismatch": translate_dates,
            "modified_dag_module_name": function.__module__ if in_dag_file else None,
        }
        write_python_script(values, str(file))

    def _run(self, python: Path, files: Mapping[str, Path]) -> None:
        command = [str(python), *(str(files[name]) for name in ("script.py", "in", "out", "string_args", "error"))]
        # Where the worker is, not a temporary folder: functions open files by relative paths.
        result = self.subprocess_hook.run_command(command, self._environment_variables(), cwd=str(Path.cwd()))
        if result.exit_code in self.skip_on_exit_code:
            raise AirflowSkipException(f"the function ended with exit code {result.exit_code}, which means skip")
        if result.exit_code != 0:
            error = files["error"].read_text() if files["error"].exists() else "its output is in the log"
            raise AirflowException(
                f"the function of task {self.task_id!r} ended with exit code {result.exit_code}: {error}"
            )

    def _environment_variables(self) -> dict[str, str] | None:
        bundle = getattr((self._context or {}).get("ti"), "bundle_instance", None)
        if self.inherit_env and not self.env_vars and bundle is None:
            return None
        env = dict(os.environ) if self.inherit_env else {}  # noqa: TID251 - the function inherits the worker's
        env.update(self.env_vars or {})
        if bundle is not None:
            # Modules that lie beside the DAG files can be imported there too.
            env["PYTHONPATH"] = os.pathsep.join(filter(None, [env.get("PYTHONPATH"), str(bundle.path)]))
        return env

    def _read_result(self, file: Path) -> Any:
        if not file.exists() or file.stat().st_size == 0:
            return None
        try:
            return self.pickling_library.loads(file.read_bytes())
        except Exception as failure:
            raise DeserializingResultError from failure


def _own_pendulum_major() -> int:
    return int(metadata.version("pendulum").split(".")[0])
