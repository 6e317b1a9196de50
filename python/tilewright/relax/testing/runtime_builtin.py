"""Codes of what the machine does with shapes."""

from enum import IntEnum

__all__ = ["MakeShapeCode", "MatchShapeCode"]


class MatchShapeCode(IntEnum):
    """What is done with a dimension of a shape that is matched."""

    ASSERT_EQUAL_TO_IMM = 0
    STORE_TO_HEAP = 1
    NO_OP = 2
    ASSERT_EQUAL_TO_LOAD = 3


class MakeShapeCode(IntEnum):
    """Where a dimension of a shape that is made comes from."""

    USE_IMM = 0
    LOAD_SHAPE = 1
