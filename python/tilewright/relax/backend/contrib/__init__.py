"""Patterns of the computations that libraries of vendors have, and passes that put them into functions of their own.

No such library is called: a program registers a code generator (`relax.ext.NAME`) for the functions that are found.
"""

from . import cublas, cudnn, cutlass, dnnl, hipblas

__all__ = ["cublas", "cudnn", "cutlass", "dnnl", "hipblas"]
