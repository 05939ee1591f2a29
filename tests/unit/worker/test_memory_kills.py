"""Whom the kernel killed for want of memory, as far as its counters tell (D1)."""

from pathlib import Path

import pytest

from tradewind.worker.protocol import Gone
from tradewind.worker.supervisor.ends import reason_of_end
from tradewind.worker.supervisor.memory_kills import MemoryKills

EVENTS = "low 0\nhigh 3\nmax 7\noom 2\noom_kill {}\noom_group_kill 0\n"
CONTROL = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"


def process(folder: Path, groups: str, kind: str, root: str) -> Path:
    """What the kernel shows of a process whose groups lie in `folder / tree`."""
    made = folder / "process"
    made.mkdir()
    (made / "cgroup").write_text(groups)
    (made / "mountinfo").write_text(
        f"22 1 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
        f"30 22 0:26 {root} {folder / 'tree'} rw,nosuid shared:9 - {kind} {kind} rw,memory\n"
    )
    return made


@pytest.mark.parametrize(
    ("groups", "kind", "root", "counter", "text"),
    [
        ("0::/a/b\n", "cgroup2", "/", "a/b/memory.events", EVENTS),
        ("0::/\n", "cgroup2", "/", "memory.events", EVENTS),
        ("5:devices:/\n4:memory:/a\n0::/\n", "cgroup", "/", "a/memory.oom_control", CONTROL),
        ("4:memory:/box/1\n", "cgroup", "/box/1", "memory.oom_control", CONTROL),
        ("4:memory:/box/1/in\n", "cgroup", "/box/1", "in/memory.oom_control", CONTROL),
        ("4:memory:/box/1\n", "cgroup", "/another", "memory.oom_control", CONTROL),
    ],
)
def test_the_counter_of_its_own_group_is_read_wherever_that_is_mounted(
    tmp_path: Path, groups: str, kind: str, root: str, counter: str, text: str
) -> None:
    file = tmp_path / "tree" / counter
    file.parent.mkdir(parents=True)
    file.write_text(text.format(4))
    kills = MemoryKills(process(tmp_path, groups, kind, root))

    assert kills.count() == 4
    file.write_text(text.format(15))
    assert kills.count() == 15
    kills.close()


@pytest.mark.parametrize("groups", ["0::/a\n", "3:cpu:/\n", ""])
def test_a_system_that_does_not_tell_has_killed_nobody(tmp_path: Path, groups: str) -> None:
    kills = MemoryKills(process(tmp_path, groups, "cgroup2", "/"))

    assert (kills.count(), kills.explain(0)) == (0, False)
    assert MemoryKills(tmp_path / "nowhere").count() == 0


def test_each_kill_explains_one_end(tmp_path: Path) -> None:
    file = tmp_path / "tree" / "memory.events"
    file.parent.mkdir()
    file.write_text(EVENTS.format(1))
    kills = MemoryKills(process(tmp_path, "0::/\n", "cgroup2", "/"))
    before = kills.count()
    assert not kills.explain(before)

    file.write_text(EVENTS.format(3))

    assert [kills.explain(before) for _ in range(3)] == [True, True, False]
    assert not kills.explain(kills.count())
    kills.close()


@pytest.mark.parametrize(
    ("exit_code", "is_memory_kill", "reason"),
    [
        (-9, True, "its process was killed by the kernel when it used 210 MB, because memory ran out (signal SIGKILL)"),
        (
            -9,
            False,
            (
                "its process was killed by signal SIGKILL when it used 210 MB: by a person, or "
                "because the system ran out of memory"
            ),
        ),
        (-11, False, "its process was ended by signal SIGSEGV"),
    ],
)
def test_the_reason_says_as_much_as_is_known(exit_code: int, is_memory_kill: bool, reason: str) -> None:
    gone = Gone(1, exit_code, 0.1, 210_000_000)

    assert reason_of_end(gone, None, is_memory_kill=is_memory_kill) == reason
