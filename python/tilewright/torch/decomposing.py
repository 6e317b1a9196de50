"""Writes a node of a functional graph out as PyTorch decomposes its operator, where all of that has rules."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import fx
from torch._dispatch.python import enable_python_dispatcher
from torch._guards import detect_fake_mode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_flatten, tree_unflatten

from ..relax.frontend.torch.decomposition import decompositions
from .support import is_of_sizes, reason_against

#: How often what an operator is written in may be written out again.
_MOST_STEPS = 4


def written_out(module: fx.GraphModule, node: fx.Node, symbols: Iterable[Any], custom: Mapping[Any, Any]) -> bool:
    """Puts what a node's operator is made of in its place, if all of that has rules; whether it has."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded in target.tags:
        return False
    targets = {target}
    for _ in range(_MOST_STEPS):
        traced = _traced(node, decompositions(targets)) if decompositions(targets) else None
        if traced is None:
            return False
        calls = [one for one in traced.graph.nodes if one.op == "call_function" and not is_of_sizes(one)]
        held = any(one.op == "get_attr" for one in traced.graph.nodes)
        unruled = {
            one.target for one in calls if one.target is target or reason_against(one, symbols, custom) not in ("",)
        }
        if not unruled and not held:
            _put_in_place(module, node, traced)
            return True
        if held or unruled <= targets or not all(isinstance(one, torch._ops.OpOverload) for one in unruled):
            return False
        targets |= unruled
    return False


def _traced(node: fx.Node, table: Mapping[Any, Any]) -> fx.GraphModule | None:
    """The graph of a node's decomposition: its inputs are the nodes that the node needs."""
    flat, spec = tree_flatten((node.args, node.kwargs))
    needed = node.all_input_nodes
    values = [one.meta.get("val") for one in needed]
    fake = detect_fake_mode(values)
    if fake is None:
        return None

    def call(*given: Any) -> Any:
        by_node = dict(zip(needed, given, strict=True))
        args, kwargs = tree_unflatten([by_node[one] if isinstance(one, fx.Node) else one for one in flat], spec)
        return node.target(*args, **kwargs)

    try:
        with fake, enable_python_dispatcher(), torch.no_grad():
            functional = torch.func.functionalize(call, remove="mutations")
            return make_fx(functional, decomposition_table=dict(table))(*values)
    except Exception:
        # A decomposition may raise anything for arguments that it does not take; the operator stays whole.
        return None


def _put_in_place(module: fx.GraphModule, node: fx.Node, traced: fx.GraphModule) -> None:
    """Copies the nodes of a decomposition in front of a node, and uses their results in place of its own."""
    given = iter(node.all_input_nodes)
    copies: dict[fx.Node, fx.Node] = {}
    results: Any = None
    with module.graph.inserting_before(node):
        for one in traced.graph.nodes:
            if one.op == "placeholder":
                copies[one] = next(given)
            elif one.op == "output":
                results = torch.fx.node.map_arg(one.args[0], lambda inner: copies[inner])
            else:
                copies[one] = module.graph.node_copy(one, lambda inner: copies[inner])
                copies[one].meta["stack_trace"] = node.stack_trace
    if isinstance(results, (list, tuple)):
        for user in list(node.users):
            if user.target is operator.getitem:
                user.replace_all_uses_with(results[user.args[1]])
                module.graph.erase_node(user)
    else:
        node.replace_all_uses_with(results)
    module.graph.erase_node(node)
