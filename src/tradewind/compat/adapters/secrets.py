"""Where variables and connections are looked for."""

from typing import Final

CONN_ENV_PREFIX: Final = "AIRFLOW_CONN_"
VAR_ENV_PREFIX: Final = "AIRFLOW_VAR_"
DEFAULT_SECRETS_SEARCH_PATH: Final = [
    "airflow.secrets.environment_variables.EnvironmentVariablesBackend",
    "airflow.secrets.metastore.MetastoreBackend",
]
DEFAULT_SECRETS_SEARCH_PATH_WORKERS: Final = [
    "airflow.secrets.environment_variables.EnvironmentVariablesBackend",
    "airflow.sdk.execution_time.secrets.execution_api.ExecutionAPISecretsBackend",
]


class SecretCache:
    """Airflow keeps secrets in memory while it reads DAG files. Here each is asked for when it is needed."""

    @classmethod
    def init(cls) -> None:
        """There is nothing to prepare."""

    @classmethod
    def reset(cls) -> None:
        """There is nothing to forget."""

    @classmethod
    def invalidate_variable(cls, key: str, team_name: str | None = None) -> None:
        """There is nothing to forget."""
