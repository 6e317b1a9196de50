"""Rules for GPUs."""

from .base import GPUScheduleRule
from .fallback import Fallback
from .special import GEMV, GeneralReduction, LowBatchGEMV, Matmul, Reduction, RMSNorm, Transpose

__all__ = [
    "GEMV", "Fallback", "GPUScheduleRule", "GeneralReduction", "LowBatchGEMV", "Matmul", "RMSNorm", "Reduction",
    "Transpose",
]  # fmt: skip
