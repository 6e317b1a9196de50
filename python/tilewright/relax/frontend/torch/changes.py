"""Changes that an exported program makes in its buffers, its parameters and its inputs, which a function of ours, whose
results are all that it gives, would drop."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....error import TVMError
from .recording import Places, function_name

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

#: Operators that change what they are given though their schemas do not say so, where their argument 5 is true: the
#: running statistics, their arguments 3 and 4.
_TRAINED = ("aten.batch_norm", "aten.instance_norm")
#: What PyTorch's own layers keep of what they are trained with.
_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


def refuse_changes(program: ExportedProgram) -> None:
    """Raises an error that names the first thing that the program changes and the line that does."""
    for name, node in _changes(program):
        place = Places(program.graph_module).of(node)
        where = f"\n  {place[0]}:{place[1]}: {linecache.getline(*place).strip()}" if place else ""
        what, way = _told(program, name)
        raise TVMError(f"{what}{where}\n{way}")


def without_changes(program: ExportedProgram) -> ExportedProgram:
    """The program with what it would change as results in front of its own, where PyTorch has such a form of it."""
    try:
        return program.run_decompositions({})
    except (AssertionError, RuntimeError):
        return program


def _changes(program: ExportedProgram) -> Iterator[tuple[str, fx.Node]]:
    """The names of the placeholders that a program changes, and the nodes that change them or are what they become."""
    placeholders = {node.name for node in program.graph.nodes if node.op == "placeholder"}
    for node in program.graph.nodes:
        for changed in _changed_by(node):
            owner = _owner(changed)
            if owner.name in placeholders:
                yield owner.name, node
    names = {spec.target: spec.arg.name for spec in program.graph_signature.input_specs if spec.target}
    [output] = [node for node in program.graph.nodes if node.op == "output"]
    for spec, result in zip(program.graph_signature.output_specs, output.args[0], strict=True):
        if spec.kind.name.endswith("_MUTATION"):
            yield names.get(spec.target, spec.target), result


def _changed_by(node: fx.Node) -> list[fx.Node]:
    """The arguments that a node changes."""
    from torch import fx

    schema, changed = getattr(node.target, "_schema", None), []
    if schema is not None and schema.is_mutable:
        for at, argument in enumerate(schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                given = node.args[at] if at < len(node.args) else node.kwargs.get(argument.name)
                changed += given if isinstance(given, (list, tuple)) else [given]
    elif schema is not None and function_name(node.target) in _TRAINED and len(node.args) > 5 and node.args[5]:
        changed += node.args[3:5]
    return [one for one in changed if isinstance(one, fx.Node)]


def _owner(node: fx.Node) -> fx.Node:
    """The node that has made the memory that a node gives."""
    from torch import fx

    while node.op == "call_function" and node.args and isinstance(node.args[0], fx.Node):
        schema = getattr(node.target, "_schema", None)
        # Without a schema it is an item of what an operator gives.
        if schema is not None and all(result.alias_info is None for result in schema.returns):
            break
        node = node.args[0]
    return node


def _told(program: ExportedProgram, name: str) -> tuple[str, str]:
    """What the model does to one of its placeholders, and what to do about it."""
    spec = next(spec for spec in program.graph_signature.input_specs if spec.arg.name == name)
    target, kind = spec.target or name, spec.kind.name
    what = {"USER_INPUT": "input", "PARAMETER": "parameter", "BUFFER": "buffer"}.get(kind, "constant")
    if kind == "USER_INPUT":
        way = "change a copy (`.clone()`) and return that where its values are needed"
    elif target.rpartition(".")[2] in _STATISTICS:
        way = "export the model in evaluation mode (`model.eval()`)"
    else:
        way = "give the values to `forward` as an argument and return the changed ones, for the next call"
    if what != "constant":
        way += "; with `drop_changes=True` it is imported, and the change is lost"
    return f"the model changes its {what} `{target}`, which would stay as it is", way
