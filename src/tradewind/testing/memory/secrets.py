"""Variables and connections: those of the test, else those of the environment."""

from collections.abc import Sequence
from typing import Any, Final

from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.environment_runtime import EnvironmentRuntime
from tradewind.testing.memory.premises import Premises

_ENVIRONMENT: Final = EnvironmentRuntime()


class MemorySecrets:
    """See `sdk.runtime.SecretsRuntime`."""

    premises: Premises

    def get_variable(self, key: str) -> str | None:
        found = self.premises.memory.variables.get(key)
        return _ENVIRONMENT.get_variable(key) if found is None else found

    def set_variable(self, key: str, value: str, description: str | None = None) -> None:
        self.premises.memory.variables[key] = value

    def delete_variable(self, key: str) -> None:
        self.premises.memory.variables.pop(key, None)

    def get_variable_keys(self, prefix: str | None = None) -> Sequence[str]:
        return sorted(key for key in self.premises.memory.variables if key.startswith(prefix or ""))

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        found = self.premises.memory.connections.get(conn_id)
        return _ENVIRONMENT.get_connection(conn_id) if found is None else found

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        """Nobody else reads what this process logs, and here the SDK masks it already."""
