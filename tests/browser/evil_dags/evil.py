"""Everything that an author may name, named so that a careless page would run it."""

from datetime import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import Asset, Label, Param, dag, task, task_group

EVIL = '<img src="x" onerror="window.hacked=1">'
LINK = "javascript:window.hacked=1"
OUT = Asset(f"evil {EVIL}", uri=f"s3://evil/{EVIL}", group=EVIL, extra={"note": EVIL})


@dag(
    dag_id="evil",
    dag_display_name=f"Evil {EVIL}",
    schedule=None,
    start_date=datetime(2026, 1, 1),
    description=f"Describes {EVIL}",
    doc_md=f"# {EVIL}\n\n[a link]({LINK}) and <script>window.hacked=1</script> and ![]({LINK})",
    tags=[EVIL],
    default_args={"owner": EVIL, "doc_md": f"About a task {EVIL}"},
    owner_links={EVIL: "mailto:evil@example.com"},
    params={"name": Param(EVIL, type="string", title=EVIL, description=EVIL, description_md=EVIL)},
)
def evil():
    @task_group(group_display_name=f"group {EVIL}", tooltip=EVIL)
    def within():
        @task(task_display_name=f"task {EVIL}", outlets=[OUT], map_index_template="{{ who }}" + EVIL)
        def say(who: str, **context: object) -> dict[str, str]:
            print(EVIL, LINK)
            print(f"\x1b]8;;{LINK}\x1b\\a link of a terminal\x1b]8;;\x1b\\ \x1b[31m{EVIL}\x1b[0m")
            context["ti"].xcom_push(key=EVIL, value=EVIL)  # type: ignore[attr-defined]
            return {EVIL: EVIL}

        return say.expand(who=[EVIL, "b"])

    bash = BashOperator(task_id="bash", bash_command="echo '{{ params.name }}'")
    ask = HITLOperator(task_id="ask", subject=EVIL, body=f"{EVIL} [a link]({LINK})", options=[EVIL, "no"])
    within() >> Label(EVIL) >> bash >> ask


evil()
