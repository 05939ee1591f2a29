"""The names of executors in the configuration."""

from typing import Final

LOCAL_EXECUTOR: Final = "LocalExecutor"
SEQUENTIAL_EXECUTOR: Final = "SequentialExecutor"
CELERY_EXECUTOR: Final = "CeleryExecutor"
KUBERNETES_EXECUTOR: Final = "KubernetesExecutor"
CORE_EXECUTOR_NAMES: Final = {LOCAL_EXECUTOR, CELERY_EXECUTOR, KUBERNETES_EXECUTOR}
