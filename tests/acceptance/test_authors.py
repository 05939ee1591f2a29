"""What authors rely on in the process of a task: templates, values between tasks, and who is told (D3, D4).

The parts have tests of their own. Here they are together, in tasks that a worker runs.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
import s3fs  # type: ignore[import-untyped]
from moto.server import ThreadedMotoServer

from tests.acceptance.deployment import Deployment, Ended, deployed
from tests.databases import DatabaseKind, DatabaseUrls
from tests.mail_server import Mailbox, mail_server
from tests.web_server import WebServer, web_server

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)

DAGS: Final = Path(__file__).with_name("author_dags")
AT: Final = datetime(2026, 1, 5, tzinfo=UTC)


@pytest.fixture(scope="module")
def mailbox(database_kind: DatabaseKind) -> Iterator[Mailbox]:
    with mail_server() as made:
        yield made


@pytest.fixture(scope="module")
def web(database_kind: DatabaseKind) -> Iterator[WebServer]:
    with web_server() as made:
        yield made


@pytest.fixture(scope="module")
def bucket(database_kind: DatabaseKind) -> Iterator[tuple[Any, str]]:
    """The objects of a server of the S3 protocol, and the name of an empty bucket there."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    name = f"xcoms-{uuid4()}"
    files = s3fs.S3FileSystem(key="test", secret="test", endpoint_url=address, skip_instance_cache=True)
    files.mkdir(name)
    yield files, name
    server.stop()


