"""Notifiers: called or awaited, with templates (D4)."""

import asyncio
from typing import Any, cast

import jinja2
import pytest

from tradewind.sdk.context import Context
from tradewind.sdk.notifier import BaseNotifier


class Tells(BaseNotifier):
    """Remembers what it told."""

    template_fields = ("message",)

    def __init__(self, message: str, context: Context | None = None) -> None:
        self.message = message
        self.told: list[str] = []
        super().__init__(context)

    def notify(self, context: Context) -> None:
        self.told.append(self.message)

    async def async_notify(self, context: Context) -> None:
        self.told.append(f"async {self.message}")


class Silent(BaseNotifier):
    """Tells nobody."""


def context(**values: Any) -> Context:
    return cast("Context", values)


def test_notifier_is_called_with_the_context_and_renders_its_fields() -> None:
    notifier = Tells("{{ name }} failed")
    given = context(name="it")

    notifier(given)

    assert notifier.told == ["it failed"]
    assert cast("dict[str, Any]", given)["message"] == "{{ name }} failed"


def test_notifier_is_awaited_with_the_context_it_was_made_with() -> None:
    notifier = Tells("{{ name }}", context(name="you"))

    async def wait() -> None:
        await notifier

    asyncio.run(wait())

    assert notifier.told == ["async you"]


def test_four_arguments_of_an_old_callback_become_a_context() -> None:
    notifier = Tells("{{ task_list }} {{ blocking_tis }}")

    notifier(None, "tasks", "blocking tasks", "blocking")

    assert notifier.told == ["tasks blocking"]


def test_notifier_without_the_method_that_is_needed_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Silent has no notify"):
        Silent()(context())

    async def wait() -> None:
        await Silent()

    with pytest.raises(NotImplementedError, match="Silent has no async_notify"):
        asyncio.run(wait())


def test_failure_is_logged_and_raised(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NotImplementedError):
        Silent()(context())

    assert "Silent could not tell anybody" in caplog.text


def test_environment_of_the_dag_is_used() -> None:
    class Dag:
        render_template_as_native_obj = False

        def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
            environment = jinja2.Environment()
            environment.globals["macro"] = "of the DAG"
            return environment

    notifier = Tells("{{ macro }}")

    notifier(context(dag=Dag()))

    assert notifier.told == ["of the DAG"]
