"""Products of matrices and of more."""

from __future__ import annotations

from typing import Any

from .. import te
from ..te.tensor import Tensor
from .formula import apply, axis_of


def matmul(a: Tensor, b: Tensor, transp_a: bool = False, transp_b: bool = False) -> Tensor:
    """The product of two matrices, or of two batches of them."""
    return apply("matmul", (turned(a) if transp_a else a, turned(b) if transp_b else b), {})


def turned(x: Tensor) -> Tensor:
    """The tensor with its last two dimensions exchanged."""
    rank = len(x.shape)
    return apply("permute_dims", (x,), {"axes": [*range(rank - 2), rank - 1, rank - 2]})


def einsum(subscripts: str, *operand: Tensor) -> Tensor:
    """The sum of products that the subscripts say."""
    tensors = list(operand[0]) if len(operand) == 1 and isinstance(operand[0], (list, tuple)) else list(operand)
    return apply("einsum", (tensors,), {"subscripts": subscripts.replace(" ", "")})


def tensordot(a: Tensor, b: Tensor, axes: Any) -> Tensor:
    """The sum of products over pairs of dimensions: the last ones of `a` and the first ones of `b`, or those named."""
    if isinstance(axes, int):
        of_a, of_b = list(range(len(a.shape) - axes, len(a.shape))), list(range(axes))
    else:
        of_a, of_b = ([one] if isinstance(one, int) else list(one) for one in axes)
    if len(of_a) != len(of_b):
        raise ValueError(f"{len(of_a)} dimensions of `{a.name}` stand beside {len(of_b)} of `{b.name}`")
    of_a = [axis_of(int(one), len(a.shape)) for one in of_a]
    of_b = [axis_of(int(one), len(b.shape)) for one in of_b]
    free_a = [one for one in range(len(a.shape)) if one not in of_a]
    free_b = [one for one in range(len(b.shape)) if one not in of_b]
    inner = [te.reduce_axis((0, a.shape[one]), name=f"k{at}") for at, one in enumerate(of_a)]

    def element(*at: Any) -> Any:
        places_a = dict(zip(free_a, at, strict=False)) | dict(zip(of_a, inner, strict=True))
        places_b = dict(zip(free_b, at[len(free_a) :], strict=True)) | dict(zip(of_b, inner, strict=True))
        left = a(*(places_a[one] for one in range(len(a.shape))))
        product = left * b(*(places_b[one] for one in range(len(b.shape))))
        return te.sum(product, axis=inner) if inner else product

    shape = [a.shape[one] for one in free_a] + [b.shape[one] for one in free_b]
    return te.compute(shape, element, name="T_tensordot")


__all__ = ["einsum", "matmul", "tensordot"]
