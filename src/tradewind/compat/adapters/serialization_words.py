"""The words of Airflow's serialized form, which packages write themselves here and there."""

from enum import StrEnum, unique


@unique
class Encoding(StrEnum):
    """Keys that say what a value is."""

    TYPE = "__type"
    VAR = "__var"


@unique
class DagAttributeTypes(StrEnum):
    """What a value may be."""

    DAG = "dag"
    ASSET = "asset"
    ASSET_ALIAS = "asset_alias"
    ASSET_ALL = "asset_all"
    ASSET_ANY = "asset_any"
    ASSET_REF = "asset_ref"
    CONNECTION = "connection"
    DATETIME = "datetime"
    DICT = "dict"
    OP = "operator"
    PARAM = "param"
    POD = "k8s.V1Pod"
    RELATIVEDELTA = "relativedelta"
    SET = "set"
    TASK_CONTEXT = "task_context"
    TASK_GROUP = "taskgroup"
    TIMEDELTA = "timedelta"
    TIMEZONE = "timezone"
    TUPLE = "tuple"
    XCOM_REF = "xcomref"
