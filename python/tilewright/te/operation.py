"""What makes tensors: inputs, formulas, statements; and PrimFuncs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from .. import _core
from ..tir.expr import IterVar, SizeVar, Var
from ..tir.function import PrimFunc
from ..tir.op import const
from .tag import current_tag
from .tensor import Tensor

__all__ = [
    "compute", "const", "create_prim_func", "extern", "extern_primfunc", "placeholder", "reduce_axis", "size_var",
    "thread_axis", "var",
]  # fmt: skip


def _shape(shape: Any) -> tuple[Any, ...]:
    dims = tuple(shape) if isinstance(shape, Iterable) and not isinstance(shape, str) else (shape,)
    for dim in dims:
        if isinstance(dim, IterVar):
            raise TypeError(f"an extent of a dimension is an integer, found the axis `{dim.var}`")
    return dims


def placeholder(shape: Any, dtype: Any = None, name: str = "placeholder") -> Tensor:
    """An input of this shape, float32 unless `dtype` says otherwise."""
    return _core.te_placeholder(_shape(shape), str(dtype or "float32"), name)


def _axis_names(function: Callable[..., Any], rank: int) -> list[str]:
    parameters = list(signature(function).parameters.values())
    taken = [own for own in parameters if own.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    # A parameter with a default is no index where there are indices enough without it.
    names = [own.name for at, own in enumerate(taken) if own.default is Parameter.empty or at < rank]
    if any(own.kind is Parameter.VAR_POSITIONAL for own in parameters):
        names += [f"i{index}" for index in range(rank - len(names))]
    if len(names) != rank:
        raise ValueError(
            f"the formula takes {len(names)} {'index' if len(names) == 1 else 'indices'} ({', '.join(names)}), "
            f"but the shape has {rank} dimension{'' if rank == 1 else 's'}"
        )
    return names


def compute(
    shape: Any,
    fcompute: Callable[..., Any],
    name: str = "compute",
    tag: str = "",
    attrs: Mapping[str, Any] | None = None,
    varargs_names: Sequence[str] | None = None,
) -> Any:
    """The tensor whose elements are what `fcompute` gives for their indices; a list of tensors where it gives several.

    The axes are called after the parameters of `fcompute`; those of `*args` are called `i0`, `i1`, …, or as
    `varargs_names` says. `attrs` become annotations of the blocks; `tag` is a word that the operation keeps.
    """
    shape = _shape(shape)
    names = _axis_names(fcompute, len(shape))
    if varargs_names is not None:
        names[len(names) - len(varargs_names) :] = varargs_names
    return _core.te_compute(shape, fcompute, name, names, dict(attrs or {}), tag or current_tag() or "")


def reduce_axis(dom: Any, name: str = "rv", thread_tag: str = "", span: object = None) -> IterVar:
    """An axis that reductions run over: the integers of a Range, or from `dom[0]` up to and without `dom[1]`."""
    if thread_tag:
        raise ValueError(f"te.reduce_axis: a schedule binds axes to threads, found the tag {thread_tag!r}")
    return _core.te_reduce_axis(tuple(dom) if isinstance(dom, (tuple, list)) else dom, name)


def thread_axis(dom: Any = None, tag: str = "", name: str = "", span: object = None) -> IterVar:
    """An axis of threads of a GPU. Its variable is called after its tag, whatever `name` says."""
    if isinstance(dom, str):
        dom, tag = None, dom
    if not tag:
        raise ValueError('te.thread_axis: an axis of threads has a tag, such as "threadIdx.x"')
    return IterVar((0, dom) if isinstance(dom, int) else dom, tag, IterVar.ThreadIndex, tag)


def var(name: str = "tindex", dtype: str = "int32", span: object = None) -> Var:
    """A variable, such as a symbolic dimension."""
    return Var(name, dtype)


def size_var(name: str = "size", dtype: str = "int32", span: object = None) -> SizeVar:
    """A variable that is never negative."""
    return SizeVar(name, dtype)


def extern(
    shape: Any,
    inputs: Sequence[Tensor],
    fcompute: Callable[[Sequence[Any], Sequence[Any]], Any],
    name: str = "extern",
    dtype: Any = None,
    in_buffers: Any = None,
    out_buffers: Any = None,
    tag: str = "",
    attrs: Mapping[str, Any] | None = None,
) -> Any:
    """Tensors that statements fill: `fcompute` returns the statements, given a buffer of each input and of each output.

    `shape` is that of the output, or a list of shapes; `dtype` its data type, or a list of them, by default that of the
    inputs. One output comes as a tensor, several as a list.
    """
    if in_buffers is not None or out_buffers is not None:
        raise NotImplementedError("te.extern: buffers of one's own are not taken; use te.extern_primfunc")
    several = isinstance(shape, (list, tuple)) and bool(shape) and isinstance(shape[0], (list, tuple))
    shapes = list(shape) if several else [_shape(shape)]
    dtypes = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype] * len(shapes)
    found = {tensor.dtype for tensor in inputs}
    if None in dtypes and len(found) != 1:
        raise ValueError(f"te.extern: `dtype` must say the data type of the result, as the inputs have {sorted(found)}")
    outputs = [(_shape(own), str(given or next(iter(found)))) for own, given in zip(shapes, dtypes, strict=True)]
    return _core.te_extern(outputs, list(inputs), name, dict(attrs or {}), tag, fcompute)


def extern_primfunc(input_tensors: Sequence[Tensor], primfunc: PrimFunc, **kwargs: Any) -> Any:
    """The tensors that a PrimFunc writes, called on these inputs, which are its first buffers."""
    return _core.te_extern_primfunc(list(input_tensors), primfunc, kwargs.get("name", "extern_primfunc"))


def create_prim_func(
    ops: Any, index_dtype_override: str | None = None, *, inline: Sequence[Tensor] = ()
) -> PrimFunc:  # fmt: skip
    """The PrimFunc whose parameters are these tensors and variables, in order.

    Inputs are read, the other tensors computed. Tensors that they need and that are not listed become temporaries,
    but for those in `inline`, whose formulas replace their elements. `index_dtype_override` is the data type
    of all indices.
    """
    return _core.te_create_prim_func(list(_shape(ops)), index_dtype_override, list(inline))
