"""Checksums that protect nothing, so that machines with strict rules about cryptography compute them too."""

import functools
import hashlib

md5 = functools.partial(hashlib.md5, usedforsecurity=False)
