"""Tasks that ask people.

They do not wait in a worker or for a trigger: they put the question, leave (`TaskAwaitingInput`), and go on in
`execute_complete` when somebody answered, or when `response_timeout` is over and there is a default answer.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, NoReturn
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from tradewind.sdk import timezone
from tradewind.sdk.branch import BranchMixIn
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import TaskAwaitingInput
from tradewind.sdk.hitl import HITLUser, upsert_hitl_detail
from tradewind.sdk.notifier import BaseNotifier
from tradewind.sdk.notset import is_arg_set
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.param import ParamsDict
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.skip import SkipMixin
from tradewind.sdk.standard.exceptions import HITLRejectException, HITLTimeoutError, HITLTriggerEventError
from tradewind.sdk.standard.hitl_trigger import HITLTriggerEventSuccessPayload
from tradewind.sdk.standard.python import downstream_to_skip


class HITLOperator(BaseOperator):
    """Ask people to choose from `options`, and to fill in `params` if there are any.

    `body` may be Markdown. `defaults` are what is taken when `response_timeout` is over; without them the task fails
    then.
    """

    template_fields: Collection[str] = ("subject", "body")
    asks_for_params: ClassVar[bool] = True
    """Its params are a form: those without a default get their value from whoever answers."""

    def __init__(
        self,
        *,
        subject: str,
        options: list[str],
        body: str | None = None,
        defaults: str | list[str] | None = None,
        multiple: bool = False,
        params: ParamsDict | dict[str, Any] | None = None,
        notifiers: Sequence[BaseNotifier] | BaseNotifier | None = None,
        assigned_users: HITLUser | list[HITLUser] | None = None,
        response_timeout: timedelta | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if self.execution_timeout and not response_timeout:
            warnings.warn(
                f"execution_timeout of task {self.task_id!r} limits the asking, not the waiting for an answer: use"
                " response_timeout; it is taken as such here",
                AirflowProviderDeprecationWarning,
                stacklevel=3,
            )
            response_timeout, self.execution_timeout = self.execution_timeout, None
        self.subject = subject
        self.body = body
        self.options = options
        self.defaults = [defaults] if isinstance(defaults, str) else defaults
        self.multiple = multiple
        self.params = self._own_params(params if isinstance(params, ParamsDict) else ParamsDict(params or {}))
        self.notifiers: Sequence[BaseNotifier] = [notifiers] if isinstance(notifiers, BaseNotifier) else notifiers or []
        self.assigned_users = [assigned_users] if isinstance(assigned_users, dict) else assigned_users
        self.response_timeout = response_timeout
        self.hitl_summary_extra: dict[str, Any] = {}
        self.validate_options()
        self.validate_params()
        self.validate_defaults()

    def _own_params(self, params: ParamsDict) -> ParamsDict:
        """Without those that the task inherited: they are for whoever starts a run, not for whoever answers."""
        of_the_dag = {} if self.dag is None else dict(self.dag.params.items())
        return ParamsDict({name: param for name, param in params.items() if param is not of_the_dag.get(name)})

    @property
    def hitl_summary(self) -> dict[str, Any]:
        """The question and what became of it, for listeners."""
        return {
            "subject": self.subject,
            "body": self.body,
            "options": self.options,
            "defaults": self.defaults,
            "multiple": self.multiple,
            "assigned_users": self.assigned_users,
            "serialized_params": self.serialized_params or None,
            **self.hitl_summary_extra,
        }

    @property
    def serialized_params(self) -> dict[str, dict[str, Any]]:
        """The form. A field without a default is empty, which its schema may not allow: then it must be filled in."""
        fields = {name: self.params.get_param(name) for name in self.params}
        return {
            name: field.serialize() | {"value": field.value if is_arg_set(field.value) else None}
            for name, field in fields.items()
        }

    def validate_options(self) -> None:
        """There must be something to choose."""
        if not self.options:
            raise ValueError(f"options of task {self.task_id!r} are empty: people need something to choose")

    def validate_params(self) -> None:
        """Params share their namespace with the choice. Their values are checked when there are some."""
        if "_options" in self.params:
            raise ValueError(f"task {self.task_id!r} has a param '_options', which is reserved for the choice")

    def validate_defaults(self) -> None:
        """Defaults must be a valid answer."""
        if self.defaults is None:
            return
        if not set(self.defaults) <= set(self.options):
            raise ValueError(f"defaults {self.defaults} of task {self.task_id!r} are not all in options {self.options}")
        if not self.multiple and len(self.defaults) > 1:
            raise ValueError(f"task {self.task_id!r} has several defaults, but multiple is False")

    def execute(self, context: Context) -> NoReturn:
        """Put the question and leave."""
        upsert_hitl_detail(
            ti_id=context["ti"].id,
            options=self.options,
            subject=self.subject,
            body=self.body,
            defaults=self.defaults,
            multiple=self.multiple,
            params=self.serialized_params,
            assigned_users=self.assigned_users,
        )
        over_at = timezone.utcnow() + self.response_timeout if self.response_timeout else None
        self.hitl_summary_extra["timeout_datetime"] = over_at.isoformat() if over_at else None
        for notifier in self.notifiers:
            notifier(context)
        self.log.info("Waiting for an answer")
        raise TaskAwaitingInput(method_name="execute_complete", timeout=self.response_timeout)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Take the answer."""
        if "error" in event:
            self.hitl_summary_extra["error_type"] = event["error_type"]
            self.process_trigger_event_error(event)
        chosen_options, params_input = list(event["chosen_options"]), dict(event["params_input"] or {})
        self.validate_chosen_options(chosen_options)
        self.validate_params_input(params_input)
        responded_at = event["responded_at"]
        answer = HITLTriggerEventSuccessPayload(
            chosen_options=chosen_options,
            params_input=params_input,
            responded_at=responded_at,
            responded_by_user=event["responded_by_user"],
        )
        self.hitl_summary_extra.update(answer)
        self.hitl_summary_extra["responded_at"] = (
            responded_at.isoformat() if isinstance(responded_at, datetime) else responded_at
        )
        return answer

    def process_trigger_event_error(self, event: dict[str, Any]) -> None:
        """Fail, because there is no answer that can be used."""
        raise HITLTimeoutError(event) if event["error_type"] == "timeout" else HITLTriggerEventError(event)

    def validate_chosen_options(self, chosen_options: list[str]) -> None:
        """Only what was offered can be chosen."""
        unknown = set(chosen_options) - set(self.options)
        if unknown:
            raise ValueError(f"the answer has {sorted(unknown)}, which are not in options {self.options}")

    def validate_params_input(self, params_input: Mapping[str, Any]) -> None:
        """The form must be filled in completely, as its schema wants it."""
        if self.params and params_input and set(self.params) != set(params_input):
            raise ValueError(f"the answer fills in {sorted(params_input)}, but the form has {sorted(self.params)}")
        for name, value in params_input.items():
            self.params[name] = value

    def generate_link_to_ui(
        self,
        *,
        task_instance: Any,
        base_url: str | None = None,
        options: str | list[str] | None = None,
        params_input: dict[str, Any] | None = None,
    ) -> str:
        """The page where the question is answered, with this answer filled in."""
        query: dict[str, Any] = {}
        chosen = [options] if isinstance(options, str) else options
        if chosen:
            self.validate_chosen_options(chosen)
            query["_options"] = chosen
        unknown = set(params_input or {}) - set(self.params)
        if unknown:
            raise ValueError(f"params {sorted(unknown)} are not in the form of task {self.task_id!r}")
        query.update(params_input or {})
        query["map_index"] = task_instance.map_index
        base = base_url or conf.get("api", "base_url", fallback=None)
        if not base:
            raise ValueError("a link needs an address: pass base_url, or set [api] base_url")
        parts = urlsplit(base)
        path = (
            f"/dags/{task_instance.dag_id}/runs/{task_instance.run_id}/tasks/{task_instance.task_id}/required_actions"
        )
        return urlunsplit((parts.scheme, parts.netloc, quote(path), urlencode(query), ""))

    @staticmethod
    def generate_link_to_ui_from_context(
        *,
        context: Context,
        base_url: str | None = None,
        options: list[str] | None = None,
        params_input: dict[str, Any] | None = None,
    ) -> str:
        """As `generate_link_to_ui` for the running task: for notifiers."""
        task = context["task"]
        if not isinstance(task, HITLOperator):
            raise ValueError(f"only tasks that ask people have such a page, and {task.task_id!r} is none")  # noqa: TRY004
        return task.generate_link_to_ui(
            task_instance=context["ti"], base_url=base_url, options=options, params_input=params_input
        )


