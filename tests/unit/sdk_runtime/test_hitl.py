"""Questions of tasks to people (D2)."""

from uuid import UUID

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import HITLDetailRequest, HITLUserResult
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.hitl import get_hitl_detail_content_detail, update_hitl_detail_response, upsert_hitl_detail

TI = UUID(int=7)


def test_question_is_asked_with_all_it_has(runtime: MemoryRuntime) -> None:
    upsert_hitl_detail(TI, ["yes", "no"], "Go on?", "Really?", ["no"], True, {"why": ""}, [{"id": "1", "name": "Ann"}])

    assert runtime.questions[str(TI)] == HITLDetailRequest(
        ti_id=str(TI),
        options=("yes", "no"),
        subject="Go on?",
        body="Really?",
        defaults=("no",),
        multiple=True,
        params={"why": ""},
        assigned_users=(HITLUserResult("1", "Ann"),),
    )


def test_question_without_options_is_refused(runtime: MemoryRuntime) -> None:
    with pytest.raises(ValueError, match="'Go on\\?' needs at least one option"):
        upsert_hitl_detail(TI, [], "Go on?")


def test_answer_is_stored_and_read(runtime: MemoryRuntime) -> None:
    given = update_hitl_detail_response(TI, ["yes"], {"why": "because"})

    read = get_hitl_detail_content_detail(TI)

    assert read is given
    assert (read.response_received, read.chosen_options, read.params_input) == (True, ("yes",), {"why": "because"})


def test_task_that_asked_nothing_is_named(runtime: MemoryRuntime) -> None:
    with pytest.raises(AirflowNotFoundException, match=str(TI)):
        get_hitl_detail_content_detail(TI)
