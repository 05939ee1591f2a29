"""What the source of a DAG file tells about trouble to come, without running it.

Looks only at code that shapes DAGs: the top level, blocks of DAGs, functions that build them. What happens inside a
task happens when the task runs, and is none of its business.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from tradewind.dag_processor.protocol import VERSION_INFLATION, Notice

TOP_LEVEL_LOOKUP: Final = "top_level_lookup"

_CHANGING: Final = frozenset(
    {
        *(f"datetime.datetime.{name}" for name in ("now", "today", "utcnow")),
        *(f"pendulum.{name}" for name in ("now", "today", "tomorrow", "yesterday")),
        *(f"time.{name}" for name in ("monotonic", "perf_counter", "time", "time_ns")),
        *(f"airflow.{name}.utcnow" for name in ("sdk.timezone", "utils.timezone")),
        "airflow.utils.dates.days_ago",
        "datetime.date.today",
        "os.getpid",
        "os.urandom",
        "tradewind.sdk.timezone.utcnow",
        "uuid.uuid1",
        "uuid.uuid4",
    }
)
_CHANGING_PACKAGES: Final = ("random.", "secrets.", "numpy.random.")
_LOOKUPS: Final = ("Variable.get", "Connection.get", "BaseHook.get_connection")
_SHAPING_WORDS: Final = frozenset({"DAG", "dag", "task", "task_group"})
_SHAPING_METHODS: Final = frozenset({"expand", "expand_kwargs", "override", "partial"})
_SHAPING_ENDINGS: Final = ("Operator", "Sensor")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def check_source(tree: ast.Module) -> list[Notice]:
    """What will hurt, by line."""
    checker = _Checker(tree)
    checker.visit_all(tree.body)
    unique = {(notice.line, notice.kind): notice for notice in reversed(checker.notices)}
    return [unique[key] for key in sorted(unique, key=lambda key: (key[0] or 0, key[1]))]


def mapping_lines(tree: ast.Module) -> dict[str, int]:
    """By task id, or by the name of the function that is the task: where it is expanded."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("expand"):
            name = _task_name(node.func.value)
            if name is not None:
                lines.setdefault(name, node.lineno)
    return lines


def _task_name(node: ast.expr) -> str | None:
    """Of `f`, `f.override(task_id="f")`, `SomeOperator.partial(task_id="f")`."""
    while isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "task_id" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else None


class _Checker:
    """Goes through the statements in their order, knowing which names hold something that changes with every look."""

    def __init__(self, tree: ast.Module) -> None:
        self.notices: list[Notice] = []
        self._changing: dict[str, str] = {}
        self._full_names = dict(_imported(tree))
        functions = [node for node in ast.walk(tree) if isinstance(node, _Function)]
        self._tasks = {function.name for function in functions if self._is_task(function)}
        self._builders = {id(f) for f in functions if f.name not in self._tasks and self._shapes_dags(f)}

    def visit_all(self, statements: Sequence[ast.stmt]) -> None:
        """Statements that run when the file is read."""
        for statement in statements:
            self._visit(statement)

    def _visit(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                for decorator in statement.decorator_list:
                    self._look_at(decorator)
                if id(statement) in self._builders:
                    self.visit_all(statement.body)
            case ast.ClassDef():
                return
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value)
            case ast.AnnAssign(target=target, value=value) | ast.AugAssign(target=target, value=value) if value:
                self._assign([target], value)
            case _:
                self._visit_parts(statement)

    def _visit_parts(self, statement: ast.stmt) -> None:
        for _, part in ast.iter_fields(statement):
            for node in part if isinstance(part, list) else [part]:
                if isinstance(node, ast.stmt):
                    self._visit(node)
                elif isinstance(node, ast.expr):
                    self._look_at(node)
                elif isinstance(node, ast.withitem):
                    self._look_at(node.context_expr)
                elif isinstance(node, ast.ExceptHandler | ast.match_case):
                    self.visit_all(node.body)

    def _assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        self._look_at(value)
        changing = None if self._is_shaping(value) else self._find_changing(value)
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    self._changing.pop(node.id, None)
                    if changing is not None:
                        self._changing[node.id] = changing[0]

    def _look_at(self, expression: ast.expr) -> None:
        for node in _evaluated(expression):
            if not isinstance(node, ast.Call):
                continue
            name = self._name(node.func)
            if name is not None and name.endswith(_LOOKUPS):
                self._warn_of_lookup(name, node.lineno)
            if self._is_shaping(node):
                for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                    found = self._find_changing(part)
                    if found is not None:
                        self._warn_of_inflation(*found)

    def _is_shaping(self, node: ast.expr) -> bool:
        """Whether its arguments become part of a DAG."""
        if not isinstance(node, ast.Call):
            return False
        name = self._name(node.func)
        if name is None:
            return isinstance(node.func, ast.Attribute) and node.func.attr in _SHAPING_METHODS
        if name in self._tasks:
            return True
        first, _, last = name.rpartition(".")
        if last in _SHAPING_METHODS:
            return first in self._tasks or first.endswith(_SHAPING_ENDINGS)
        is_task_decorator = first.rpartition(".")[2] == "task"
        return last in _SHAPING_WORDS or last.endswith(_SHAPING_ENDINGS) or is_task_decorator

    def _find_changing(self, expression: ast.expr) -> tuple[str, int] | None:
        """The first part of it that is something else with every look, and its line."""
        for node in _evaluated(expression):
            if isinstance(node, ast.Call):
                name = self._name(node.func)
                if name is not None and (name in _CHANGING or name.startswith(_CHANGING_PACKAGES)):
                    return name, node.lineno
            elif isinstance(node, ast.Name) and node.id in self._changing:
                return self._changing[node.id], node.lineno
        return None

    def _name(self, node: ast.expr) -> str | None:
        """The dotted name of a function, with the names that were imported written out."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self._full_names.get(node.id, node.id), *reversed(parts)])

    def _is_task(self, function: _Function) -> bool:
        return any("task" in self._decorator(each).split(".") for each in function.decorator_list)

    def _shapes_dags(self, function: _Function) -> bool:
        if any(self._decorator(each).rpartition(".")[2] in _SHAPING_WORDS for each in function.decorator_list):
            return True
        return any(isinstance(node, ast.Call) and self._is_shaping(node) for node in ast.walk(function))

    def _decorator(self, node: ast.expr) -> str:
        return self._name(node.func if isinstance(node, ast.Call) else node) or ""

    def _warn_of_inflation(self, name: str, line: int) -> None:
        message = (
            f"{name}() gives another value each time the file is read, so each read may make a new version of the DAG:"
            " use a fixed value, a template such as {{ ts }}, or call it inside a task"
        )
        self.notices.append(Notice(VERSION_INFLATION, message, line))

    def _warn_of_lookup(self, name: str, line: int) -> None:
        short = ".".join(name.split(".")[-2:])
        message = (
            f"{short}() is asked each time the file is read: use a template such as {{{{ var.value.key }}}},"
            " or call it inside a task"
        )
        self.notices.append(Notice(TOP_LEVEL_LOOKUP, message, line))


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name in the file, full name) of everything imported, wherever."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                # `import a.b` makes the name `a` known.
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _evaluated(expression: ast.expr) -> Iterator[ast.expr]:
    """The expression and its parts, except for bodies that run later."""
    pending: list[ast.AST] = [expression]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr):
            yield node
        if not isinstance(node, ast.Lambda):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
