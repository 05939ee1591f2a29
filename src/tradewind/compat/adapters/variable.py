"""`airflow.models.Variable`: the variables of the SDK, with the arguments and methods of Airflow 2."""

from typing import Any

from tradewind.sdk import variable
from tradewind.sdk.notset import NOTSET, is_arg_set
from tradewind.sdk.runtime import current_runtime


class Variable(variable.Variable):
    """A named value. The class methods read and write stored ones."""

    @classmethod
    def get(  # type: ignore[override]
        cls,
        key: str,
        default_var: Any = NOTSET,
        deserialize_json: bool = False,
        team_name: str | None = None,
        *,
        default: Any = NOTSET,
    ) -> Any:
        """The value of a variable; without one, the default. The old and the new name of the default are understood."""
        return super().get(key, default_var if is_arg_set(default_var) else default, deserialize_json)

    @classmethod
    def set(
        cls,
        key: str,
        value: Any,
        description: str | None = None,
        serialize_json: bool = False,
        team_name: str | None = None,
        session: Any = None,
    ) -> None:
        """Create or replace a variable."""
        super().set(key, value, description, serialize_json)

    @classmethod
    def update(
        cls, key: str, value: Any, serialize_json: bool = False, team_name: str | None = None, session: Any = None
    ) -> None:
        """Replace a variable that exists."""
        super().get(key)
        super().set(key, value, None, serialize_json)

    @classmethod
    def setdefault(cls, key: str, default: Any, description: str | None = None, deserialize_json: bool = False) -> Any:
        """The value of a variable; without one, the default, which is stored."""
        stored = super().get(key, None, deserialize_json)
        if stored is not None:
            return stored
        if default is None:
            raise ValueError(f"the default of variable {key!r} is None, which cannot be stored")
        super().set(key, default, description, serialize_json=deserialize_json)
        return default

    @classmethod
    def delete(cls, key: str, team_name: str | None = None, session: Any = None) -> int:  # type: ignore[override]
        """Remove a variable. Returns how many were removed."""
        existed = current_runtime().get_variable(key) is not None
        super().delete(key)
        return int(existed)

    @staticmethod
    def get_variable_from_secrets(key: str, team_name: str | None = None) -> str | None:
        """The text of a variable, wherever it is kept."""
        return current_runtime().get_variable(key)

    def get_val(self) -> Any:
        """The value of this object."""
        return self.value

    def set_val(self, value: Any) -> None:
        """Give this object a value. Nothing is stored."""
        self.value = value

    val = property(get_val, set_val)
    """The name that the value had in Airflow 2."""
