"""`airflow.configuration` as Airflow 2 had it: functions that are methods of `conf` now."""

from tradewind.sdk.configuration import ConfigurationParser, conf

AirflowConfigParser = ConfigurationParser

get = conf.get
getboolean = conf.getboolean
getfloat = conf.getfloat
getint = conf.getint
getsection = conf.getsection
has_option = conf.has_option
