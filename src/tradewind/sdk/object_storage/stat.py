"""What is known about a file, under the names of `os.stat`."""

from __future__ import annotations

import stat
from typing import Any


class StatResult(dict[str, Any]):
    """What a file system says about a file; what it does not say is 0."""

    @property
    def st_dev(self) -> int:
        """Object stores have no devices."""
        return 0

    @property
    def st_size(self) -> int:
        """Bytes."""
        return int(self.get("size") or 0)

    @property
    def st_uid(self) -> int:
        """The owner."""
        return int(self.get("uid") or 0)

    @property
    def st_gid(self) -> int:
        """The group of the owner."""
        return int(self.get("gid") or 0)

    @property
    def st_ino(self) -> int:
        """The inode."""
        return int(self.get("ino") or 0)

    @property
    def st_nlink(self) -> int:
        """How many names it has."""
        return int(self.get("nlink") or 0)

    @property
    def st_mtime(self) -> float:
        """When it was changed, in seconds since 1970."""
        changed = self.get("mtime", self.get("LastModified", self.get("last_modified", 0)))
        return float(changed.timestamp() if hasattr(changed, "timestamp") else changed or 0)

    @property
    def st_mode(self) -> int:
        """What kind of thing it is, and who may do what."""
        if "mode" in self:
            return int(self["mode"])
        if self.get("isLink") or self.get("islink"):
            return stat.S_IFLNK
        kinds = {"file": stat.S_IFREG, "directory": stat.S_IFDIR}
        return kinds.get(str(self.get("type")), 0)
