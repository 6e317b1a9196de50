"""Divides a functional graph into parts that are compiled and nodes that PyTorch runs.

Nodes for which there is a rule are tried together, as a whole graph: the importer names those whose arguments a rule
does not take. What has no rule, or is refused, is written out as PyTorch itself decomposes it, if all of that has
rules. What remains is left to PyTorch, and PyTorch's capability partitioner forms the parts between it.
"""

from __future__ import annotations

import operator
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.tools_common import stable_topological_sort

from ..error import DiagnosticError
from .decomposing import written_out
from .importing import Part, imported, other_results
from .options import Options
from .reporting import Left
from .support import given_symbols, is_of_sizes, operators_in, place_of, reason_against, symbols_of

#: What does no work of its own: a part of nothing else is left to PyTorch, for which it is a view.
_VIEWS = ("aten.alias", "aten.detach", "aten.expand", "aten.permute", "aten.select", "aten.slice", "aten.split",
          "aten.split_with_sizes", "aten.squeeze", "aten.t", "aten.transpose", "aten.unbind", "aten.unsqueeze",
          "aten.view", "aten._unsafe_view", "aten.diagonal")  # fmt: skip


@dataclass
class Divided:
    """A graph whose parts are modules of their own, those parts by name, and what is left to PyTorch."""

    module: fx.GraphModule
    parts: dict[str, Part]
    left: list[Left] = field(default_factory=list)


def divided(module: fx.GraphModule, options: Options) -> Divided:
    """The graph with the parts that may be compiled taken out of it."""
    reasons = _reasons(module, options)
    supported = {node for node in module.graph.nodes if _is_call(node) and node not in reasons}
    clusters = _clusters(module, supported, reasons)
    left = [
        Left(str(node.target), reasons[node], place_of(node)) for node in operators_in(module.graph) if node in reasons
    ]
    parts = {f"native_{at}": _taken_out(module, nodes, f"native_{at}") for at, nodes in enumerate(clusters)}
    stable_topological_sort(module)
    module.graph.eliminate_dead_code()
    module.recompile()
    return Divided(module, parts, left)


def _is_call(node: fx.Node) -> bool:
    return node.op == "call_function" and not is_of_sizes(node)


def _reasons(module: fx.GraphModule, options: Options) -> dict[fx.Node, str]:
    """Why nodes are left to PyTorch. Nodes are written out on the way."""
    custom = options.custom_convert_map
    reasons: dict[fx.Node, str] = {}
    #: The nodes that PyTorch does not write out in operators that have rules.
    whole: set[fx.Node] = set()
    while True:
        symbols = given_symbols(module.graph)
        reasons = {node: reason for node, reason in reasons.items() if node in whole}
        for node in list(module.graph.nodes):
            if not _is_call(node) or node in reasons:
                continue
            if node.target is operator.getitem:
                if node.args[0] in reasons:
                    reasons[node] = reasons[node.args[0]]
                continue
            reason = reason_against(node, symbols, custom)
            if reason == "it has no rule" and written_out(module, node, symbols, custom):
                continue
            if reason:
                reasons[node] = reason
                whole.add(node)
        refused = _refused(module, {n for n in module.graph.nodes if _is_call(n) and n not in reasons}, options)
        if not refused:
            return _with_items(module, reasons)
        for node, reason in refused.items():
            if not written_out(module, node, symbols, custom):
                reasons[node] = reason
                whole.add(node)


def _with_items(module: fx.GraphModule, reasons: dict[fx.Node, str]) -> dict[fx.Node, str]:
    """The reasons, which are also those of the items of results."""
    for node in module.graph.nodes:
        if node.target is operator.getitem and node.args[0] in reasons:
            reasons[node] = reasons[node.args[0]]
    return reasons


def _refused(module: fx.GraphModule, nodes: Collection[fx.Node], options: Options) -> dict[fx.Node, str]:
    """The nodes that rules do not take, and why."""
    if not nodes:
        return {}
    part = _part(module, nodes)
    part.outputs = [node for node in part.nodes if isinstance(node.meta.get("val"), torch.Tensor)]
    try:
        found = other_results(part, imported(part, options.custom_convert_map))
        return {_producer(node): reason for node, reason in found.items()}
    except DiagnosticError as error:
        by_name = {node.name: node for node in nodes}
        told = {name: diagnostic for name, diagnostic in zip(error.nodes, error.diagnostics, strict=False)}
        found = {by_name[name]: _message(told.get(name)) for name in error.nodes if name in by_name}
        if found:
            return found
        return dict.fromkeys(nodes, _message(next(iter(error.diagnostics), None)))
    except Exception as error:
        # A rule that fails in another way than by refusing is no reason for the model to fail.
        return dict.fromkeys(nodes, f"its part is not imported: {' '.join(str(error).split())[:200]}")


