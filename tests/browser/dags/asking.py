"""What the browser tests of forms and questions look at."""

from datetime import datetime

from airflow.providers.standard.operators.hitl import ApprovalOperator, HITLOperator
from airflow.sdk import Param, dag, task

EVIL = "<img src=x onerror=\"document.title='hacked'\">"
LINK = "[click](javascript:document.title='hacked')"


@dag(
    schedule=None,
    start_date=datetime(2026, 1, 1),
    doc_md=f"{EVIL} {LINK}",
    params={
        "plain": 3,
        "name": Param(type="string", title="Your name", minLength=3, description=f"Who {EVIL}"),
        "age": Param(42, type="integer", minimum=0, maximum=128, description_md=f"**Years** {EVIL} {LINK}"),
        "fine": Param(True, type="boolean"),
        "day": Param("2026-01-31", type="string", format="date"),
        "moment": Param("2026-01-31T12:30:00+00:00", type="string", format="date-time"),
        "clock": Param(None, type=["string", "null"], format="time"),
        "one": Param("b", enum=["a", "b", EVIL], values_display={"a": "Alpha"}, section="Lists"),
        "some": Param(["x"], type="array", examples=["x", "y", "z"], section="Lists"),
        "numbers": Param([1, 2], type="array", items={"type": "number"}, section="Lists"),
        "object": Param({"key": EVIL}, type=["object", "null"], section=f"More {EVIL}"),
        "text": Param("two\nlines", type="string", format="multiline", section=f"More {EVIL}"),
        "either": Param(5, type=["integer", "string"], section=f"More {EVIL}"),
        "fixed": Param("always", const="always"),
    },
)
def form():
    @task
    def tell(**context: object) -> dict[str, object]:
        return dict(context["params"])  # type: ignore[call-overload]

    tell()


@dag(schedule=None, start_date=datetime(2026, 1, 1))
def asking():
    ApprovalOperator(
        task_id="approve",
        subject=f"Ship it? {EVIL}",
        body=f"**Much** has changed. {EVIL} {LINK}",
        params={"reason": Param(type="string", minLength=2, title="Reason")},
    )
    HITLOperator(task_id="choose", subject="Which ones?", options=["red", "green", EVIL], multiple=True)


form()
asking()
