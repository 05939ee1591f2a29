"""Waiting for a person's answer in the triggerer.

The operators here do not need it: their tasks wait in the state `awaiting_input`. It is for code that defers to it, as
Airflow's operators did before 3.3.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict
from uuid import UUID

from tradewind.model.task_answers import HITLDetailResponse
from tradewind.sdk import timezone
from tradewind.sdk.exceptions import ParamValidationError
from tradewind.sdk.hitl import HITLUser, get_hitl_detail_content_detail, update_hitl_detail_response
from tradewind.sdk.param import Param, ParamsDict
from tradewind.sdk.triggers import BaseTrigger, TriggerEvent


class HITLTriggerEventSuccessPayload(TypedDict, total=False):
    """An answer."""

    chosen_options: list[str]
    params_input: dict[str, Any]
    responded_by_user: HITLUser | None
    responded_at: datetime | None
    timedout: bool


class HITLTriggerEventFailurePayload(TypedDict):
    """Why there is no answer that can be used."""

    error: str
    error_type: Literal["timeout", "unknown", "validation"]


class HITLTrigger(BaseTrigger):
    """Fires when somebody answered, or at `timeout_datetime` with the defaults, or an error if there are none."""

    def __init__(
        self,
        *,
        ti_id: UUID | str,
        options: list[str],
        params: dict[str, dict[str, Any]],
        defaults: list[str] | None = None,
        multiple: bool = False,
        timeout_datetime: datetime | None,
        poke_interval: float = 5.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.ti_id = ti_id
        self.options = options
        self.params = ParamsDict({name: _param(value) for name, value in params.items()})
        self.defaults = defaults
        self.multiple = multiple
        self.timeout_datetime = timeout_datetime
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        arguments = {
            "ti_id": str(self.ti_id),
            "options": self.options,
            "params": {name: self.params.get_param(name).serialize() for name in self.params},
            "defaults": self.defaults,
            "multiple": self.multiple,
            "timeout_datetime": self.timeout_datetime,
            "poke_interval": self.poke_interval,
        }
        return f"{__name__}.HITLTrigger", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look for an answer until the time is over."""
        while True:
            # The time is read first: an answer that came before it counts, however late it is seen.
            is_over = self.timeout_datetime is not None and self.timeout_datetime < timezone.utcnow()
            answer = await asyncio.to_thread(get_hitl_detail_content_detail, self.ti_id)
            if answer.response_received and answer.chosen_options:
                yield TriggerEvent(self._taken(answer))
                return
            if is_over:
                yield TriggerEvent(await asyncio.to_thread(self._after_timeout))
                return
            await asyncio.sleep(self.poke_interval)

    def _after_timeout(self) -> HITLTriggerEventSuccessPayload | HITLTriggerEventFailurePayload:
        if self.defaults is None:
            return HITLTriggerEventFailurePayload(
                error="nobody answered in time, and there is no default answer", error_type="timeout"
            )
        return self._taken(update_hitl_detail_response(self.ti_id, self.defaults, self.params.dump()))

    def _taken(self, answer: HITLDetailResponse) -> HITLTriggerEventSuccessPayload | HITLTriggerEventFailurePayload:
        try:
            for name, value in answer.params_input.items():
                self.params[name] = value
        except ParamValidationError as wrong:
            return HITLTriggerEventFailurePayload(error=str(wrong), error_type="validation")
        user = answer.responded_by_user
        return HITLTriggerEventSuccessPayload(
            chosen_options=list(answer.chosen_options or ()),
            params_input=dict(answer.params_input),
            responded_by_user=None if user is None else HITLUser(id=user.id, name=user.name),
            responded_at=answer.responded_at,
            # Only the task itself answers without a name.
            timedout=user is None,
        )


def _param(value: Any) -> Param:
    if isinstance(value, Mapping) and {"value", "description", "schema"} <= set(value):
        return Param(value["value"], description=value["description"], source=value.get("source"), **value["schema"])
    return Param(value)
