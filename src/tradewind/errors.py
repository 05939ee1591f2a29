"""Every error that Tradewind raises on purpose.

    TradewindError
    ├── NotFound                 a name that does not exist
    │   ├── UnknownDag
    │   ├── UnknownRun
    │   ├── UnknownVersion
    │   ├── UnknownTask
    │   ├── UnknownGroup
    │   ├── UnknownPool
    │   ├── UnknownXCom
    │   ├── UnknownState
    │   ├── UnknownVariable
    │   ├── UnknownConnection
    │   ├── UnknownFile
    │   ├── UnknownAsset
    │   ├── UnknownBackfill
    │   ├── UnknownUser
    │   ├── UnknownRole
    │   └── UnknownAssetId
    ├── Conflict                 the request contradicts what is stored
    │   ├── RunExists
    │   ├── XComExists
    │   ├── PoolExists
    │   ├── VariableExists
    │   ├── UserExists
    │   ├── RoleExists
    │   └── ConnectionExists
    ├── InvalidRequest           the request contradicts itself or the DAG
    │   └── RunTypeRefused       the DAG does not allow runs of that type
    ├── CheckFailed              what was looked into is not in order
    ├── DagUnusable              one stored DAG cannot be read; all others go on
    │   └── DagStale             no file has it any more
    ├── LoginRefused             wrong name or password, or too many of them
    ├── Busy                     not now; later, yes
    ├── BundleError              DAG files cannot be had; what was fetched before stays
    ├── SettingsError            a wrong value in the configuration
    ├── UndecipherableSecret     none of the keys opens what is stored
    ├── SecretRefused            a secrets backend does not let this one be read
    └── DatabaseError
        ├── DatabaseUnavailable  no answer; nothing is known about the last commit
        ├── TransactionConflict  deadlock or serialization failure; nothing was written
        ├── ValueRefused         what cannot be stored, however often one tries
        └── MigrationNeeded      the schema is not the one this version needs

`model` may import nothing of Tradewind, so what it refuses (`DagFormatError`, `InvalidDag`, timetable errors) are
`ValueError`s of its own; whoever reads a stored DAG turns them into `DagUnusable`.
"""


class TradewindError(Exception):
    """Something that Tradewind foresaw went wrong."""


class NotFound(TradewindError):
    """A name that does not exist."""


class UnknownDag(NotFound):
    """No DAG of that id."""

    def __init__(self, dag_id: str) -> None:
        super().__init__(f"there is no DAG {dag_id!r}")
        self.dag_id = dag_id


class UnknownRun(NotFound):
    """No run of that id."""

    def __init__(self, dag_id: str, run_id: str) -> None:
        super().__init__(f"DAG {dag_id!r} has no run {run_id!r}")
        self.dag_id = dag_id
        self.run_id = run_id


class UnknownVersion(NotFound):
    """No version of that number."""

    def __init__(self, dag_id: str, number: int) -> None:
        super().__init__(f"DAG {dag_id!r} has no version {number}")
        self.dag_id = dag_id
        self.number = number


class UnknownTask(NotFound):
    """No task, or no task instance, of that name."""

    def __init__(self, dag_id: str, task_id: str, map_index: int | None = None) -> None:
        which = f"task {task_id!r}" if map_index is None else f"task {task_id!r} with map index {map_index}"
        super().__init__(f"DAG {dag_id!r} has no {which}")
        self.dag_id = dag_id
        self.task_id = task_id
        self.map_index = map_index


class UnknownGroup(NotFound):
    """No task group of that id."""

    def __init__(self, dag_id: str, group_id: str) -> None:
        super().__init__(f"DAG {dag_id!r} has no task group {group_id!r}")
        self.dag_id = dag_id
        self.group_id = group_id


class UnknownPool(NotFound):
    """No pool of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no pool {name!r}")
        self.name = name


class UnknownVariable(NotFound):
    """No variable of that key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is no variable {key!r}")
        self.key = key


class UnknownConnection(NotFound):
    """No connection of that id."""

    def __init__(self, conn_id: str) -> None:
        super().__init__(f"there is no connection {conn_id!r}")
        self.conn_id = conn_id


class UnknownFile(NotFound):
    """No DAG file of that name."""

    def __init__(self, bundle: str, path: str) -> None:
        super().__init__(f"there is no DAG file {path!r} in the bundle {bundle!r}")
        self.bundle = bundle
        self.path = path


class UnknownAsset(NotFound):
    """No active asset of that name or URI."""

    def __init__(self, *, name: str | None, uri: str | None) -> None:
        which = f"of the name {name!r}" if name is not None else f"with the URI {uri!r}"
        super().__init__(f"there is no active asset {which}: some DAG has to declare it")
        self.name = name
        self.uri = uri


class UnknownAssetId(NotFound):
    """No asset, active or not, of that number."""

    def __init__(self, asset_id: int) -> None:
        super().__init__(f"there is no asset with the id {asset_id}")
        self.asset_id = asset_id


class UnknownBackfill(NotFound):
    """No backfill of that number."""

    def __init__(self, key: int) -> None:
        super().__init__(f"there is no backfill {key}")
        self.key = key


