"""Template fields of all sorts: each task returns what became of them."""

from pathlib import Path

import jinja2
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, Asset, BaseOperator, Param, literal, task

WORDS = str(Path(__file__).with_name("words"))
VARIABLES = (
    *("logical_date", "ds", "ds_nodash", "ts", "ts_nodash", "ts_nodash_with_tz"),
    *("data_interval_start", "data_interval_end", "prev_data_interval_start_success", "prev_start_date_success"),
    *("dag.dag_id", "task.task_id", "ti.task_id", "task_instance.try_number", "run_id", "dag_run.run_type"),
    *("dag_run.conf.ship", "task_instance_key_str", "params.ship", "params.harbour", "ti.map_index"),
    *("var.value.color", "var.json.crew.captain", "var.value.get('nowhere', 'default')", "conn.sea.host"),
    *("conn.sea.extra_dejson.depth", "conn.get('nowhere', 'none').strip()"),
    *("macros.ds_add(ds, 5)", "macros.ds_format(ds, '%Y-%m-%d', '%d.%m.%y')", "macros.timedelta(days=1)"),
    *("macros.datetime(2026, 1, 2)", "macros.json.dumps([1])", "macros.yaml.safe_load('a: 1')"),
    *("macros.dateutil.parser.parse('2026-03-04')", "macros.uuid.UUID(int=1)", "macros.random() < 1"),
    *("macros.datetime_diff_for_humans(logical_date, logical_date.add(days=2))", "macros.time.gmtime(0).tm_year"),
    *(
        "inlets[0].name",
        "outlets[0].name",
        "triggering_asset_events | length",
        "test_mode",
        "logical_date | ds",
        "logical_date | ts_nodash",
    ),
)


class Fields(BaseOperator):
    """Returns its fields as they are when it runs."""

    template_fields = ("given", "query")
    template_ext = (".sql",)

    def __init__(self, *, given=None, query=None, **kwargs):
        super().__init__(**kwargs)
        self.given = given
        self.query = query

    def execute(self, context):
        return [self.given, self.query]


class Letter:
    """An object of the author's own that has template fields."""

    template_fields = ("text",)

    def __init__(self, text):
        self.text = text


class Opened(Fields):
    """Returns the text within an object."""

    def execute(self, context):
        return self.given["letters"][0].text


with DAG(
    "templates",
    schedule=None,
    params={"ship": Param("tender", type="string"), "harbour": "Kiel", "columns": ["a", "b"]},
    user_defined_macros={"shout": str.upper},
    user_defined_filters={"backwards": lambda text: text[::-1]},
    template_searchpath=WORDS,
):
    Fields(
        task_id="variables",
        given={name: "{{ " + name + " }}" for name in VARIABLES},
        inlets=[Asset("of_old")],
        outlets=[Asset("of_new")],
    )
    Fields(task_id="file", query="query.sql")
    Fields(task_id="macros_and_filters", given="{{ shout('ahoy') | backwards }}")
    Fields(task_id="untouched", given=literal("{{ no.such.thing }}"), query=literal("query.sql"))
    Fields(task_id="nested", given=[{"a": ("{{ ds }}", {"b": ["{{ 1 + 1 }}"]})}, 5, None])
    Fields(task_id="undefined", given="{{ nowhere }}")
    Fields(
        task_id="native", given={"a": "{{ params.columns }}", "b": "{{ 1 + 1 }}"}, render_template_as_native_obj=True
    )
    Opened(task_id="object", given={"letters": [Letter("dear {{ params.harbour }}")]})
    BashOperator(task_id="shell_file", bash_command="say.sh")
    Fields(task_id="no_such_file", query="nowhere.sql")
    Fields(task_id="as_text", given="{{ params.columns }}") >> Fields(
        task_id="pulled", given="{{ ti.xcom_pull(task_ids='as_text')[0] }}"
    )
    PythonOperator(
        task_id="arguments",
        python_callable=lambda *args, templates_dict, **context: [*args, templates_dict, context["ds"]],
        op_args=["{{ ds }}"],
        templates_dict={"query": "{{ ds_nodash }}"},
    )

    @task
    def takes(ship: str, ds=None, params=None, **context) -> list:
        return [ship, ds, params["ship"], context["ti"].task_id]

    takes("{{ params.ship }} of {{ ds }}")

with DAG("native_templates", schedule=None, render_template_as_native_obj=True, template_undefined=jinja2.Undefined):
    Fields(task_id="list", given="{{ [1, 2] }}", query="{{ {'a': none} }}")
    Fields(task_id="undefined", given="x{{ nowhere }}")

    @task
    def makes() -> dict:
        return {"rows": [1, 2, 3]}

    Fields(task_id="pulled", given="{{ ti.xcom_pull(task_ids='makes')['rows'] }}").set_upstream(makes())
