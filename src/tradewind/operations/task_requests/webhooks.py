"""What was posted to webhooks."""

from collections.abc import Sequence

from tradewind.model.task_answers import WebhookMessage
from tradewind.operations.task_requests.request import TaskRequest


class WebhookRequest(TaskRequest):
    """See `sdk.runtime.WebhookRuntime`."""

    def get_webhook_messages(self, hook: str, *, after: int = 0, limit: int = 100) -> list[WebhookMessage]:
        found = self.tx.watchers.posted(hook, after, limit)
        return [WebhookMessage(number=number, body=body) for number, body in found]

    def delete_webhook_messages(self, hook: str, numbers: Sequence[int]) -> None:
        self.tx.watchers.drop_posted(hook, numbers)
