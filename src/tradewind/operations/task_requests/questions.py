"""Questions of tasks to people: not kept yet."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from tradewind.errors import TradewindError
from tradewind.model.json_value import JsonValue
from tradewind.model.task_answers import HITLDetailRequest
from tradewind.operations.task_requests.request import TaskRequest


class QuestionRequest(TaskRequest):
    """See `sdk.runtime.HITLRuntime`."""

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> NoReturn:
        self._refuse()

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, JsonValue]
    ) -> NoReturn:
        self._refuse()

    def get_hitl_detail(self, ti_id: str) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TradewindError("questions of tasks to people are not available yet")
