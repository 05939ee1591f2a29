"""The connections that Airflow has from the start: names that examples and provider packages take for granted."""

import json
from datetime import datetime
from typing import Final

from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher
from tradewind.operations.manage_connections import put_connections
from tradewind.storage.interface import Transaction


def _made(
    conn_id: str,
    conn_type: str,
    host: str | None = None,
    port: int | None = None,
    *,
    schema: str | None = None,
    login: str | None = None,
    extra: dict[str, object] | None = None,
) -> ConnectionResult:
    text = None if extra is None else json.dumps(extra)
    return ConnectionResult(
        conn_id=conn_id, conn_type=conn_type, host=host, port=port, schema=schema, login=login, extra=text
    )


DEFAULT_CONNECTIONS: Final = (
    _made("aws_default", "aws"),
    _made("azure_default", "azure"),
    _made("cassandra_default", "cassandra", "cassandra", 9042),
    _made("databricks_default", "databricks", "localhost"),
    _made("drill_default", "drill", "localhost", 8047),
    _made("druid_broker_default", "druid", "druid-broker", 8082, extra={"endpoint": "druid/v2/sql"}),
    _made("druid_ingest_default", "druid", "druid-overlord", 8081, extra={"endpoint": "druid/indexer/v1/task"}),
    _made("elasticsearch_default", "elasticsearch", "localhost", 9200, schema="http"),
    _made("emr_default", "emr"),
    _made("fs_default", "fs", extra={"path": "/"}),
    _made("ftp_default", "ftp", "localhost", 21),
    _made("google_cloud_default", "google_cloud_platform", schema="default"),
    _made("gremlin_default", "gremlin", "gremlin", 8182),
    _made("hive_cli_default", "hive_cli", "localhost", 10000, schema="default", extra={"use_beeline": True}),
    _made("hiveserver2_default", "hiveserver2", "localhost", 10000, schema="default"),
    _made("http_default", "http", "https://www.httpbin.org/"),
    _made("iceberg_default", "iceberg", "https://api.iceberg.io/ws/v1"),
    _made("impala_default", "impala", "localhost", 21050),
    _made("kafka_default", "kafka", extra={"bootstrap.servers": "broker:29092", "group.id": "my-group"}),
    _made("kubernetes_default", "kubernetes"),
    _made("kylin_default", "kylin", "localhost", 7070),
    _made("livy_default", "livy", "livy", 8998),
    _made("metastore_default", "hive_metastore", "localhost", 9083),
    _made("mongo_default", "mongo", "mongo", 27017),
    _made("mssql_default", "mssql", "localhost", 1433),
    _made("mysql_default", "mysql", "mysql", login="root", schema="airflow"),
    _made("opensearch_default", "opensearch", "localhost", 9200, schema="http"),
    _made("oracle_default", "oracle", "localhost", 1521, login="root", schema="schema"),
    _made("pinot_admin_default", "pinot", "localhost", 9000),
    _made("pinot_broker_default", "pinot", "localhost", 9000, extra={"endpoint": "/query", "schema": "http"}),
    _made("postgres_default", "postgres", "postgres", login="postgres", schema="airflow"),
    _made("presto_default", "presto", "localhost", 3400, schema="hive"),
    _made("qdrant_default", "qdrant", "qdrant", 6333),
    _made("redis_default", "redis", "redis", 6379, extra={"db": 0}),
    _made("redshift_default", "redshift"),
    _made("salesforce_default", "salesforce", login="username"),
    _made("sftp_default", "sftp", "localhost", 22),
    _made("spark_default", "spark", "yarn", extra={"queue": "root.default"}),
    _made("sqlite_default", "sqlite", "/tmp/sqlite_default.db"),
    _made("ssh_default", "ssh", "localhost"),
    _made("tableau_default", "tableau", "https://tableau.server.url", extra={"site_id": "my_site"}),
    _made("teradata_default", "teradata", "localhost", login="user", schema="schema"),
    _made("trino_default", "trino", "localhost", 3400, schema="hive"),
    _made("vertica_default", "vertica", "localhost", 5433),
    _made("wasb_default", "wasb"),
    _made("webhdfs_default", "hdfs", "localhost", 50070),
    _made("yandexcloud_default", "yandexcloud", schema="default"),
    _made("ydb_default", "ydb", "grpc://localhost", 2135, extra={"database": "/local"}),
)
"""None has a password: who uses one gives it the right one."""


def add_default_connections(tx: Transaction, *, cipher: Cipher, now: datetime) -> list[str]:
    """Make those that are not there. Returns their ids."""
    return put_connections(tx, DEFAULT_CONNECTIONS, cipher=cipher, now=now, overwrites=False)
