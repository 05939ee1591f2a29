"""Functions in an environment that is built for them."""

import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tradewind.sdk.branch import BaseBranchOperator
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.standard.environment_cache import cached_environment
from tradewind.sdk.standard.environments import prepare_virtualenv
from tradewind.sdk.standard.isolated_python import IsolatedPythonOperator, Serializer
from tradewind.sdk.standard.package_index_hook import PackageIndexHook
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.variable import Variable

_CACHE_KEY_VARIABLE = "python_virtualenv_operator_cache_key"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class PythonVirtualenvOperator(IsolatedPythonOperator):
    """Build an environment with these requirements, run the function in it, and remove it.

    With `venv_cache_path` it is kept there for all tasks with the same requirements and options; a new value of the
    variable `python_virtualenv_operator_cache_key` makes them build a new one. `requirements` is a list, or the name of
    a requirements file, which is rendered as a template.
    """

    template_fields: Sequence[str] = (
        "requirements",
        "index_urls",
        "index_urls_from_connection_ids",
        "venv_cache_path",
        *PythonOperator.template_fields,
    )
    template_ext: Sequence[str] = (".txt",)

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        requirements: Iterable[str] | str | None = None,
        python_version: str | None = None,
        serializer: Serializer | None = None,
        system_site_packages: bool = True,
        pip_install_options: list[str] | None = None,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        index_urls: Collection[str] | str | None = None,
        index_urls_from_connection_ids: Collection[str] | str | None = None,
        venv_cache_path: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            python_callable=python_callable, serializer=serializer, op_args=op_args, op_kwargs=op_kwargs, **kwargs
        )
        if python_version is not None and not isinstance(python_version, str):
            raise AirflowException(f"python_version of task {self.task_id!r} must be a text such as '3.12'")
        if python_version and not python_version.startswith(str(sys.version_info.major)) and (op_args or op_kwargs):
            raise AirflowException(
                f"task {self.task_id!r} cannot pass arguments to Python {python_version}: use string_args"
            )
        self.requirements = _as_list(requirements) or []
        self.python_version = python_version
        self.system_site_packages = system_site_packages
        self.pip_install_options = pip_install_options
        self.index_urls = _as_list(index_urls)
        self.index_urls_from_connection_ids = _as_list(index_urls_from_connection_ids)
        self.venv_cache_path = venv_cache_path

    def execute_callable(self) -> Any:
        """Build the environment, or take the one that is kept, and run the function there."""
        index_urls = self._all_index_urls()
        if self.venv_cache_path:
            recipe = self._recipe(index_urls)
            place = cached_environment(Path(self.venv_cache_path), recipe, lambda path: self._build(path, index_urls))
            return self._call_in(place / "bin" / "python")
        with TemporaryDirectory(prefix="tradewind-venv-") as folder:
            return self._call_in(self._build(Path(folder), index_urls))

    def _build(self, place: Path, index_urls: list[str] | None) -> Path:
        requirements = place / "requirements.txt"
        requirements.write_text("\n".join(self._requirements()))
        python = prepare_virtualenv(
            venv_directory=str(place),
            python_bin=f"python{self.python_version}" if self.python_version else sys.executable,
            system_site_packages=self.system_site_packages,
            requirements_file_path=str(requirements) if requirements.stat().st_size else None,
            pip_install_options=self.pip_install_options,
            index_urls=index_urls,
        )
        return Path(python)

    def _requirements(self) -> list[str]:
        # Sorted, so that the same requirements in another order find the same kept environment.
        wanted = sorted(str(requirement) for requirement in self.requirements)
        names = {match.group().lower() for text in wanted for line in text.splitlines() if (match := _NAME.match(line))}
        if self.serializer != "pickle" and not self.system_site_packages and self.serializer not in names:
            wanted.append(self.serializer)
        return wanted

    def _recipe(self, index_urls: list[str] | None) -> dict[str, Any]:
        return {
            "requirements": self._requirements(),
            "python_version": self.python_version or sys.version,
            "system_site_packages": self.system_site_packages,
            "pip_install_options": self.pip_install_options,
            "index_urls": index_urls,
            "cache_key": str(Variable.get(_CACHE_KEY_VARIABLE, "")),
        }

    def _all_index_urls(self) -> list[str] | None:
        if not self.index_urls_from_connection_ids:
            return self.index_urls
        from_connections = [PackageIndexHook(each).get_connection_url() for each in self.index_urls_from_connection_ids]
        return [*(self.index_urls or []), *from_connections]


class BranchPythonVirtualenvOperator(BaseBranchOperator, PythonVirtualenvOperator):
    """As `PythonVirtualenvOperator`, for a function that returns what to follow."""

    def choose_branch(self, context: Context) -> str | Iterable[str] | None:
        """What the function returns."""
        branch: str | Iterable[str] | None = PythonVirtualenvOperator.execute(self, context)
        return branch


def _as_list(values: Iterable[str] | str | None) -> list[str] | None:
    if values is None:
        return None
    return [values] if isinstance(values, str) else list(values)
