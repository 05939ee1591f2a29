"""Links that an operator offers: looked up once the task ran, and kept as XComs for the user interface."""

import logging
from typing import Any

from tradewind.sdk.task_instance import RuntimeTaskInstance

log = logging.getLogger(__name__)


def push_extra_links(task: Any, ti: RuntimeTaskInstance) -> None:
    """Store the address of each link. One that fails is left out."""
    for link in task.operator_extra_links or ():
        try:
            ti.xcom_push(link.xcom_key, link.get_link(task, ti_key=ti.key))
        except Exception:
            log.exception("The link %r of task %r failed", getattr(link, "name", link), ti.task_id)