class UnknownUser(NotFound):
    """No user of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no user {name!r}")
        self.name = name


class UnknownRole(NotFound):
    """No role of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no role {name!r}")
        self.name = name


class UnknownXCom(NotFound):
    """No XCom of that key."""

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__(f"task {task_id!r} has left no XCom {key!r} there")
        self.task_id = task_id
        self.key = key


class UnknownState(NotFound):
    """Nothing is remembered under that key."""

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__(f"task {task_id!r} remembers nothing under {key!r} there")
        self.task_id = task_id
        self.key = key


class Conflict(TradewindError):
    """The request contradicts what is stored."""


class RunExists(Conflict):
    """The DAG already has that run, or a run for that logical date."""

    def __init__(self, dag_id: str, run_id: str) -> None:
        super().__init__(f"DAG {dag_id!r} already has a run {run_id!r}, or one with the same logical date")
        self.dag_id = dag_id
        self.run_id = run_id


class XComExists(Conflict):
    """The task has left an XCom of that key."""

    def __init__(self, task_id: str, key: str) -> None:
        super().__init__(f"task {task_id!r} has already left an XCom {key!r} there")
        self.task_id = task_id
        self.key = key


class PoolExists(Conflict):
    """There is already a pool of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is already a pool {name!r}")
        self.name = name


class VariableExists(Conflict):
    """There is already a variable of that key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"there is already a variable {key!r}")
        self.key = key


class UserExists(Conflict):
    """There is already a user of that name or address."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is already a user {name!r}")
        self.name = name


class RoleExists(Conflict):
    """There is already a role of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is already a role {name!r}")
        self.name = name


class CallbackCalledOff(TradewindError):
    """Who called a callback is being stopped, so that it did not come to its end."""


class ConnectionTestUnfinished(Conflict):
    """A test of that connection is under way."""

    def __init__(self, conn_id: str) -> None:
        super().__init__(f"a test of connection {conn_id!r} has not ended yet")
        self.conn_id = conn_id


class ConnectionExists(Conflict):
    """There is already a connection of that id."""

    def __init__(self, conn_id: str) -> None:
        super().__init__(f"there is already a connection {conn_id!r}")
        self.conn_id = conn_id


class InvalidRequest(TradewindError):
    """The request contradicts itself or the DAG."""


class RunTypeRefused(InvalidRequest):
    """The DAG does not allow runs of that type."""

    def __init__(self, dag_id: str, run_type: str) -> None:
        super().__init__(f"DAG {dag_id!r} does not allow {run_type} runs")
        self.dag_id = dag_id
        self.run_type = run_type


class CheckFailed(TradewindError):
    """What was looked into is not in order. The question was."""


class DagUnusable(TradewindError):
    """A stored DAG cannot be read. Only this DAG is affected."""

    def __init__(self, dag_id: str, reason: str) -> None:
        super().__init__(f"DAG {dag_id!r} cannot be used: {reason}")
        self.dag_id = dag_id
        self.reason = reason


class DagStale(DagUnusable):
    """No file has the DAG any more."""

    def __init__(self, dag_id: str) -> None:
        super().__init__(dag_id, "no file has it any more")


class LoginRefused(TradewindError):
    """Wrong name or password; which of the two is not said."""

    def __init__(self, retry_after_s: float | None = None) -> None:
        super().__init__("Invalid credentials" if retry_after_s is None else "Too many failed logins: try again later")
        self.retry_after_s = retry_after_s
        """None: at once."""


class Busy(TradewindError):
    """Not now; later, yes."""


class BundleError(TradewindError):
    """A bundle cannot be brought up to date, or does not have what was asked for."""


class CannotListen(TradewindError):
    """An address is in use by somebody else, or is not one of this machine."""


class SettingsError(TradewindError):
    """A wrong value in the configuration."""


class UndecipherableSecret(TradewindError):
    """What is stored cannot be read with the keys that there are."""

    def __init__(self, what: str, *, has_key: bool) -> None:
        reason = "none of the keys of [core] fernet_key opens it" if has_key else "[core] fernet_key has no key"
        super().__init__(f"{what} is encrypted, and {reason}: add the key that it was written with")
        self.what = what


class SecretRefused(TradewindError):
    """A secrets backend says that this one must not be read; no other may answer in its place."""


class DatabaseError(TradewindError):
    """The database did not do what was asked."""


class DatabaseUnavailable(DatabaseError):
    """The database gives no answer. Whether the last commit took effect is unknown."""


class TransactionConflict(DatabaseError):
    """The database gave this transaction up in favour of another. Nothing was written; try again."""


class ValueRefused(DatabaseError):
    """The database cannot store a value: too long, out of range, or no text in its eyes. Trying again is no use."""


class MigrationNeeded(DatabaseError):
    """The schema is not the one this version needs."""

    def __init__(self, found: str | None, needed: str) -> None:
        state = "has no Tradewind schema" if found is None else f"is at schema revision {found}"
        super().__init__(f"the database {state}, but {needed} is needed; run: tradewind db migrate")
        self.found = found
        self.needed = needed
