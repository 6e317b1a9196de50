"""Which nodes of a functional graph may be compiled: those of operators with a rule, on tensors as we have them."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from ..relax.frontend.torch.decomposition import has_rule

#: The data types that tensors have here and in PyTorch.
DATA_TYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
)  # fmt: skip


def symbols_of(value: Any) -> set[Any]:
    """The symbols of SymPy in sizes, and in the sizes of tensors."""
    found: set[Any] = set()
    for leaf in tree_leaves(value):
        sizes = leaf.shape if isinstance(leaf, torch.Tensor) else (leaf,)
        for size in sizes:
            if isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
                found |= size.node.expr.free_symbols
    return found


def given_symbols(graph: fx.Graph) -> dict[Any, fx.Node]:
    """The symbols that the inputs of a graph are, and those inputs."""
    found: dict[Any, fx.Node] = {}
    for node in graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt) and value.node.expr.is_Symbol:
            found.setdefault(value.node.expr, node)
    return found


def symbol_bounds(module: fx.GraphModule) -> dict[str, tuple[int, int | None]]:
    """The symbolic sizes of a graph's inputs, with the bounds that the guards give."""
    found: dict[str, tuple[int, int | None]] = {}
    for node in module.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        sizes = value.shape if isinstance(value, torch.Tensor) else (value,)
        for size in sizes:
            if not isinstance(size, torch.SymInt) or not size.node.shape_env:
                continue
            for symbol in size.node.expr.free_symbols:
                known = size.node.shape_env.var_to_range.get(symbol)
                if known is not None:
                    found[str(symbol)] = (_bound(known.lower) or 0, _bound(known.upper))
    return dict(sorted(found.items()))


#: Bounds from here on are no bounds: PyTorch writes infinity as such numbers.
_INFINITE = 1 << 62


def _bound(value: Any) -> int | None:
    """A finite bound; infinities of SymPy are no integers."""
    if not (isinstance(value, int) or getattr(value, "is_Integer", False)):
        return None
    return int(value) if abs(int(value)) < _INFINITE else None


def is_of_sizes(node: fx.Node) -> bool:
    """Whether a node works out sizes alone, which Python does before and between the sub-graphs."""
    leaves = tree_leaves(node.meta.get("val"))
    return bool(leaves) and all(isinstance(leaf, (torch.SymInt, torch.SymBool, int, bool)) for leaf in leaves)


def reason_against(node: fx.Node, symbols: Iterable[Any], custom: Mapping[Any, Any]) -> str:
    """Why a node is left to PyTorch; empty where it may be compiled. `symbols` are the inputs' symbolic sizes."""
    target = node.target
    if target is operator.getitem:
        return ""
    if not isinstance(target, torch._ops.OpOverload):
        return "it has no rule"
    if torch.Tag.nondeterministic_seeded in target.tags:
        return "it draws random numbers, which are PyTorch's own"
    if target._schema.is_mutable:
        return "it changes what it is given"
    values = [node.meta.get("val"), *(one.meta.get("val") for one in node.all_input_nodes)]
    for value in values:
        reason = _reason_against_value(value)
        if reason:
            return reason
    if symbols_of(values) - set(symbols):
        return "sizes depend on the values of tensors"
    if not (has_rule(target) or _is_custom(target, custom)):
        return "it has no rule"
    return ""


def _is_custom(target: Any, custom: Mapping[Any, Any]) -> bool:
    name = target._schema.name.replace("::", ".")
    return target in custom or name in custom or name.rpartition(".")[2] in custom


def _reason_against_value(value: Any) -> str:
    """Why what a node gives or is given is none of ours."""
    for leaf in tree_leaves(value):
        if not isinstance(leaf, torch.Tensor):
            if leaf is None or isinstance(leaf, (bool, int, float, torch.SymInt, torch.SymFloat)):
                continue
            return f"it is given a {type(leaf).__name__}"
        if type(leaf) not in (FakeTensor, torch.Tensor, torch.nn.Parameter):
            return f"it is given a tensor of the class {type(leaf).__name__}"
        if leaf.layout != torch.strided:
            return f"it is given a tensor of the layout {leaf.layout}"
        if leaf.device.type != "cpu":
            return f"it is given a tensor on the device {leaf.device.type}"
        if leaf.dtype not in DATA_TYPES:
            return f"it is given a tensor of the data type {str(leaf.dtype).removeprefix('torch.')}"
    return ""


def place_of(node: fx.Node) -> str:
    """File and line of the model that a node comes from."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.stack_trace or "")
    return f"{frames[-1][0]}:{frames[-1][1]}" if frames else ""


def operators_in(graph: fx.Graph) -> Iterator[fx.Node]:
    """The nodes that are operators: neither items of results nor sizes."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target is not operator.getitem and not is_of_sizes(node):
            yield node
