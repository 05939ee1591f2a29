"""D2: `airflow` and what is below it are modules like any other."""

import importlib
import importlib.util
import sys
import warnings
from types import ModuleType
from typing import Any

import pytest

from tradewind import sdk
from tradewind.compat import install
from tradewind.compat.deprecation import DeprecatedImportWarning
from tradewind.compat.finder import FINDER
from tradewind.compat.module import AirflowModule
from tradewind.compat.old_rows import OLD
from tradewind.compat.optional_rows import OPTIONAL
from tradewind.compat.table import CURRENT, Names


def fresh(name: str) -> ModuleType:
    """The module as a process sees it that has not imported any name of it yet."""
    sys.modules.pop(name, None)
    return importlib.import_module(name)


def import_from(module: str, name: str) -> Any:
    """What `from module import name` gives."""
    found = __import__(module, fromlist=[name])
    return getattr(found, name)


def test_installing_twice_changes_nothing() -> None:
    install()

    assert sys.meta_path.count(FINDER) == 1


def test_names_of_the_sdk_are_the_same_objects() -> None:
    airflow_sdk = importlib.import_module("airflow.sdk")

    assert airflow_sdk.DAG is sdk.DAG
    assert airflow_sdk.task is sdk.task
    assert set(sdk.__all__) <= set(airflow_sdk.__all__)


def test_a_star_import_brings_the_public_names() -> None:
    names: list[str] = importlib.import_module("airflow.triggers.base").__all__

    assert "BaseTrigger" in names
    assert not any(name.startswith("_") for name in names)


def test_dir_shows_the_names_of_the_table() -> None:
    assert {"DateTimeTrigger", "TimeDeltaTrigger"} <= set(dir(fresh("airflow.triggers.temporal")))


def test_modules_are_attributes_of_the_package_around_them() -> None:
    airflow = fresh("airflow")

    assert airflow.models.Param is sdk.Param
    assert import_from("airflow.utils", "yaml").safe_load("a: 1") == {"a": 1}


def test_a_function_wins_over_a_module_of_its_name() -> None:
    importlib.import_module("airflow.sdk.definitions.decorators.task_group")

    assert import_from("airflow.sdk.definitions.decorators", "task_group") is sdk.task_group


def test_the_versions_are_those_of_the_airflow_that_is_offered() -> None:
    assert import_from("airflow", "__version__") == "3.3.2"
    assert import_from("airflow.version", "version") == "3.3.2"
    assert import_from("airflow.sdk", "__version__") == "1.3.2"


def test_the_note_about_an_old_path_points_to_the_importing_line() -> None:
    fresh("airflow.operators.empty")

    with pytest.warns(DeprecatedImportWarning) as noted:
        import_from("airflow.operators.empty", "EmptyOperator")

    (note,) = noted
    assert note.filename == __file__
    assert "use airflow.providers.standard.operators.empty.EmptyOperator" in str(note.message)


@pytest.mark.parametrize("category", [FutureWarning, DeprecationWarning])
def test_filters_for_either_kind_of_deprecation_match(category: type[Warning]) -> None:
    fresh("airflow.operators.empty")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category)
        import_from("airflow.operators.empty", "EmptyOperator")


def test_provider_packages_may_use_old_paths_silently_and_hide_no_note() -> None:
    module = fresh("airflow.operators.empty")
    provider = ModuleType("airflow.providers.acme.operators")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_import("from airflow.operators.empty import EmptyOperator", provider)

    with pytest.warns(DeprecatedImportWarning):
        assert module.EmptyOperator is vars(provider)["EmptyOperator"]


def test_a_name_that_nobody_has_is_no_attribute() -> None:
    assert not hasattr(importlib.import_module("airflow.models"), "Nonsense")
    with pytest.raises(ImportError, match="Nonsense"):
        run_import("from airflow.models import Nonsense", ModuleType("author"))


def run_import(statement: str, module: ModuleType) -> None:
    """Run an import statement as a file of that module would."""
    code = compile(statement, f"{module.__name__}.py", "exec")
    eval(code, vars(module))  # noqa: S307 - a statement of this test


def test_a_name_without_counterpart_says_what_to_do() -> None:
    with pytest.raises(ImportError, match="DeadlineAlert"):
        import_from("airflow.models", "SlaMiss")


def test_a_module_without_counterpart_says_what_to_do() -> None:
    with pytest.raises(ModuleNotFoundError, match="provider packages"):
        importlib.import_module("airflow.contrib.operators.ssh_operator")


def test_a_provider_that_is_not_installed_says_how_to_install_it() -> None:
    with pytest.raises(ModuleNotFoundError, match="`tradewind providers install nonsense`"):
        importlib.import_module("airflow.providers.nonsense.hooks.nonsense")
    with pytest.raises(ModuleNotFoundError, match=r"`tradewind providers install cncf\.kubernetes`"):
        importlib.import_module("airflow.providers.cncf.kubernetes.operators.pod")