@pytest.fixture(scope="module")
def deployment(
    database_urls: DatabaseUrls,
    database_kind: DatabaseKind,
    mailbox: Mailbox,
    web: WebServer,
    bucket: tuple[Any, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Deployment]:
    """One with what the DAGs of `author_dags/` ask for, and an object store for large values."""
    url = database_urls(database_kind)
    files, name = bucket
    store = {"conn_type": "aws", "login": "test", "password": "test", "extra": {"endpoint_url": files.endpoint_url}}
    variables = {
        "AIRFLOW_VAR_COLOR": "red",
        "AIRFLOW_VAR_CREW": '{"captain": "Ann"}',
        "AIRFLOW_CONN_SEA": json.dumps({"conn_type": "sea", "host": "deep", "extra": {"depth": 5}}),
        "AIRFLOW_CONN_ALERTS": json.dumps({"conn_type": "http", "host": f"{web.url}/alerts"}),
        "AIRFLOW_CONN_SLACK": json.dumps({"conn_type": "slackwebhook", "password": f"{web.url}/slack"}),
        "AIRFLOW_CONN_STORE": json.dumps(store),
        "AIRFLOW__CORE__ALLOWED_DESERIALIZATION_CLASSES": "airflow.* *passing.*",
        "AIRFLOW__CORE__XCOM_BACKEND": "airflow.providers.common.io.xcom.backend.XComObjectStorageBackend",
        "AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_PATH": f"s3://store@{name}/xcoms",
        "AIRFLOW__COMMON_IO__XCOM_OBJECTSTORAGE_THRESHOLD": "4000",
        "TRADEWIND__SMTP__SMTP_HOST": "127.0.0.1",
        "TRADEWIND__SMTP__SMTP_PORT": str(mailbox.port),
        "TRADEWIND__SMTP__SMTP_STARTTLS": "False",
        "TRADEWIND__SMTP__SMTP_MAIL_FROM": "ship@example.com",
    }
    home = tmp_path_factory.mktemp("authors") / database_kind
    with deployed(home, url, dags_folder=DAGS, variables=variables) as made:
        made.wait_for_files(DAGS)
        yield made


def run(deployment: Deployment, dag_id: str, **conf: str) -> Ended:
    """A run of a DAG, with the same date and the same name each time."""
    return deployment.ended(deployment.trigger(dag_id, "r1", logical_date=AT, conf=dict(conf)))


@pytest.fixture(scope="module")
def templates(deployment: Deployment) -> Ended:
    return run(deployment, "templates", ship="Ada")


VARIABLES: Final = {
    "logical_date": "2026-01-05 00:00:00+00:00",
    "ds": "2026-01-05",
    "ds_nodash": "20260105",
    "ts": "2026-01-05T00:00:00+00:00",
    "ts_nodash": "20260105T000000",
    "ts_nodash_with_tz": "20260105T000000+0000",
    "data_interval_start": "2026-01-05 00:00:00+00:00",
    "data_interval_end": "2026-01-05 00:00:00+00:00",
    "prev_data_interval_start_success": "None",
    "prev_start_date_success": "None",
    "dag.dag_id": "templates",
    "task.task_id": "variables",
    "ti.task_id": "variables",
    "ti.map_index": "-1",
    "task_instance.try_number": "1",
    "task_instance_key_str": "templates__variables__20260105",
    "run_id": "r1",
    "dag_run.run_type": "manual",
    "dag_run.conf.ship": "Ada",
    "params.ship": "Ada",
    "params.harbour": "Kiel",
    "var.value.color": "red",
    "var.json.crew.captain": "Ann",
    "var.value.get('nowhere', 'default')": "default",
    "conn.sea.host": "deep",
    "conn.sea.extra_dejson.depth": "5",
    "conn.get('nowhere', 'none').strip()": "none",
    "macros.ds_add(ds, 5)": "2026-01-10",
    "macros.ds_format(ds, '%Y-%m-%d', '%d.%m.%y')": "05.01.26",
    "macros.timedelta(days=1)": "1 day, 0:00:00",
    "macros.datetime(2026, 1, 2)": "2026-01-02 00:00:00",
    "macros.json.dumps([1])": "[1]",
    "macros.yaml.safe_load('a: 1')": "{'a': 1}",
    "macros.dateutil.parser.parse('2026-03-04')": "2026-03-04 00:00:00",
    "macros.uuid.UUID(int=1)": "00000000-0000-0000-0000-000000000001",
    "macros.random() < 1": "True",
    "macros.datetime_diff_for_humans(logical_date, logical_date.add(days=2))": "2 days before",
    "macros.time.gmtime(0).tm_year": "1970",
    "test_mode": "False",
    "logical_date | ds": "2026-01-05",
    "logical_date | ts_nodash": "20260105T000000",
    "inlets[0].name": "of_old",
    "outlets[0].name": "of_new",
    "triggering_asset_events | length": "0",
}


def test_templates_see_what_they_see_in_airflow(templates: Ended) -> None:
    """D3: variables of the context, macros, filters, variables, connections, params."""
    given, _ = _pair(templates.value("variables"))

    assert given == VARIABLES


@pytest.mark.parametrize(
    ("task_id", "value"),
    [
        ("file", [None, "select a, b from ORDERS where day = '2026-01-05'"]),
        ("shell_file", "20260105 from templates"),
        ("macros_and_filters", ["YOHA", None]),
        ("untouched", ["{{ no.such.thing }}", "query.sql"]),
        ("native", [{"a": ["a", "b"], "b": 2}, None]),
        ("as_text", ["['a', 'b']", None]),
        ("pulled", ["['a', 'b']", None]),
        ("object", "dear Kiel"),
        ("arguments", ["2026-01-05", {"query": "20260105"}, "2026-01-05"]),
        ("takes", ["Ada of 2026-01-05", "2026-01-05", "Ada", "takes"]),
    ],
)
def test_template_fields_are_rendered(templates: Ended, task_id: str, value: object) -> None:
    """D3: files, the author's macros and filters, literals, native objects, objects with fields, arguments."""
    assert templates.value(task_id) == value


def test_templates_in_any_depth_are_rendered(templates: Ended) -> None:
    (nested, *rest), _ = _pair(templates.value("nested"))

    assert nested["a"]["__data__"] == ["2026-01-05", {"b": ["2"]}]
    assert rest == [5, None]


def test_what_a_template_lacks_is_named(templates: Ended) -> None:
    assert templates.reasons == {
        "undefined": "UndefinedError: 'nowhere' is undefined",
        "no_such_file": (f"TemplateNotFound: 'nowhere.sql' not found in search paths: '{DAGS / 'words'}', '{DAGS}'"),
    }


def test_a_dag_may_ask_for_native_objects_and_forgive_what_is_undefined(deployment: Deployment) -> None:
    ended = run(deployment, "native_templates")

    assert ended.value("list") == [[1, 2], {"a": None}]
    assert ended.value("pulled") == [[1, 2, 3], None]
    assert ended.value("undefined") == ["x", None]


TYPES: Final = {
    "moment": "datetime",
    "pendulum": "DateTime",
    "utc": "datetime",
    "date": "date",
    "time": "list",
    "duration": "timedelta",
    "decimal": "Decimal",
    "uuid": "UUID",
    "tuple": "tuple",
    "set": "set",
    "text": "str",
    "large": "int",
    "dataclass": "Ship",
    "attrs": "Crew",
    "pydantic": "Cargo",
    "custom": "Flag",
    "number": "float64",
    "int": "int64",
    "zone": "ZoneInfo",
}


@pytest.fixture(scope="module")
def passing(deployment: Deployment) -> Ended:
    return run(deployment, "passing")


@pytest.mark.parametrize("name", sorted(TYPES))
def test_what_one_task_returns_another_one_gets(passing: Ended, name: str) -> None:
    """D3: values come as they were sent, and are of the same type."""
    assert passing.value(f"take_{name}") == [True, TYPES[name]]


def test_frames_and_arrays_are_passed_on(passing: Ended) -> None:
    assert passing.value("sums") == [3, "x", 15, [2, 3]]


def test_outputs_are_found_in_every_way(passing: Ended) -> None:
    """D3: by key, from mapped tasks as a sequence that fetches what is looked at, of several tasks, with a default."""
    assert passing.value("by_key") == [1, [2], {"one": 1, "two": [2]}]
    assert passing.value("goes_through") == {
        "type": "LazyXComSequence",
        "len": 10,
        "at": [0, 81],
        "slice": [4, 9, 16],
        "back": [81, 64],
        "sum": 285,
        "has": True,
        "list": [0, 1, 4],
    }
    assert passing.value("pulls") == {
        "own": {"a": 1},
        "mapped": [0, 1, 4],
        "one": 16,
        "some": [1, 9],
        "two": [1, None],
        "missing": "none",
        "current": "pulls",
    }


def test_values_of_earlier_runs_are_found_if_asked_for(deployment: Deployment) -> None:
    deployment.ended(deployment.trigger("earlier", "e1", logical_date=AT, conf={"leaves": "something"}))
    later = deployment.ended(deployment.trigger("earlier", "e2", logical_date=AT + timedelta(days=1), conf={}))

    assert later.value("looks") == [None, "e1"]


def test_large_values_go_to_the_object_store(deployment: Deployment, bucket: tuple[Any, str]) -> None:
    """D3: to that of the connection, whether or not a provider package for it is installed."""
    ended = run(deployment, "large_values")
    files, name = bucket

    assert ended.value("measures") == [5000, "y"]
    assert ended.value("makes_little") == "y"
    stored = str(ended.value("makes_much"))
    assert stored.startswith(f"s3://store@{name}/xcoms/large_values/r1/makes_much/")
    assert json.loads(files.cat_file(stored.replace("store@", ""))) == "x" * 5000


def test_what_a_task_stores_for_itself_survives_its_tries(deployment: Deployment) -> None:
    assert run(deployment, "remembering").value("counts") == [[1, 2, 3], "gone"]


def test_notifiers_tell_servers_how_tasks_and_runs_ended(
    deployment: Deployment, mailbox: Mailbox, web: WebServer
) -> None:
    """D4: webhook, Slack and e-mail, from the callbacks of tasks and of the run."""
    assert run(deployment, "telling").states == {
        "sinks": "failed",
        "sails": "success",
        "stays": "skipped",
        "begins": "success",
    }

    deployment.until(lambda: len(web.asked) >= 6 and len(mailbox.messages) >= 2, f"all to be told: {web.asked}")
    alerts = [json.loads(asked.body) for asked in web.asked if asked.path == "/alerts"]
    assert sorted(map(str, alerts)) == sorted(
        map(
            str,
            [
                {"run": "r1 task_failure"},
                {"retry": "sinks 1 man overboard"},
                {"success": "sails"},
                {"skipped": "stays"},
                {"begins": "begins"},
            ],
        )
    )
    (told,) = [json.loads(asked.body) for asked in web.asked if asked.path == "/slack"]
    assert told == {"text": "sinks: man overboard"}
    assert sorted((str(each["To"]), str(each["Subject"])) for each in mailbox.messages) == [
        ("crew@example.com", "sinks: man overboard"),
        ("fleet@example.com", "telling failed"),
    ]


def _pair(value: object) -> tuple[Any, Any]:
    assert isinstance(value, list)
    first, second = value
    return first, second
