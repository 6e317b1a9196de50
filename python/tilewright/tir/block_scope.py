"""How blocks depend on each other."""

from enum import IntEnum

__all__ = ["DepKind"]


class DepKind(IntEnum):
    """Why one block comes after another: read after write, write after write, write after read, unknown."""

    RAW = 0
    WAW = 1
    WAR = 2
    OPAQUE = 3
