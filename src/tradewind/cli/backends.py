"""Secrets backends in the processes that commands start."""

from typing import TYPE_CHECKING

from tradewind.cli.deferred import Deferred

if TYPE_CHECKING:
    from tradewind import compat
    from tradewind.settings import Settings
else:
    compat = Deferred("tradewind.compat")


def prepare_backends(settings: "Settings") -> None:
    """Secrets backends are classes of Airflow's, or subclasses of them: let `airflow` be found where there are any."""
    if settings.secrets.backend or settings.workers.secrets_backend:
        compat.install()
