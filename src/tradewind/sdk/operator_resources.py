"""How much of a machine a task needs, for executors that can choose one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Resource:
    """An amount of one thing."""

    name: str
    units_str: str
    qty: int | float

    def __post_init__(self) -> None:
        if self.qty < 0:
            raise ValueError(f"the amount of {self.name} cannot be {self.qty}: it has to be 0 or more")

    def to_dict(self) -> dict[str, str | int | float]:
        """Plain data."""
        return {"name": self.name, "qty": self.qty, "units_str": self.units_str}


class Resources:
    """What a task needs: processors, memory and disk in MiB, graphics processors."""

    def __init__(self, cpus: float = 1, ram: float = 512, disk: float = 512, gpus: float = 0) -> None:
        self.cpus = Resource("CPU", "core(s)", cpus)
        self.ram = Resource("RAM", "MB", ram)
        self.disk = Resource("Disk", "MB", disk)
        self.gpus = Resource("GPU", "gpu(s)", gpus)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.cpus, self.ram, self.disk, self.gpus))

    def __repr__(self) -> str:
        return f"Resources(cpus={self.cpus.qty}, ram={self.ram.qty}, disk={self.disk.qty}, gpus={self.gpus.qty})"

    def to_dict(self) -> dict[str, dict[str, str | int | float]]:
        """Plain data."""
        return {name: getattr(self, name).to_dict() for name in ("cpus", "ram", "disk", "gpus")}
