"""The e-mail that tells of a failure or a retry, for tasks that have `email` set."""

import logging
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context, whole
from tradewind.sdk.secrets_masker import redact
from tradewind.sdk.template import Templater

log = logging.getLogger(__name__)

_SUBJECT: Final = "Tradewind alert: {{ ti.dag_id }}.{{ ti.task_id }} in run {{ ti.run_id }}: {{ ti.state }}"
_CONTENT: Final = """\
<p>Try {{ try_number }} of {{ max_tries + 1 }} of task <b>{{ ti.task_id }}</b> of DAG <b>{{ ti.dag_id }}</b> failed.</p>
<pre>{{ exception_html }}</pre>
<p>Run: {{ ti.run_id }}{% if ti.map_index >= 0 %}, map index: {{ ti.map_index }}{% endif %}<br>
Host: {{ ti.hostname }}<br>
<a href="{{ ti.log_url }}">Log</a></p>
"""


def send_alert(task: Any, context: Context, error: BaseException) -> None:
    """Send it. That it cannot be sent goes to the log: the task has failed anyway."""
    if not task.email:
        return
    try:
        subject, content = _written(context, error)
        # Brings all that speaks with mail servers, for which few tasks have a use.
        import_module("tradewind.sdk.email").send_email(task.email, subject, content)
    except Exception:
        log.exception("The e-mail to %s could not be sent", task.email)


def _written(context: Context, error: BaseException) -> tuple[str, str]:
    ti = context["ti"]
    shown = str(redact(f"{type(error).__name__}: {error}"))
    facts: Any = {
        **whole(context),
        "try_number": ti.try_number,
        "max_tries": ti.max_tries,
        "exception": error,
        "exception_html": _escaped(shown),
    }
    templater = Templater()
    subject, content = (
        str(templater.render_template(_template(option, own), facts))
        for option, own in (("subject_template", _SUBJECT), ("html_content_template", _CONTENT))
    )
    return " ".join(subject.split()), content


def _escaped(text: str) -> str:
    escaped: str = import_module("html").escape(text)
    return escaped


def _template(option: str, own: str) -> str:
    path = conf.get("email", option, fallback="") or ""
    return Path(path).read_text(encoding="utf-8") if path else own
