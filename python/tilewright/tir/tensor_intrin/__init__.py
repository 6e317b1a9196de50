"""Tensor intrinsics by name, for `Schedule.tensorize`: importing a module registers those of its machines.

Descriptions say what an instruction of the machine computes. The implementations are the same computation in loops of
vectors: the code generator picks the instructions of the target that it compiles for, so that a tensorised function
gives the same result on every machine.
"""

from . import arm_cpu, cuda, dot_product_common, hexagon, rocm, x86

__all__ = ["arm_cpu", "cuda", "dot_product_common", "hexagon", "rocm", "x86"]