def test_code_that_asks_first_gets_an_answer() -> None:
    assert importlib.util.find_spec("airflow.models.dag") is not None
    with pytest.raises(ModuleNotFoundError):
        importlib.util.find_spec("airflow.providers.nonsense")


def test_the_way_around_versions_works_without_its_package() -> None:
    """`airflow.providers.common.compat` comes with Airflow, so DAG files use it without asking."""
    assert import_from("airflow.providers.common.compat.sdk", "BaseOperator") is sdk.BaseOperator
    assert import_from("airflow.providers.common.compat.sdk", "timezone").utcnow().tzinfo is not None


PROVIDERS_NEEDED = ("airflow.executors.celery", "airflow.hooks.", "airflow.operators.sql")


@pytest.mark.parametrize("module", sorted({*CURRENT, *OLD, *OPTIONAL}))
def test_every_row_of_the_table_leads_somewhere(module: str) -> None:
    imported = importlib.import_module(module)
    wrong = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in Names(module).named():
            try:
                found = getattr(imported, name)
            except AttributeError as error:
                wrong[name] = str(error)
            except ImportError as error:
                # Only what a provider package has may be missing.
                if not module.startswith(PROVIDERS_NEEDED):
                    wrong[name] = str(error)
            else:
                if isinstance(found, AirflowModule):
                    wrong[name] = "a module of the same name hides that its row leads nowhere"

    assert wrong == {}


DOCUMENTED = (
    "bases.branch bases.decorator bases.hook bases.notifier bases.operator bases.operatorlink"
    " bases.resumablejobmixin bases.secrets_backend bases.sensor bases.skipmixin bases.timetable bases.xcom"
    " configuration coordinators.executable coordinators.java crypto definitions.asset"
    " definitions.asset.access_control definitions.asset.decorators definitions.asset.metadata"
    " definitions.callback definitions.connection definitions.context definitions.dag definitions.deadline"
    " definitions.decorators definitions.edges definitions.mappedoperator definitions.operator_resources"
    " definitions.param definitions.partition_mappers.base definitions.retry_policy"
    " definitions.partition_mappers.temporal definitions.partition_mappers.wait_policy definitions.taskgroup"
    " definitions.partition_mappers.window definitions.template definitions.timetables.assets definitions.variable"
    " definitions.timetables.events definitions.timetables.interval definitions.timetables.trigger"
    " definitions.xcom_arg exceptions execution_time.cache execution_time.callback_runner"
    " execution_time.callback_supervisor execution_time.comms execution_time.connection_test_supervisor"
    " execution_time.context execution_time.coordinator execution_time.hitl execution_time.lazy_sequence"
    " execution_time.macros execution_time.secrets execution_time.secrets_masker execution_time.sentry"
    " execution_time.supervisor execution_time.task_runner execution_time.timeout execution_time.xcom io lineage"
    " listener log module_loading observability.stats plugins_manager providers_manager_runtime serde state"
    " timezone types yaml"
)


@pytest.mark.parametrize("module", DOCUMENTED.split())
def test_documented_modules_of_the_sdk_are_there(module: str) -> None:
    assert dir(importlib.import_module(f"airflow.sdk.{module}"))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("airflow.sdk.bases.operator", "BaseOperator BaseAsyncOperator chain chain_linear cross_downstream"),
        ("airflow.sdk.bases.decorator", "task_decorator_factory DecoratedOperator TaskDecorator get_unique_task_id"),
        ("airflow.sdk.definitions.deadline", "DeadlineAlert DeadlineReference VariableInterval deadline_reference"),
        ("airflow.sdk.timezone", "utc utcnow datetime parse coerce_datetime convert_to_utc from_timestamp make_naive"),
        ("airflow.sdk.io", "ObjectStoragePath ObjectStore attach get_fs has_fs"),
        ("airflow.sdk.log", "mask_secret amask_secret"),
        ("airflow.sdk.lineage", "HookLineageCollector HookLineageReader get_hook_lineage_collector"),
        ("airflow.sdk.serde", "serialize deserialize"),
        ("airflow.sdk.execution_time.context", "NEVER_EXPIRE AIRFLOW_VAR_NAME_FORMAT_MAPPING context_to_airflow_vars"),
        ("airflow.sdk.execution_time.task_runner", "RuntimeTaskInstance"),
        ("airflow.sdk.exceptions", "AirflowSkipException TaskDeferred DownstreamTasksSkipped ErrorType"),
    ],
)
def test_documented_names_of_the_sdk_are_there(module: str, names: str) -> None:
    found = importlib.import_module(module)

    assert [name for name in names.split() if not hasattr(found, name)] == []
