"""Tradewind's own operators, sensors, hooks and triggers, described as a provider package describes itself.

They answer to `airflow.providers.standard`, so that is what they are listed as.
"""

from typing import Any, Final

_AT: Final = "airflow.providers.standard"
_VERSION: Final = "1.21.0"


def get_provider_info() -> dict[str, Any]:
    """What is there, by module."""
    return {
        "package-name": "apache-airflow-providers-standard",
        "version": _VERSION,
        "name": "Standard",
        "description": "Operators, sensors, hooks and triggers that come with Tradewind.",
        "operators": _rows(
            "operators", "bash branch datetime empty hitl latest_only python smooth trigger_dagrun weekday"
        ),
        "sensors": _rows("sensors", "bash date_time external_task filesystem python time time_delta weekday"),
        "hooks": _rows("hooks", "filesystem package_index subprocess"),
        "triggers": _rows("triggers", "external_task file hitl temporal"),
        "extra-links": [
            f"{_AT}.operators.trigger_dagrun.TriggerDagRunLink",
            f"{_AT}.sensors.external_task.ExternalDagLink",
        ],
        "connection-types": [
            {
                "connection-type": "fs",
                "hook-class-name": f"{_AT}.hooks.filesystem.FSHook",
                "hook-name": "File (path)",
            },
            {
                "connection-type": "package_index",
                "hook-class-name": f"{_AT}.hooks.package_index.PackageIndexHook",
                "hook-name": "Package Index (Python)",
            },
        ],
        "task-decorators": [
            {"name": name, "class-name": f"{_AT}.decorators.{module}.{function}"}
            for name, module, function in (
                ("python", "python", "python_task"),
                ("bash", "bash", "bash_task"),
                ("branch", "branch_python", "branch_task"),
                ("branch_external_python", "branch_external_python", "branch_external_python_task"),
                ("branch_virtualenv", "branch_virtualenv", "branch_virtualenv_task"),
                ("external_python", "external_python", "external_python_task"),
                ("sensor", "sensor", "sensor_task"),
                ("short_circuit", "short_circuit", "short_circuit_task"),
                ("stub", "stub", "stub"),
                ("virtualenv", "python_virtualenv", "virtualenv_task"),
            )
        ],
    }


def _rows(kind: str, modules: str) -> list[dict[str, Any]]:
    return [{"integration-name": "Standard", "python-modules": [f"{_AT}.{kind}.{name}" for name in modules.split()]}]
