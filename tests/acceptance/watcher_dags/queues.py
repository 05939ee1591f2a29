"""DAGs that wait for messages."""

import os

from airflow.providers.common.messaging.triggers.msg_queue import MessageQueueTrigger
from airflow.sdk import DAG, Asset, AssetWatcher

QUEUE = os.environ["ACCEPTANCE_QUEUE"]

TRIGGERS = {
    "stream": MessageQueueTrigger(scheme="redis+stream", stream=QUEUE),
    "rabbit": MessageQueueTrigger(scheme="rabbitmq", queue=QUEUE),
    "hook": MessageQueueTrigger(scheme="webhook", hook="orders", poll_interval=0.05),
}

for name, trigger in TRIGGERS.items():
    globals()[name] = DAG(f"on_{name}", schedule=Asset(name, watchers=[AssetWatcher(name, trigger)]))
