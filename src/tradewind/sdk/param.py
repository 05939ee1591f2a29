"""Params: values of a DAG that each run may bring anew, checked by a JSON schema.

`Param` is one value with its schema, `ParamsDict` all of a DAG or task, `DagParam` a reference to one inside the file.
"""

import copy
import json
from collections.abc import ItemsView, Iterable, Iterator, Mapping, MutableMapping, ValuesView
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tradewind.sdk.configuration import conf
from tradewind.sdk.exceptions import ParamValidationError
from tradewind.sdk.notset import NOTSET, is_arg_set
from tradewind.sdk.xcom_arg import ResolveMixin

if TYPE_CHECKING:
    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.context import Context
    from tradewind.sdk.dags import DAG

Source = Literal["dag", "task"]

# The name under which clients of the REST API know params.
_KNOWN_AS = "airflow.sdk.definitions.param.Param"


class Param:
    """A value and what it may be. Without a default it has to be given for each run.

    Every further argument is a keyword of JSON schema (`type`, `enum`, `minimum`, `format`, ...) or a hint for the form
    in the UI (`section`, `values_display`, ...); `schema=` gives all of them at once.
    """

    __version__: ClassVar[int] = 1
    CLASS_IDENTIFIER: ClassVar[str] = "__class"

    def __init__(
        self, default: Any = NOTSET, description: str | None = None, source: Source | None = None, **kwargs: Any
    ) -> None:
        if is_arg_set(default):
            _require_json(default)
        self.value = default
        self.description = description
        self.schema: dict[str, Any] = kwargs.pop("schema") if "schema" in kwargs else kwargs
        self.source = source

    def resolve(self, value: Any = NOTSET, suppress_exception: bool = False) -> Any:
        """The value, checked; a given one replaces it. With `suppress_exception`, `None` for what is not allowed."""
        final = value if is_arg_set(value) else self.value
        try:
            self._check(final)
        except ParamValidationError:
            if suppress_exception:
                return None
            raise
        self.value = final
        return final

    def _check(self, value: Any) -> None:
        if not is_arg_set(value):
            raise ParamValidationError("no value was given, and the param has no default")
        _require_json(value)
        if not self.schema:
            return
        # The validator is a library that a file without schemas has no use for.
        problem = import_module("tradewind.param_schema").problem_with(value, self.schema)
        if problem is not None:
            raise ParamValidationError(problem)

    @property
    def has_value(self) -> bool:
        """Whether it has a value other than `None`."""
        return is_arg_set(self.value) and self.value is not None

    def dump(self) -> dict[str, Any]:
        """All that is to be known, for forms and clients. A missing default is shown as null."""
        path = _KNOWN_AS if type(self) is Param else f"{type(self).__module__}.{type(self).__name__}"
        shown = vars(self) | {"value": self.value if is_arg_set(self.value) else None}
        return {self.CLASS_IDENTIFIER: path, **shown}

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs."""
        return {"value": self.value, "description": self.description, "schema": self.schema, "source": self.source}

    @staticmethod
    def deserialize(data: dict[str, Any], version: int) -> "Param":
        """The param again."""
        if version > Param.__version__:
            raise TypeError(f"the param was stored in version {version}, but this Tradewind reads {Param.__version__}")
        return Param(data["value"], data["description"], data.get("source"), schema=data["schema"])

    def __copy__(self) -> "Param":
        return Param(self.value, self.description, self.source, schema=self.schema)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    # Its value changes.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Param({self.value!r}, schema={self.schema!r})"


def param_from_value(value: Any) -> Param:
    """The param itself, or one whose default is the value."""
    return value if isinstance(value, Param) else Param(value)


class ParamsDict(MutableMapping[str, Any]):
    """All params of a DAG or task. Reading one gives its checked value; writing one checks against its schema.

    With `suppress_exception`, what is not allowed reads as `None`.
    """

    __version__: ClassVar[int] = 1
    __slots__ = ("_params", "suppress_exception")

    def __init__(self, dict_obj: Mapping[str, Any] | None = None, suppress_exception: bool = False) -> None:
        self._params = {key: param_from_value(value) for key, value in (dict_obj or {}).items()}
        self.suppress_exception = suppress_exception

    def __getitem__(self, key: str) -> Any:
        return self._params[key].resolve(suppress_exception=self.suppress_exception)

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, Param) or key not in self._params:
            self._params[key] = param_from_value(value)
            return
        try:
            self._params[key].resolve(value, suppress_exception=self.suppress_exception)
        except ParamValidationError as problem:
            raise _about(key, problem) from None

    def __delitem__(self, key: str) -> None:
        del self._params[key]

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ParamsDict):
            return self.dump() == other.dump()
        return self.dump() == other if isinstance(other, dict) else NotImplemented

    # Its values change.
    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> "ParamsDict":
        return ParamsDict(self._params, self.suppress_exception)

    def __deepcopy__(self, memo: dict[int, Any] | None) -> "ParamsDict":
        return ParamsDict(copy.deepcopy(self._params, memo), self.suppress_exception)

    def __repr__(self) -> str:
        return repr(self.dump())

    def get_param(self, key: str) -> Param:
        """The param itself, not its value."""
        return self._params[key]

    def items(self) -> ItemsView[str, Param]:
        """The params themselves, by name."""
        return ItemsView(self._params)

    def values(self) -> ValuesView[Param]:
        """The params themselves."""
        return ValuesView(self._params)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Take over params and values. Params of another `ParamsDict` are copied: a value set here stays here."""
        if len(args) == 1 and not kwargs and isinstance(args[0], ParamsDict):
            self._params.update({key: copy.copy(param) for key, param in args[0].items()})
        else:
            super().update(*args, **kwargs)

    def validate(self) -> dict[str, Any]:
        """All values, checked. A `ParamValidationError` names the first that is not allowed."""
        values = {}
        for key, param in self._params.items():
            try:
                values[key] = param.resolve(suppress_exception=self.suppress_exception)
            except ParamValidationError as problem:
                raise _about(key, problem) from None
        return values

    def dump(self) -> dict[str, Any]:
        """All values; `None` for what is not allowed."""
        return {key: param.resolve(suppress_exception=True) for key, param in self._params.items()}

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs."""
        return self.dump()

    @staticmethod
    def deserialize(data: dict[str, Any], version: int) -> "ParamsDict":
        """The params again."""
        if version > ParamsDict.__version__:
            raise TypeError(
                f"the params were stored in version {version}, but this Tradewind reads {ParamsDict.__version__}"
            )
        return ParamsDict(data)

    def fill_missing_param_source(self, source: Source | None = None) -> None:
        """Say of those params that do not say it themselves whether they are the DAG's or a task's."""
        for param in self._params.values():
            if param.source is None:
                param.source = source

    @staticmethod
    def filter_params_by_source(params: "ParamsDict", source: Source) -> "ParamsDict":
        """Only those that are the DAG's, or only those that are a task's."""
        return ParamsDict({key: param for key, param in params.items() if param.source == source})


class DagParam(ResolveMixin):
    """A param of a DAG as a value inside its file: what the run was started with, or else its default."""

    def __init__(self, current_dag: "DAG", name: str, default: Any = NOTSET) -> None:
        if is_arg_set(default):
            current_dag.params[name] = default
        self.current_dag = current_dag
        self._name = name
        self._default = default

    def iter_references(self) -> "Iterable[tuple[AbstractOperator, str]]":
        """It is made of no output of a task."""
        return ()

    def resolve(self, context: "Context") -> Any:
        """The value for the run that the task belongs to."""
        conf_of_run = getattr(context.get("dag_run"), "conf", None) or {}
        if self._name in conf_of_run:
            return conf_of_run[self._name]
        if is_arg_set(self._default):
            return self._default
        params = context.get("params") or {}
        if self._name in params:
            return params[self._name]
        raise RuntimeError(f"the run has no value for the param {self._name!r}, and it has no default")

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs."""
        return {"dag_id": self.current_dag.dag_id, "name": self._name, "default": self._default}

    @classmethod
    def deserialize(cls, data: dict[str, Any], dags: "Mapping[str, DAG]") -> "DagParam":
        """The reference again, to a param of one of the given DAGs."""
        dag = dags.get(data["dag_id"])
        if dag is None:
            raise ValueError(f"there is no DAG {data['dag_id']!r} for the param {data['name']!r}")
        return cls(dag, data["name"], data["default"])

    def __repr__(self) -> str:
        return f"DagParam({self._name!r})"


def process_params(
    dag: Any, task: Any, dagrun_conf: dict[str, Any] | None, *, suppress_exception: bool
) -> dict[str, Any]:
    """The checked params of a task instance: the DAG's, the task's on top, and the run's own on top of both."""
    params = ParamsDict(suppress_exception=suppress_exception)
    for owner in (dag, task):
        params.update(getattr(owner, "params", None) or ParamsDict())
    if dagrun_conf and conf.getboolean("core", "dag_run_conf_overrides_params", fallback=True):
        params.update(dagrun_conf)
    if getattr(getattr(task, "operator_class", task), "asks_for_params", False):
        for name in [name for name in task.params if not is_arg_set(params.get_param(name).value)]:
            del params[name]  # a field that somebody is about to fill in
    return params.validate()


def _require_json(value: Any) -> None:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ParamValidationError(f"a param must be JSON, and {value!r} is not: {error}") from None


def _about(key: str, problem: ParamValidationError) -> ParamValidationError:
    return ParamValidationError(f"Invalid input for param {key}: {problem}")
