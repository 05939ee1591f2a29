"""The configuration, read once at start into frozen values.

Where each option comes from is the matter of `tradewind.configuration`. Names, units and defaults are Airflow's, so
that an existing configuration keeps its meaning; durations are float seconds. Options that Tradewind does not know
are passed over, as in Airflow; `tradewind config lint` names them.

`sections.py` has the options, `readers.py` what their texts must be, `loading.py` reads them.
"""

from tradewind.configuration.sources import FILE_NAME, FILE_VARIABLE, HOME_VARIABLE, Sources
from tradewind.settings.loading import (
    DATABASE_FILE_NAME,
    Option,
    add_to_environment,
    environment_of_workers,
    environment_without_secrets,
    load_settings,
    option_sources,
    process_environment,
    settings_options,
)
from tradewind.settings.readers import BundleSettings
from tradewind.settings.sections import (
    ApiAuthSettings,
    ApiSettings,
    ConnectionTestSettings,
    CoreSettings,
    DagProcessorSettings,
    DatabaseSettings,
    ExecutionApiSettings,
    LoggingSettings,
    OidcSettings,
    SchedulerSettings,
    SecretsSettings,
    Settings,
    StateStoreSettings,
    WorkersSettings,
)
from tradewind.settings.telemetry_sections import MetricsSettings, OtelSettings, TracesSettings

__all__ = [
    "DATABASE_FILE_NAME",
    "FILE_NAME",
    "FILE_VARIABLE",
    "HOME_VARIABLE",
    "ApiAuthSettings",
    "ApiSettings",
    "BundleSettings",
    "ConnectionTestSettings",
    "CoreSettings",
    "DagProcessorSettings",
    "DatabaseSettings",
    "ExecutionApiSettings",
    "LoggingSettings",
    "MetricsSettings",
    "OidcSettings",
    "Option",
    "OtelSettings",
    "SchedulerSettings",
    "SecretsSettings",
    "Settings",
    "Sources",
    "StateStoreSettings",
    "TracesSettings",
    "WorkersSettings",
    "add_to_environment",
    "environment_of_workers",
    "environment_without_secrets",
    "load_settings",
    "option_sources",
    "process_environment",
    "settings_options",
]
