"""`access_control`: what roles may do with the DAG."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from tradewind.dag_processor.compile.values import CompileError
from tradewind.model.account import DagRight
from tradewind.model.dag import RoleGrant

_RIGHTS: Final = {
    "can_read": DagRight.READ,
    "can_edit": DagRight.EDIT,
    "can_delete": DagRight.DELETE,
    # Airflow 2 had these.
    "can_dag_read": DagRight.READ,
    "can_dag_edit": DagRight.EDIT,
}
_OF_DAGS: Final = "DAGs"
_OF_RUNS: Final = "DAG Runs"
# Whoever may edit a DAG may make runs of it, and whoever may not, may not: to make runs alone cannot be granted.
_WORDS_OF_RUNS: Final = frozenset({"can_create", "can_delete", "can_read", "menu_access"})


def compile_access(given: Any) -> tuple[RoleGrant, ...]:
    """`{"role": {"can_read"}}`, or `{"role": {"DAGs": {"can_read"}}}`.

    Raises:
        CompileError: a word that means nothing. To pass over it would let the author believe that it does.
    """
    if not given:
        return ()
    if not isinstance(given, Mapping):
        raise CompileError(f"access_control has to be a dict of roles, not {type(given).__name__}")
    grants = (RoleGrant(str(role), _rights(str(role), rights)) for role, rights in given.items())
    return tuple(sorted((grant for grant in grants if grant.rights), key=lambda grant: grant.role))


def _rights(role: str, given: Any) -> tuple[DagRight, ...]:
    by_resource = given if isinstance(given, Mapping) else {_OF_DAGS: given}
    found: set[DagRight] = set()
    for resource, words in by_resource.items():
        if resource not in (_OF_DAGS, _OF_RUNS) or not isinstance(words, Collection) or isinstance(words, str):
            raise CompileError(
                f"access_control of the role {role!r} has to be a set of rights, or a dict of such sets for"
                f" {_OF_DAGS!r} and {_OF_RUNS!r}"
            )
        known = _RIGHTS if resource == _OF_DAGS else _WORDS_OF_RUNS
        unknown = sorted(str(word) for word in words if word not in known)
        if unknown:
            raise CompileError(
                f"access_control of the role {role!r} has the unknown right {unknown[0]!r}; expected"
                f" {', '.join(sorted(known))}"
            )
        if resource == _OF_DAGS:
            found.update(_RIGHTS[word] for word in words)
    return tuple(sorted(found))