class ApprovalOperator(HITLOperator, SkipMixin):
    """Ask people to approve or reject. "Reject" skips what is behind the task, or fails it with `fail_on_reject`."""

    inherits_from_skipmixin = True

    FIXED_ARGS = ("options", "multiple")
    APPROVE = "Approve"
    REJECT = "Reject"

    def __init__(
        self, *, ignore_downstream_trigger_rules: bool = False, fail_on_reject: bool = False, **kwargs: Any
    ) -> None:
        for name in self.FIXED_ARGS:
            if name in kwargs:
                raise ValueError(f"ApprovalOperator has fixed {name}; leave the argument out, or use HITLOperator")
        super().__init__(options=[self.APPROVE, self.REJECT], multiple=False, **kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules
        self.fail_on_reject = fail_on_reject
        self.hitl_summary_extra["ignore_downstream_trigger_rules"] = ignore_downstream_trigger_rules
        self.hitl_summary_extra["fail_on_reject"] = fail_on_reject

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Go on, or skip what is downstream."""
        answer = super().execute_complete(context=context, event=event)
        approved = answer["chosen_options"][0] == self.APPROVE
        self.hitl_summary_extra["approved"] = approved
        if approved:
            return answer
        if self.fail_on_reject:
            raise HITLRejectException(f"task {self.task_id!r} was rejected")
        self.log.info("Rejected: skipping what is downstream")
        self.skip(context["ti"], downstream_to_skip(context["task"], all_of_them=self.ignore_downstream_trigger_rules))
        return answer


class HITLBranchOperator(HITLOperator, BranchMixIn):
    """Let people choose what to follow: an option is a task id, or stands for one in `options_mapping`."""

    inherits_from_skipmixin = True

    def __init__(self, *, options_mapping: dict[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.options_mapping = options_mapping or {}
        self.validate_options_mapping()
        self.hitl_summary_extra["options_mapping"] = self.options_mapping

    def validate_options_mapping(self) -> None:
        """Only options can be mapped, and only to ids."""
        unknown = set(self.options_mapping) - set(self.options)
        if unknown:
            raise ValueError(
                f"options_mapping of task {self.task_id!r} has {sorted(unknown)}, which are not in options"
            )
        targets: dict[str, Any] = self.options_mapping
        wrong = {option: value for option, value in targets.items() if not isinstance(value, str)}
        if wrong:
            raise ValueError(f"options_mapping of task {self.task_id!r} must map to task ids as strings, not {wrong}")

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Follow what was chosen."""
        answer = super().execute_complete(context=context, event=event)
        branches = [self.options_mapping.get(option, option) for option in answer["chosen_options"]]
        self.hitl_summary_extra["branches_to_execute"] = branches
        return self.do_branch(context, branches)


class HITLEntryOperator(HITLOperator):
    """Ask people to fill in a form; the only choice is "OK" unless there are others."""

    OK = "OK"

    def __init__(self, **kwargs: Any) -> None:
        if "options" not in kwargs:
            kwargs["options"] = [self.OK]
            kwargs.setdefault("defaults", [self.OK])
        super().__init__(**kwargs)
