"""Exceptions of Airflow's servers that code catches here and there."""

from tradewind.sdk.exceptions import AirflowException


class AirflowInternalRuntimeError(BaseException):
    """A server found itself in a state that should be impossible."""


class DeserializingResultError(ValueError):
    """What a function in another Python returned cannot be read here."""


class InvalidStatsNameException(AirflowException):
    """The name of a metric has characters that it must not have."""


class PodMutationHookException(AirflowException):
    """`pod_mutation_hook` failed."""


class PodReconciliationError(AirflowException):
    """Two descriptions of a pod contradict each other."""
