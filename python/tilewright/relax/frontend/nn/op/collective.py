"""Communication between the workers that run one model. There is one worker, to which it means nothing."""

from __future__ import annotations

from ..core import Tensor, refused

__all__ = ["ccl_allgather", "ccl_allreduce", "ccl_broadcast_from_worker0"]


def _absent(name: str) -> Exception:
    return refused(f"op.{name}: a model runs on one worker here; collective operations are not supported")


def ccl_allreduce(x: Tensor, op_type: str = "sum", in_group: bool = True, name: str = "ccl_allreduce") -> Tensor:
    """The sum, product, smallest, largest or mean of the workers' tensors: refused."""
    raise _absent("ccl_allreduce")


def ccl_allgather(x: Tensor, num_workers: int, name: str = "ccl_allgather") -> Tensor:
    """The workers' tensors concatenated; of one worker its own."""
    if num_workers == 1:
        return x
    raise _absent("ccl_allgather")


def ccl_broadcast_from_worker0(x: Tensor, name: str = "broadcast_from_worker0") -> Tensor:
    """The first worker's tensor: refused."""
    raise _absent("ccl_broadcast_from_worker0")
