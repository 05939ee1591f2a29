"""What the standard operators and sensors raise beyond the SDK's own exceptions."""

from tradewind.sdk.exceptions import AirflowException


class AirflowExternalTaskSensorException(AirflowException):
    """What `ExternalTaskSensor` waits for cannot come any more."""


class ExternalDagNotFoundError(AirflowExternalTaskSensorException):
    """There is no DAG of that id."""


class ExternalDagDeletedError(AirflowExternalTaskSensorException):
    """The DAG existed, but its file is gone."""


class ExternalTaskNotFoundError(AirflowExternalTaskSensorException):
    """The DAG has no task of that id."""


class ExternalTaskGroupNotFoundError(AirflowExternalTaskSensorException):
    """The DAG has no task group of that id."""


class ExternalTaskFailedError(AirflowExternalTaskSensorException):
    """An external task reached a state that counts as failure."""


class ExternalTaskGroupFailedError(AirflowExternalTaskSensorException):
    """An external task group reached a state that counts as failure."""


class ExternalDagFailedError(AirflowExternalTaskSensorException):
    """A run of the external DAG reached a state that counts as failure."""


class DuplicateStateError(AirflowExternalTaskSensorException):
    """The same state is in two of `allowed_states`, `skipped_states` and `failed_states`."""


class DagIsPaused(AirflowException):
    """The DAG that should be triggered is paused."""

    def __init__(self, dag_id: str) -> None:
        super().__init__(dag_id)
        self.dag_id = dag_id

    def __str__(self) -> str:
        return f"DAG {self.dag_id!r} is paused; unpause it, or leave `fail_when_dag_is_paused` off"


class DeserializingResultError(ValueError):
    """What a function returned in another interpreter cannot be read here."""

    def __str__(self) -> str:
        return (
            "the function's result cannot be read here: return plain values, or use a serializer and library versions"
            " that both environments have"
        )


class HITLTriggerEventError(Exception):
    """A person's answer could not be used."""


class HITLTimeoutError(HITLTriggerEventError):
    """Nobody answered in time, and there is no default answer."""


class HITLRejectException(AirflowException):
    """Somebody chose "Reject", and `fail_on_reject` makes that a failure."""
