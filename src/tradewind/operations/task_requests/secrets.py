"""Questions about variables and connections, as far as the database has them.

Secrets backends and the environment come before it, and are asked outside of the transaction: see `secrets.chain`.
"""

from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.manage_connections import find_connection
from tradewind.operations.manage_variables import find_variable, set_variable
from tradewind.operations.task_requests.request import TaskRequest


class SecretRequest(TaskRequest):
    """See `sdk.runtime.SecretsRuntime`."""

    def get_variable(self, key: str) -> str | None:
        return find_variable(self.tx, key, self.secrets)

    def set_variable(self, key: str, value: str, description: str | None = None) -> None:
        set_variable(self.tx, key, value, description=description, cipher=self.secrets, now=self.now)

    def delete_variable(self, key: str) -> None:
        self.tx.variables.delete([key])

    def get_variable_keys(self, prefix: str | None = None) -> list[str]:
        return self.tx.variables.keys(prefix or "")

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        return find_connection(self.tx, conn_id, self.secrets)

    def mask_secret(self, secret: object, name: str | None = None) -> None:
        """Nothing here writes a log: that is for the supervisor to know."""
