"""DAGs that wait for assets which triggers watch."""

import asyncio
import os
import time
from pathlib import Path

from airflow.providers.standard.triggers.file import FileDeleteTrigger
from airflow.sdk import DAG, Asset, AssetWatcher, Variable
from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from letters import Letters

FOLDER = os.environ["ACCEPTANCE_FOLDER"]


class Drops(BaseEventTrigger):
    """Fires for each line of a file, and notes which of them are stored. Lives in the DAG file itself."""

    def __init__(self, path, token):
        super().__init__()
        self.path = path
        self.token = token

    def serialize(self):
        return f"{__name__}.Drops", {"path": self.path, "token": self.token}

    async def run(self):
        with Path(f"{self.path}.started").open("a") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            seen = await self.asset_state_store.aget("seen", 0)
            lines = Path(self.path).read_text().splitlines() if Path(self.path).exists() else []
            for line in lines[seen:]:
                if line == "crack":
                    await self.asset_state_store.aset("seen", seen + 1)
                    raise ValueError("the drop is cracked")
                yield TriggerEvent({"line": line, "color": Variable.get("color")})
                seen += 1
                await self.asset_state_store.aset("seen", seen)
            await asyncio.sleep(0.02)


class Dozes(BaseEventTrigger):
    """Blocks, and never comes back, if there is a file that says so."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def serialize(self):
        return f"{__name__}.Dozes", {"path": self.path}

    async def run(self):
        while not Path(self.path).exists():
            await asyncio.sleep(0.02)
        time.sleep(1000)  # noqa: ASYNC251 - what no watcher must do
        yield TriggerEvent("awake")


drops = Asset("drops", watchers=[AssetWatcher("lines", Drops(f"{FOLDER}/drops", "hush"))])
flag = Asset("flag", watchers=[AssetWatcher("flag", FileDeleteTrigger(f"{FOLDER}/flag", poke_interval=0.02))])
doze = Asset("doze", watchers=[AssetWatcher("dozes", Dozes(f"{FOLDER}/doze"))])
to_people = {
    person: Asset(f"letters_to_{person}", watchers=[AssetWatcher(person, Letters(FOLDER, person))])
    for person in ("ada", "bob")
}

for dag_id, schedule in (
    ("on_drops", drops),
    ("also_on_drops", drops),
    ("on_flag", flag),
    ("on_doze", doze),
    ("on_letters", to_people["ada"] & to_people["bob"]),
):
    globals()[dag_id] = DAG(dag_id, schedule=schedule)
