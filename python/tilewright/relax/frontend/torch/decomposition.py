"""Operators of ATen that PyTorch itself writes in simpler ones, which are read where a rule is missing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from .... import _core
from .recording import function_name

if TYPE_CHECKING:
    from torch.export import ExportedProgram

#: The calls of graphs of their own that are regions of the model, in which operators are called as the region says.
_REGIONS = ("wrap_with_set_grad_enabled", "wrap_with_autocast")
#: How often what an operator is taken apart to may be taken apart again.
_MOST_STEPS = 5


def has_rule(target: Any) -> bool:
    """Whether the core has a rule for a function of a graph."""
    return _core.has_torch_rule(function_name(target))


def taken_apart(program: ExportedProgram, refused: Collection[Any] = (), keep: Collection[Any] = ()) -> ExportedProgram:
    """The program without regions, without changes of views in place and without the operators that have no rule or are
    `refused`, as far as PyTorch takes them apart. An operator that ends in one without a rule stays whole, so that it
    is the one that is told. `keep` are operators, or their names, that the user translates.
    """
    program = _functional(program)
    wanted = _wanting(program, refused, keep)
    if not wanted:
        return program
    found = _decomposed(program, wanted, refused, keep)
    if not _wanting(found, refused, keep):
        return found
    whole = {one for one in wanted if _wanting(_decomposed(program, {one}, refused, keep), refused, keep) - wanted}
    return _decomposed(program, wanted - whole, refused, [*keep, *whole])


def _wanting(program: ExportedProgram, refused: Collection[Any], keep: Collection[Any]) -> set[Any]:
    """The operators of a program that have no rule, or are refused."""

    def is_kept(target: Any) -> bool:
        name = function_name(target)
        return target in keep or name in keep or name.rpartition(".")[2] in keep

    calls = {node.target for node in program.graph.nodes if node.op == "call_function"}
    return {one for one in calls if not is_kept(one) and (one in refused or not has_rule(one))}


def _decomposed(
    program: ExportedProgram, wanted: set[Any], refused: Collection[Any], keep: Collection[Any]
) -> ExportedProgram:
    """The program with these operators, and those without a rule that come of them, taken apart."""
    for _ in range(_MOST_STEPS):
        table = decompositions(wanted)
        if not table:
            break
        try:
            program = program.run_decompositions(table)
        except (AssertionError, RuntimeError):
            # One of them is written in changes in place that PyTorch does not follow: what has no rule is told.
            break
        wanted = _wanting(program, refused, keep) - set(table)
    return program


def decompositions(targets: Collection[Any]) -> dict[Any, Any]:
    """How PyTorch takes the operators apart, of those for which it says so."""
    from torch._decomp import decomposition_table

    usual, table = _usual(), {}
    for target in targets:
        if target in decomposition_table:
            table[target] = decomposition_table[target]
        elif target in usual:
            table[target] = usual[target]
        elif getattr(target, "_can_decompose", bool)():
            # It is written in others where it is called, not in a table.
            table[target] = target.decompose
    return table


@cache
def _usual() -> Mapping[Any, Any]:
    """The decompositions that `torch.export` has: it collects them anew each time that it is asked."""
    from torch.export import default_decompositions

    return dict(default_decompositions().items())


def _functional(program: ExportedProgram) -> ExportedProgram:
    """The program, without changes of views in place if there are any: the rules take those of whole tensors alone; and
    with the operators of regions (`torch.no_grad`, `torch.autocast`) beside all others."""

    def is_view(value: Any) -> bool:
        schema = getattr(getattr(value, "target", None), "_schema", None)
        aliases = [result.alias_info for result in schema.returns] if schema is not None else []
        return any(alias is not None and not alias.is_write for alias in aliases)

    calls = [node for node in program.graph.nodes if getattr(node.target, "_schema", None) is not None]
    changed = [node.args[0] for node in calls if node.target._schema.is_mutable and node.args]
    has_regions = any(getattr(node.target, "__name__", "") in _REGIONS for node in program.graph.nodes)
    if not has_regions and not any(map(is_view, changed)):
        return program
    try:
        return program.run_decompositions({})
    except (AssertionError, RuntimeError):
        # PyTorch has no such form of it, of complex numbers for one: the rules say what they do not take, and where.
        return program
