"""Create, change, list and delete variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from tradewind.errors import Conflict, InvalidRequest, UnknownVariable, VariableExists
from tradewind.model.masking import MaskingRules
from tradewind.operations.cipher import Cipher, opened_variable, sealed_variable
from tradewind.operations.shown_secrets import meant_variable
from tradewind.storage.interface import Transaction

LONGEST_KEY = 250


class OnExisting(StrEnum):
    """What an import does to a variable that is there already."""

    OVERWRITE = "overwrite"
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, opened."""

    key: str
    value: str = field(repr=False)
    description: str | None = None
    is_encrypted: bool = False


class VariableChanges(TypedDict, total=False):
    """What is to change about a variable; what is missing stays as it is."""

    value: str
    description: str | None


def create_variable(tx: Transaction, variable: Variable, *, cipher: Cipher, now: datetime) -> None:
    """Raises `VariableExists`, and `InvalidRequest` for a key that cannot be one."""
    if tx.variables.find(variable.key) is not None:
        raise VariableExists(variable.key)
    set_variables(tx, [variable], cipher=cipher, now=now)


def update_variable(
    tx: Transaction, key: str, changes: VariableChanges, *, cipher: Cipher, rules: MaskingRules, now: datetime
) -> None:
    """Change one. Where the new value has what stood in place of a secret when it was shown, the secret stays.

    Raises `UnknownVariable`.
    """
    stored = tx.variables.find(key)
    if stored is None:
        raise UnknownVariable(key)
    record = replace(stored, description=changes.get("description", stored.description))
    if "value" in changes:
        value = meant_variable(key, changes["value"], lambda: opened_variable(stored, cipher), rules)
        record = sealed_variable(key, value, record.description, cipher)
    tx.variables.put([record], now)


def set_variable(
    tx: Transaction, key: str, value: str, *, description: str | None = None, cipher: Cipher, now: datetime
) -> None:
    """Create or replace. Raises `InvalidRequest` for a key that cannot be one."""
    set_variables(tx, [Variable(key, value, description)], cipher=cipher, now=now)


def set_variables(
    tx: Transaction,
    variables: list[Variable],
    *,
    cipher: Cipher,
    now: datetime,
    on_existing: OnExisting = OnExisting.OVERWRITE,
) -> list[str]:
    """Many at once: all, or none where one is refused. Returns the keys that were written.

    Raises:
        InvalidRequest: a key cannot be one.
        Conflict: with `OnExisting.FAIL`, some are there already.
    """
    for variable in variables:
        check_key(variable.key)
    existing = set() if on_existing is OnExisting.OVERWRITE else set(tx.variables.keys())
    there = sorted(existing & {variable.key for variable in variables})
    if there and on_existing is OnExisting.FAIL:
        raise Conflict(f"these variables exist already, so none was written: {', '.join(there)}")
    written = {variable.key: variable for variable in variables if variable.key not in existing}
    records = [sealed_variable(each.key, each.value, each.description, cipher) for each in written.values()]
    tx.variables.put(records, now)
    return list(written)


def find_variable(tx: Transaction, key: str, cipher: Cipher) -> str | None:
    """The text of a stored variable. Raises `UndecipherableSecret`."""
    record = tx.variables.find(key)
    return None if record is None else opened_variable(record, cipher)


def list_variables(tx: Transaction, cipher: Cipher) -> list[Variable]:
    """All, by key. Raises `UndecipherableSecret`."""
    return [
        Variable(record.key, opened_variable(record, cipher), record.description, record.is_encrypted)
        for record in tx.variables.all()
    ]


def describe_variables(tx: Transaction) -> Mapping[str, str | None]:
    """The descriptions of all variables by their keys: what may be seen of them without being able to read them."""
    return {record.key: record.description for record in tx.variables.all()}


def delete_variable(tx: Transaction, key: str) -> None:
    """Raises `UnknownVariable`."""
    if not tx.variables.delete([key]):
        raise UnknownVariable(key)


def check_key(key: str) -> None:
    """Raises `InvalidRequest` for what cannot be the key of a variable."""
    if not key or len(key) > LONGEST_KEY:
        raise InvalidRequest(f"the key of a variable has 1 to {LONGEST_KEY} characters, not {len(key)}")
