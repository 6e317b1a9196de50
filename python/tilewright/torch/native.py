"""A sub-graph that is compiled, as a module of PyTorch that runs it.

Inputs share their memory with PyTorch; those that are not contiguous are copied. So do results, but for those that have
memory of others: of an input, of a constant or of another result.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        self._orders = [stride_order(node.meta["val"]) for node in part.outputs]
        #: Of each weight the tensor and its memory as it was given last, and the same memory as ours.
        self._weights: dict[int, tuple[torch.Tensor, int, NDArray]] = {}

    def forward(self, *args: Any) -> tuple[torch.Tensor, ...]:
        """The results, of which each has memory of its own."""
        given = [self._given(at, args[at]) for at in range(self._count)]
        if self._end > self._count:
            found = self._run(*given, ShapeTuple([int(size) for size in args[self._count : self._end]]))
        else:
            found = self._run(*given)
        return tuple(self._result(one, order) for one, order in zip(_fields(found), self._orders, strict=True))

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

    def _result(self, value: NDArray, order: Sequence[int] | None) -> torch.Tensor:
        """A result as PyTorch's, with the dimensions in memory as PyTorch would have them."""
        is_exclusive = value.is_exclusive()
        found = torch.from_dlpack(value)
        if order is not None:
            # The dimensions in the order of memory, and where each of them is.
            laid_out = torch.empty([found.shape[at] for at in order], dtype=found.dtype)
            places = sorted(range(len(order)), key=order.__getitem__)
            copy = laid_out.permute(places)
        elif is_exclusive:
            return found
        else:
            copy = torch.empty_like(found)
        copy.copy_(found)
        reporting.copied(self._report, found.numel() * found.element_size())
        return copy


def _fields(found: Any) -> Sequence[NDArray]:
    return found if isinstance(found, (list, tuple)) else (found,)


def stride_order(value: torch.Tensor) -> list[int] | None:
    """The dimensions of a tensor from the outermost in memory to the innermost; `None` for row-major order."""

    def hint(size: Any) -> int:
        return int(size.node.hint) if isinstance(size, torch.SymInt) and size.node.has_hint() else int(size)

    sizes, strides = [[hint(size) for size in sizes] for sizes in (value.shape, value.stride())]
    if 0 in sizes or any(stride == 0 and size > 1 for size, stride in zip(sizes, strides, strict=True)):
        return None
    several = [at for at, size in enumerate(sizes) if size > 1]
    by_stride = sorted(several, key=lambda at: -strides[at])
    if by_stride == several:
        return None
    places = iter(by_stride)
    return [next(places) if sizes[at] > 1 else at for at in range(len(sizes))]
