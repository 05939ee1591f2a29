"""All that running tasks may ask for, answered from the database."""

from tradewind.operations.task_requests.assets import AssetRequest
from tradewind.operations.task_requests.questions import QuestionRequest
from tradewind.operations.task_requests.runs import RunRequests
from tradewind.operations.task_requests.secrets import SecretRequest
from tradewind.operations.task_requests.states import TaskStateRequest
from tradewind.operations.task_requests.tasks import TaskInstanceRequest
from tradewind.operations.task_requests.webhooks import WebhookRequest
from tradewind.operations.task_requests.xcoms import XComRequest


class StoredRuntime(
    SecretRequest,
    XComRequest,
    TaskStateRequest,
    AssetRequest,
    RunRequests,
    TaskInstanceRequest,
    QuestionRequest,
    WebhookRequest,
):
    """Implements `sdk.runtime.Runtime` for one task instance, which must exist, and within one transaction.

    A method that refuses (`TradewindError`) has written nothing: the transaction can go on.
    """
