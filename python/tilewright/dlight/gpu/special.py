"""Rules for particular computations.

No code is made for GPUs, so that no plan for these could be measured: the rules are there for lists of rules that name
them and fit no function, which the next rule in the list, in the end `Fallback`, then schedules.
"""

from __future__ import annotations

from ...target import Target
from ...tir import PrimFunc
from .base import GPUScheduleRule

__all__ = ["GEMV", "GeneralReduction", "LowBatchGEMV", "Matmul", "RMSNorm", "Reduction", "Transpose"]


class _FitsNothing(GPUScheduleRule):
    def apply(self, func: PrimFunc, target: Target, tunable: bool) -> None:
        """Nothing: see the head of this file."""
        return


class Matmul(_FitsNothing):
    """Products of matrices."""


class GEMV(_FitsNothing):
    """Products of a matrix and a vector."""


class LowBatchGEMV(_FitsNothing):
    """Products of a matrix and a few vectors."""

    def __init__(self, bucket: int | None = None) -> None:
        self.bucket = bucket


class Reduction(_FitsNothing):
    """Reductions of rows."""


class GeneralReduction(_FitsNothing):
    """Rows that are reduced several times, such as a softmax."""


class Transpose(_FitsNothing):
    """Transposed copies."""


class RMSNorm(_FitsNothing):
    """Normalisation by the root of the mean square."""
