"""Programs that `torch.export` has exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .recording import Importer, Places, Recorder, function_name, said_of

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from ....ir.module import IRModule


def from_exported_program(
    exported_program: ExportedProgram,
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
    custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None,
) -> IRModule:
    """The module whose function `main` computes what an exported program computes.

    Dimensions that were exported as dynamic are symbolic. The model's parameters become constants; with
    `keep_params_as_input` they become inputs behind the others, in the order of their names, and
    `relax.frontend.detach_params` gives their values. `custom_convert_map` is as in `from_fx`, by the names of
    operators such as `aten.det`, or without `aten.`.
    """
    options: dict[str, Any] = {
        "unwrap_unit_return_tuple": unwrap_unit_return_tuple,
        "no_bind_return_tuple": no_bind_return_tuple,
    }
    importer = ExportedProgramImporter(exported_program, custom_convert_map)
    recorder = importer.record()
    if keep_params_as_input:
        names = sorted(exported_program.graph_signature.parameters)
        for name in names:
            recorder.parameter(name, exported_program.state_dict[name])
        options["params_as_input"] = names
    return importer._import(recorder, options)


class ExportedProgramImporter(Importer):
    """Records an exported program and hands it to the rules."""

    def __init__(
        self, program: ExportedProgram, custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None
    ) -> None:
        super().__init__(custom_convert_map)
        self.program = program

    def record(self) -> Recorder:
        """The graph as it was exported."""
        from torch.export.graph_signature import InputKind

        program = self.program
        specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
        inputs = [node for node in program.graph.nodes if node.op == "placeholder"]
        own = [node for node in inputs if specs[node.name].kind == InputKind.USER_INPUT]
        given = [node for node in own if hasattr(node.meta.get("val"), "shape")]
        recorder = Recorder(
            [([_dim(size) for size in node.meta["val"].shape], node.meta["val"].dtype) for node in given]
        )
        for node in inputs:
            if node in given:
                recorder.input(node, node.name)
            elif node in own:
                recorder.meaning[node] = recorder.argument(node.meta.get("val"))
            else:
                held = _tensor(program, specs[node.name])
                recorder.meaning[node] = recorder.parameter(specs[node.name].target, held)
        self._record_calls(recorder)
        return recorder

    def _record_calls(self, recorder: Recorder) -> None:
        program, places = self.program, Places(self.program.graph_module)
        for node in program.graph.nodes:
            if node.op == "output":
                changed = len(program.graph_signature.output_specs) - len(program.graph_signature.user_outputs)
                recorder.output = recorder.argument(list(node.args[0])[changed:])
            elif node.op == "get_attr":
                recorder.meaning[node] = recorder.parameter(node.target, getattr(program.graph_module, node.target))
            elif node.op != "placeholder":
                target, said, place = function_name(node.target), said_of(node, {}), places.of(node)
                function = self._rule_of(node.target, target, target.rpartition(".")[2])
                if function is not None:
                    self._leave(recorder, node, function, said, place)
                else:
                    recorder.node(node, target, said, node.args, node.kwargs, place)


def _dim(size: Any) -> Any:
    """A dimension: a number, or the name of a dynamic one."""
    return size if isinstance(size, int) else str(size)


def _tensor(program: ExportedProgram, spec: Any) -> Any:
    """What the program holds for a parameter, a buffer or a constant."""
    held = program.state_dict.get(spec.target)
    return program.constants[spec.target] if held is None else held
