"""What listeners are told that starts and stops, where that is the process of a task."""


class TaskRunnerMarker:
    """Has nothing: a listener asks whether its component is one. The name is Airflow's."""
