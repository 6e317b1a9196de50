"""A sub-graph that is compiled, as a module of PyTorch that runs it.

Inputs share their memory with PyTorch; those that are not contiguous are copied. So do results, but for those that have
memory of others: of an input, of a constant or of another result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from .._core import NDArray
from ..relax import VirtualMachine, get_pipeline
from ..relax.vm_build import build
from ..runtime.container import ShapeTuple
from ..runtime.device import cpu
from . import reporting
from .importing import Part, imported
from .options import Options


class NativeGraph(torch.nn.Module):
    """A compiled part of a graph. It is called with the part's inputs and the sizes that it needs."""

    def __init__(self, part: Part, options: Options, report: reporting.NativePart) -> None:
        super().__init__()
        module = imported(part, options.custom_convert_map)
        target = "llvm" if options.target is None else options.target
        if options.pipeline is None:
            executable = build(module, target)
        else:
            pipeline = get_pipeline(options.pipeline) if isinstance(options.pipeline, str) else options.pipeline
            executable = build(pipeline(module), target)
        self._run = VirtualMachine(executable, cpu())["main"]
        self._report = report
        given = [node for node in part.inputs if node.op != "get_attr"]
        self._count = len(given)
        self._end = self._count + len(part.symbols)
        self._layouts = [layout_of(node.meta["val"]) for node in part.outputs]
        #: Of each weight the tensor and its memory as it was given last, and the same memory as ours.
        self._weights: dict[int, tuple[torch.Tensor, int, NDArray]] = {}

    def forward(self, *args: Any) -> tuple[torch.Tensor, ...]:
        """The results, of which each has memory of its own."""
        given = [self._given(at, args[at]) for at in range(self._count)]
        if self._end > self._count:
            found = self._run(*given, ShapeTuple([int(size) for size in args[self._count : self._end]]))
        else:
            found = self._run(*given)
        return tuple(self._result(one, layout) for one, layout in zip(_fields(found), self._layouts, strict=True))

    def _given(self, at: int, value: Any) -> NDArray:
        """An input as ours."""
        if not isinstance(value, torch.Tensor):
            return NDArray.from_dlpack(torch.tensor(value, dtype=torch.float64))
        if not isinstance(value, torch.nn.Parameter):
            return NDArray.from_dlpack(self._contiguous(value))
        address = value.data_ptr()
        known = self._weights.get(at)
        if known is not None and known[0] is value and known[1] == address:
            return known[2]
        shared = NDArray.from_dlpack(self._contiguous(value.detach()))
        if value.is_contiguous():
            self._weights[at] = (value, address, shared)
        return shared

    def _contiguous(self, value: torch.Tensor) -> torch.Tensor:
        if value.is_contiguous() and not value.is_neg():
            return value.detach() if value.requires_grad else value
        reporting.copied(self._report, value.numel() * value.element_size())
        return value.detach().resolve_neg().contiguous()

    def _result(self, value: NDArray, layout: _Layout | None) -> torch.Tensor:
        """A result as PyTorch's, with the dimensions in memory as PyTorch would have them."""
        is_exclusive = value.is_exclusive()
        found = torch.from_dlpack(value)
        if layout is not None:
            copy = layout.empty(found.shape, found.dtype)
        elif is_exclusive:
            return found
        else:
            copy = torch.empty_like(found)
        copy.copy_(found)
        reporting.copied(self._report, found.numel() * found.element_size())
        return copy


def _fields(found: Any) -> Sequence[NDArray]:
    return found if isinstance(found, (list, tuple)) else (found,)


@dataclass(frozen=True)
class _Layout:
    """How a tensor lies in memory that is not row-major: its strides, or, where sizes are symbolic, the order of its
    dimensions from the outermost in memory to the innermost."""

    strides: tuple[int, ...] | None
    order: tuple[int, ...]

    def empty(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """A tensor that lies so."""
        if self.strides is not None:
            return torch.empty_strided(shape, self.strides, dtype=dtype)
        dense = torch.empty([shape[at] for at in self.order], dtype=dtype)
        return dense.permute(sorted(range(len(self.order)), key=self.order.__getitem__))


def layout_of(value: torch.Tensor) -> _Layout | None:
    """The layout of a tensor; `None` for row-major order, and for one whose elements share memory."""

    def hint(size: Any) -> int:
        return int(size.node.hint) if isinstance(size, torch.SymInt) and size.node.has_hint() else int(size)

    sizes, strides = [[hint(size) for size in sizes] for sizes in (value.shape, value.stride())]
    if 0 in sizes or any(stride == 0 and size > 1 for size, stride in zip(sizes, strides, strict=True)):
        return None
    several = [at for at, size in enumerate(sizes) if size > 1]
    by_stride = sorted(several, key=lambda at: -strides[at])
    places = iter(by_stride)
    order = tuple(next(places) if sizes[at] > 1 else at for at in range(len(sizes)))
    if any(isinstance(size, torch.SymInt) for size in (*value.shape, *value.stride())):
        return None if by_stride == several else _Layout(None, order)
    row_major = torch.empty(sizes, device="meta").stride()
    if all(strides[at] == row_major[at] for at in several):
        return None
    return _Layout(tuple(strides), order)
