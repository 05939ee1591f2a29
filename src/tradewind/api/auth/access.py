"""What people may do: the one place that says so, for all routes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Final


class Level(IntEnum):
    """The roles that everybody has one of; each may do what the one before may."""

    NOBODY = 0
    """Only what a DAG itself grants."""
    VIEWER = 1
    USER = 2
    OP = 3
    ADMIN = 4


class Resource(Enum):
    """What something is done to."""

    ASSET = "asset"
    AUDIT_LOG = "audit log"
    CONFIG = "configuration"
    CONNECTION = "connection"
    DAG = "DAG"
    """With its runs, backfills, task instances, logs, XComs, versions and source."""
    IMPORT_ERROR = "import error"
    JOB = "job"
    OWN_ACCOUNT = "own account"
    """Of whoever asks: their tokens, their password."""
    PLUGIN = "plugin"
    POOL = "pool"
    PROVIDER = "provider"
    USER = "user"
    VARIABLE = "variable"


class Action(Enum):
    """What is done to it."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Need:
    """What a route needs its caller to be allowed."""

    resource: Resource
    action: Action


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks."""

    name: str
    level: Level
    granted: Mapping[str, frozenset[Action]] = field(default_factory=dict)
    """By DAG: what its `access_control` lets a role of theirs do."""
    is_program: bool = False
    """Whether it has a token that somebody made for it. It cannot make others."""


_READ_BY: Final = {
    Resource.OWN_ACCOUNT: Level.NOBODY,
    Resource.AUDIT_LOG: Level.OP,
    Resource.CONFIG: Level.OP,
    Resource.CONNECTION: Level.OP,
    Resource.PLUGIN: Level.OP,
    Resource.PROVIDER: Level.OP,
    Resource.USER: Level.ADMIN,
    Resource.VARIABLE: Level.OP,
}
_EDITED_BY: Final = {
    Resource.OWN_ACCOUNT: Level.NOBODY,
    Resource.ASSET: Level.USER,
    Resource.DAG: Level.USER,
    Resource.USER: Level.ADMIN,
}


def may(principal: Principal, need: Need, dag_id: str | None = None) -> bool:
    """Whether they may; for what belongs to a DAG, whether they may there."""
    if principal.level >= _least_level(need):
        return True
    return need.resource is Resource.DAG and dag_id is not None and need.action in principal.granted.get(dag_id, ())


def dags_within_reach(principal: Principal, need: Need) -> frozenset[str] | None:
    """The DAGs for which they may; None: all of them. Lists show no others."""
    if may(principal, need):
        return None
    return frozenset(dag_id for dag_id, actions in principal.granted.items() if need.action in actions)


def may_answer(principal: Principal, assigned: Collection[str]) -> bool:
    """Whether they may answer what a task asks, for who may change its DAG's runs: the question may be for some only.

    Not even an administrator answers in the place of those; they can name others in the DAG, or end the task.
    """
    return not assigned or principal.name in assigned


def _least_level(need: Need) -> Level:
    if need.action is Action.READ:
        return _READ_BY.get(need.resource, Level.VIEWER)
    return _EDITED_BY.get(need.resource, Level.OP)
