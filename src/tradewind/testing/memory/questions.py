"""Questions of tasks to people, and what the test answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.model.task_answers import HITLDetailRequest, HITLDetailResponse
from tradewind.testing.memory.premises import Premises


class MemoryQuestions:
    """See `sdk.runtime.HITLRuntime`."""

    premises: Premises

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> None:
        self.premises.memory.questions[request.ti_id] = request

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, Any]
    ) -> HITLDetailResponse:
        response = HITLDetailResponse(
            response_received=True,
            responded_at=self.premises.clock.now(),
            chosen_options=tuple(chosen_options),
            params_input=dict(params_input),
        )
        self.premises.memory.responses[ti_id] = response
        return response

    def get_hitl_detail(self, ti_id: str) -> HITLDetailResponse | None:
        if ti_id not in self.premises.memory.questions:
            return None
        return self.premises.memory.responses.get(ti_id, HITLDetailResponse(response_received=False))
