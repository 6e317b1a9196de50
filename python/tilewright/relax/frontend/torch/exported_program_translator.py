"""Programs that `torch.export` has exported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .... import _core
from ...block_builder import BlockBuilder
from .recording import Places, Recorder, function_name, said_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from ....ir.module import IRModule


def from_exported_program(
    exported_program: ExportedProgram,
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
) -> IRModule:
    """The module whose function `main` computes what an exported program computes.

    Dimensions that were exported as dynamic are symbolic. The model's parameters become constants; with
    `keep_params_as_input` they become inputs behind the others, in the order of their names, and
    `relax.frontend.detach_params` gives their values.
    """
    builder, options = BlockBuilder(), {"unwrap_unit_return_tuple": unwrap_unit_return_tuple}
    options["no_bind_return_tuple"] = no_bind_return_tuple
    recorder = _record(exported_program)
    if keep_params_as_input:
        names = sorted(exported_program.graph_signature.parameters)
        for name in names:
            recorder.parameter(name, exported_program.state_dict[name])
        options["params_as_input"] = names
    _core.import_torch_graph(builder, recorder.graph(), options, None)
    return builder.get()


def _record(program: ExportedProgram) -> Recorder:
    """The graph as it was exported."""
    from torch.export.graph_signature import InputKind

    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    nodes = list(program.graph.nodes)
    own = [node for node in nodes if node.op == "placeholder" and specs[node.name].kind == InputKind.USER_INPUT]
    given = [node for node in own if hasattr(node.meta.get("val"), "shape")]
    recorder = Recorder([([_dim(size) for size in node.meta["val"].shape], node.meta["val"].dtype) for node in given])
    places = Places(program.graph_module)
    for node in nodes:
        if node.op == "placeholder" and node in given:
            recorder.input(node, node.name)
        elif node.op == "placeholder" and node in own:
            recorder.meaning[node] = recorder.argument(node.meta.get("val"))
        elif node.op == "placeholder":
            recorder.meaning[node] = recorder.parameter(specs[node.name].target, _tensor(program, specs[node.name]))
        elif node.op == "output":
            changed = len(program.graph_signature.output_specs) - len(program.graph_signature.user_outputs)
            recorder.output = recorder.argument(list(node.args[0])[changed:])
        elif node.op == "get_attr":
            recorder.meaning[node] = recorder.parameter(node.target, getattr(program.graph_module, node.target))
        else:
            recorder.node(node, function_name(node.target), said_of(node, {}), node.args, node.kwargs, places.of(node))
    return recorder


def _dim(size: Any) -> Any:
    """A dimension: a number, or the name of a dynamic one."""
    return size if isinstance(size, int) else str(size)


def _tensor(program: ExportedProgram, spec: Any) -> Any:
    """What the program holds for a parameter, a buffer or a constant."""
    held = program.state_dict.get(spec.target)
    return program.constants[spec.target] if held is None else held
