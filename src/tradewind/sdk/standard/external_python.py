"""Functions in an environment that is already there."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.context import Context
from tradewind.sdk.standard.environments import Environment
from tradewind.sdk.standard.isolated_python import IsolatedPythonOperator
from tradewind.sdk.standard.python import PythonOperator


class ExternalPythonOperator(IsolatedPythonOperator):
    """Run the function with the interpreter at the absolute path `python`."""

    template_fields: Sequence[str] = ("python", *PythonOperator.template_fields)

    def __init__(
        self, *, python: str, python_callable: Callable[..., Any], expect_pendulum: bool = False, **kwargs: Any
    ) -> None:
        if not python:
            raise ValueError("ExternalPythonOperator needs python, the path of an interpreter")
        super().__init__(python_callable=python_callable, **kwargs)
        self.python = python
        self.expect_pendulum = expect_pendulum

    def execute_callable(self) -> Any:
        """Run the function there."""
        python = Path(self.python)
        if not python.is_absolute():
            raise ValueError(f"python {self.python!r} of task {self.task_id!r} must be an absolute path")
        if not python.is_file():
            raise ValueError(f"python {self.python!r} of task {self.task_id!r} is not a file on this worker")
        return self._call_in(python)

    def _check_versions(self, environment: Environment) -> None:
        super()._check_versions(environment)
        if self.expect_pendulum and environment.pendulum is None:
            self.log.warning("%s has no pendulum: dates arrive there as plain datetimes", self.python)


class BranchExternalPythonOperator(BaseBranchOperator, ExternalPythonOperator):
    """As `ExternalPythonOperator`, for a function that returns what to follow."""

    def choose_branch(self, context: Context) -> str | Iterable[str] | None:
        """What the function returns."""
        branch: str | Iterable[str] | None = ExternalPythonOperator.execute(self, context)
        return branch
