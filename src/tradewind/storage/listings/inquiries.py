"""What tasks ask people, in the try that they are at."""

from typing import Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.model.states import TaskState
from tradewind.storage.listings.listing import Listing
from tradewind.storage.listings.task_instances import TASK_INSTANCES
from tradewind.storage.schema import dag_run, inquiry, task_instance

_ASKED: Final = inquiry.c
_TASK: Final = task_instance.c
_OF_TASK: Final = ("run_key", "task_id", "map_index")
_KEY: Final = (*_OF_TASK, "try_number")
"""Without the try, a page that was found would be completed with the questions of earlier ones."""
_SAME_TASK: Final = sa.and_(*(_TASK[name] == _ASKED[name] for name in _OF_TASK))
_BEGINS_ANEW: Final[list[sa.ColumnElement[str]]] = [
    sa.literal_column(f"'{state}'") for state in (TaskState.NONE, TaskState.UP_FOR_RETRY)
]

INQUIRIES = Listing(
    inquiry,
    {
        **TASK_INSTANCES.shown,
        # Of the question, which is where a run's are found.
        **{name: _ASKED[name] for name in _KEY},
        "options": _ASKED.options,
        "subject": _ASKED.subject,
        "body": _ASKED.body,
        "defaults": _ASKED.defaults,
        "multiple": _ASKED.multiple,
        "params": _ASKED.params,
        "assigned_users": _ASKED.assigned_users,
        "created_at": _ASKED.created_at,
        "responded_at": _ASKED.responded_at,
        "responded_by_user_id": _ASKED.responded_by_id,
        "responded_by_user_name": _ASKED.responded_by_name,
        "chosen_options": _ASKED.chosen_options,
        "params_input": _ASKED.params_input,
    },
    key=_KEY,
    order=(Order("run_key"),),
    joined=((task_instance, _SAME_TASK), *TASK_INSTANCES.joined),
    secret=TASK_INSTANCES.secret,
    where=sa.and_(_TASK.try_number == _ASKED.try_number, _TASK.state.not_in(_BEGINS_ANEW)),
    hidden={
        # What clients may sort by and ask for, besides.
        "ti_id": _ASKED.run_key,
        "run_id": dag_run.c.run_id,
        "stored_state": _TASK.state,
        "task_instance_state": _TASK.state,
        "task_instance_operator": TASK_INSTANCES.shown["operator"],
    },
)
