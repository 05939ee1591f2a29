"""Questions of tasks to people."""

from collections.abc import Mapping, Sequence
from typing import cast

from tradewind.errors import InvalidRequest
from tradewind.model.ids import AttemptKey, try_id
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.task import TaskSnapshot
from tradewind.model.task_answers import HITLDetailRequest, HITLDetailResponse
from tradewind.operations.inquire import check_answer
from tradewind.operations.task_requests.request import TaskRequest


class QuestionRequest(TaskRequest):
    """See `sdk.runtime.HITLRuntime`. A task, or the trigger of one, speaks for its own try only."""

    def upsert_hitl_detail(self, request: HITLDetailRequest) -> None:
        own = self._own(request.ti_id)
        attempt = AttemptKey(*own.key, own.attempt)
        if self.is_repeat and self.tx.inquiries.of_attempts([attempt]):
            return  # somebody may have answered it already
        self.tx.inquiries.put(
            Inquiry(
                attempt=attempt,
                try_number=own.try_number,
                options=request.options,
                subject=request.subject,
                body=request.body,
                defaults=request.defaults,
                multiple=request.multiple,
                params=cast("Mapping[str, JsonValue]", request.params),
                assigned_users=request.assigned_users,
                created_at=self.now,
            )
        )

    def update_hitl_detail(
        self, ti_id: str, *, chosen_options: Sequence[str], params_input: Mapping[str, JsonValue]
    ) -> HITLDetailResponse:
        """Whoever answered first is not overruled: their answer comes back."""
        own = self._own(ti_id)
        inquiry = self.tx.inquiries.find(own.key, own.try_number)
        if inquiry is None:
            raise InvalidRequest(f"task instance {ti_id} asked nothing")
        check_answer(inquiry, chosen_options, params_input)
        answer = HumanAnswer(
            chosen_options=tuple(chosen_options), params_input=dict(params_input), at=self.now, by=None
        )
        if self.tx.inquiries.answer(inquiry, answer):
            return _response(answer)
        stored = self.tx.inquiries.find(own.key, own.try_number)
        return _response(None if stored is None else stored.answer)

    def get_hitl_detail(self, ti_id: str) -> HITLDetailResponse | None:
        own = self._own(ti_id)
        inquiry = self.tx.inquiries.find(own.key, own.try_number)
        return None if inquiry is None else _response(inquiry.answer)

    def _own(self, ti_id: str) -> TaskSnapshot:
        """The task instance as it is now.

        Raises:
            InvalidRequest: the id is that of another one, or of an earlier try.
        """
        asker = self.asker
        for snapshot in self.tx.tasks.snapshots([asker.key]):
            key = snapshot.key
            own_id = try_id(asker.dag_id, asker.run_id, key.task_id, key.map_index, snapshot.try_number)
            if str(own_id) == ti_id:
                return snapshot
        raise InvalidRequest(f"task {asker.key.task_id!r} may ask people in its own name only, not in that of {ti_id}")


def _response(answer: HumanAnswer | None) -> HITLDetailResponse:
    if answer is None:
        return HITLDetailResponse(response_received=False)
    return HITLDetailResponse(
        response_received=True,
        responded_by_user=answer.by,
        responded_at=answer.at,
        chosen_options=answer.chosen_options,
        params_input=dict(answer.params_input),
    )
