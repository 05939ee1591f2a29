"""How provider packages are called: `http` for people, `apache-airflow-providers-http` for installers."""

import difflib
import re
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tradewind.errors import InvalidRequest, NotFound

PREFIX: Final = "apache-airflow-providers-"

# For "did you mean": what exists is known to the package index only.
_KNOWN: Final = (
    "airbyte alibaba amazon apache-cassandra apache-drill apache-druid apache-flink apache-hdfs apache-hive"
    " apache-iceberg apache-impala apache-kafka apache-kylin apache-livy apache-pig apache-pinot apache-spark"
    " apache-tinkerpop apprise arangodb asana atlassian-jira celery cloudant cncf-kubernetes cohere common-ai"
    " common-compat common-io common-messaging common-sql databricks datadog dbt-cloud dingding discord docker"
    " edge3 elasticsearch exasol fab facebook ftp git github google grpc hashicorp http imap influxdb jdbc"
    " jenkins keycloak microsoft-azure microsoft-mssql microsoft-psrp microsoft-winrm mongo mysql neo4j odbc"
    " openai openfaas openlineage opensearch opsgenie oracle pagerduty papermill pgvector pinecone postgres"
    " presto qdrant redis salesforce samba segment sendgrid sftp singularity slack smtp snowflake sqlite ssh"
    " standard tableau telegram teradata trino vertica weaviate yandex ydb zendesk"
)

_SHORT: Final = re.compile(r"[a-z0-9]+([-._][a-z0-9]+)*", re.IGNORECASE)


class UnknownProvider(NotFound):
    """No provider package of that name."""

    def __init__(self, name: str) -> None:
        near = difflib.get_close_matches(name.lower().replace(".", "-").replace("_", "-"), _KNOWN.split(), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        super().__init__(f"there is no provider package {PREFIX}{short_name(name)}{hint}")
        self.name = name


def requirement_for(text: str) -> Requirement:
    """What to install for `http`, `microsoft.azure`, `amazon[s3fs]`, `http==6.3.0` or a full package name."""
    word = text.strip()
    name = re.split(r"[\[<>=!~; ]", word, maxsplit=1)[0]
    if not _SHORT.fullmatch(name):
        raise InvalidRequest(f"{text!r} is not the name of a provider: say for instance http, or common.sql==2.4.0")
    rest = word[len(name) :]
    try:
        return Requirement(f"{PREFIX}{short_name(name)}{rest}")
    except InvalidRequirement as error:
        raise InvalidRequest(f"{text!r} is not the name of a provider with a version: {error}") from error


def short_name(name: str) -> str:
    """The short name, with dashes, of whatever people or installers call the package."""
    return canonicalize_name(name).removeprefix(PREFIX)
