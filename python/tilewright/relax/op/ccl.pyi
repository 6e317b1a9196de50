"""The graph operators `R.ccl.…`.

Made by `scripts/stubs.py`.
"""

from typing import Any

from tilewright.relax.expr import Call

def allgather(x: Any, num_workers: Any, in_group: bool = True) -> Call:
    """The tensors of all workers, concatenated along the first dimension; of one worker its own.

    x: The worker's tensor, of at least one dimension.
    num_workers: The number of workers.
    in_group: Whether only the workers of a group take part.
    """

def allreduce(x: Any, op_type: str = "sum", in_group: bool = True) -> Call:
    """The sum, product, smallest, largest or mean of the workers' tensors, element by element; of one worker its
    own.

    x: The worker's tensor.
    op_type: `sum`, `prod`, `min`, `max` or `avg`.
    in_group: Whether only the workers of a group take part.
    """

def broadcast_from_worker0(x: Any) -> Call:
    """The tensor of the first worker, for all workers.

    x: The worker's tensor.
    """

def scatter_from_worker0(x: Any, num_workers: Any, axis: int = 0) -> Call:
    """The worker's part of the first worker's tensor, divided evenly along a dimension; of one worker all of it.

    x: The first worker's tensor, of known shape.
    num_workers: The number of workers, which divides the dimension.
    axis: The dimension; negative numbers count from the end.
    """