def _producer(node: fx.Node) -> fx.Node:
    """The operator whose result a node is an item of."""
    return node.args[0] if node.target is operator.getitem else node


def _message(diagnostic: Any) -> str:
    text = getattr(diagnostic, "message", None) or "its rule does not take it"
    return " ".join(str(text).split())


def _part(module: fx.GraphModule, nodes: Collection[fx.Node]) -> Part:
    """The part that these nodes are."""
    ordered = [node for node in module.graph.nodes if node in nodes]
    needed = dict.fromkeys(one for node in ordered for one in node.all_input_nodes if one not in nodes)
    inputs = [node for node in needed if not isinstance(node.meta.get("val"), (torch.SymInt, int, bool))]
    outputs = [node for node in ordered if any(user not in nodes for user in node.users) or not node.users]
    outputs = [node for node in outputs if isinstance(node.meta.get("val"), torch.Tensor)]
    used = symbols_of([node.meta.get("val") for node in [*ordered, *needed]])
    symbols = [node for symbol, node in given_symbols(module.graph).items() if symbol in used]
    return Part(module, ordered, inputs, outputs, symbols)


class _Supported(OperatorSupportBase):
    def __init__(self, nodes: Collection[fx.Node]) -> None:
        self._nodes = nodes

    def is_node_supported(self, submodules: Any, node: fx.Node) -> bool:
        return node in self._nodes


def _clusters(module: fx.GraphModule, supported: set[fx.Node], reasons: dict[fx.Node, str]) -> list[list[fx.Node]]:
    """The nodes of each part. What would be a part of views alone is given its reason."""
    calls = [node for node in module.graph.nodes if _is_call(node)]
    if supported.issuperset(calls):
        found = [calls] if calls else []
    else:
        partitioner = CapabilityBasedPartitioner(module, _Supported(supported), allows_single_node_partition=True)
        found = [list(partition.nodes) for partition in partitioner.propose_partitions()]
    clusters, order = [], {node: at for at, node in enumerate(module.graph.nodes)}
    for nodes in sorted((sorted(nodes, key=order.__getitem__) for nodes in found), key=lambda nodes: order[nodes[0]]):
        if any(_works(node) for node in nodes):
            clusters.append(nodes)
        else:
            reasons.update(dict.fromkeys(nodes, "it is a view, which costs PyTorch nothing"))
    return clusters


def _works(node: fx.Node) -> bool:
    """Whether a node is more than a view."""
    if node.target is operator.getitem:
        return False
    return node.target._schema.name.replace("::", ".") not in _VIEWS


def _taken_out(module: fx.GraphModule, nodes: Collection[fx.Node], name: str) -> Part:
    """The part that these nodes are as a graph of its own, which a call of a module takes the place of."""
    part, graph, copies = _part(module, set(nodes)), fx.Graph(), {}
    given = [node for node in part.inputs if node.op != "get_attr"]
    others = [one for node in part.nodes for one in node.all_input_nodes if one not in part.nodes]
    others = [one for one in dict.fromkeys(others) if one not in part.inputs and one not in part.symbols]
    for node in [*given, *part.symbols, *others]:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in part.inputs:
        if node.op == "get_attr":
            copies[node] = graph.node_copy(node)
    for node in part.nodes:
        copies[node] = graph.node_copy(node, lambda one: copies[one])
    graph.output(tuple(copies[node] for node in part.outputs))
    arguments = [node for node in copies if copies[node].op == "placeholder"]
    own = fx.GraphModule(module, graph)
    module.add_submodule(name, own)
    with module.graph.inserting_after(part.nodes[-1]):
        call = module.graph.call_module(name, tuple(arguments))
    with module.graph.inserting_after(call):
        for at, node in enumerate(part.outputs):
            item = module.graph.call_function(operator.getitem, (call, at))
            item.meta = dict(node.meta)
            node.replace_all_uses_with(item)
    for node in reversed(part.nodes):
        module.graph.erase_node(node)
    return Part(
        own,
        [copies[node] for node in part.nodes],
        [copies[node] for node in part.inputs],
        [copies[node] for node in part.outputs],
        [copies[node] for node in part.symbols],
    )
