"""Secrets backends in the processes that commands start."""

from tradewind.compat import install as answer_for_airflow
from tradewind.settings import Settings


def prepare_backends(settings: Settings) -> None:
    """Secrets backends are classes of Airflow's, or subclasses of them: let `airflow` be found where there are any."""
    if settings.secrets.backend or settings.workers.secrets_backend:
        answer_for_airflow()
