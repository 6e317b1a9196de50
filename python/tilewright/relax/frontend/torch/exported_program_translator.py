"""Programs that `torch.export` has exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .changes import refuse_changes, without_changes
from .decomposition import taken_apart
from .recording import Importer, Places, Recorder, function_name, said_of
from .sizes import Sizes

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

    from ....ir.module import IRModule


def from_exported_program(
    exported_program: ExportedProgram,
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
    custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None,
    drop_changes: bool = False,
) -> IRModule:
    """The module whose function `main` computes what an exported program computes.

    Dimensions that were exported as dynamic are symbolic. The model's parameters become constants; with
    `keep_params_as_input` they become inputs behind the others, in the order of their names, and
    `relax.frontend.detach_params` gives their values.

    An operator that has no rule, or whose rule does not take its arguments, is taken apart as PyTorch itself does
    (`torch.export.ExportedProgram.run_decompositions`); only what that leaves without a rule is an error, with its
    place in the model's source. Operators of the `custom_convert_map`, which is as in `from_fx`, by names such as
    `aten.det` or without `aten.`, are not taken apart.

    The function gives what the model gives, and changes nothing: a program that changes its buffers or its inputs is
    an error. With `drop_changes` it is imported nevertheless: each call begins with the buffers that were exported, and
    inputs stay as they are.
    """
    options: dict[str, Any] = {
        "unwrap_unit_return_tuple": unwrap_unit_return_tuple,
        "no_bind_return_tuple": no_bind_return_tuple,
    }
    if keep_params_as_input:
        options["params_as_input"] = sorted(exported_program.graph_signature.parameters)
    program = without_changes(exported_program) if drop_changes else exported_program
    importer = ExportedProgramImporter(program, custom_convert_map)
    if not drop_changes:
        refuse_changes(importer.program)
    return importer.from_exported_program(options)


class ExportedProgramImporter(Importer):
    """Records an exported program and hands it to the rules."""

    def __init__(
        self, program: ExportedProgram, custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None
    ) -> None:
        super().__init__(custom_convert_map)
        self._exported = program
        #: The operators that their rules have refused.
        self._refused: set[Any] = set()
        self.program = taken_apart(program, keep=self.custom_convert_map)

    def from_exported_program(self, options: Mapping[str, Any]) -> IRModule:
        """The module."""
        return self._imported(lambda: self.record(options.get("params_as_input", [])), options)

    def _refuse(self, recorder: Recorder, names: Sequence[str]) -> bool:
        more = {recorder.targets[name] for name in names if name in recorder.targets} - self._refused
        if more:
            self._refused |= more
            self.program = taken_apart(self._exported, self._refused, keep=self.custom_convert_map)
        return bool(more)

    def record(self, params_as_input: Sequence[str] = ()) -> Recorder:
        """The graph as it was exported, with these parameters whether it uses them or not."""
        from torch.export.graph_signature import InputKind

        program, specs = self.program, _specs(self.program)
        inputs = [node for node in program.graph.nodes if node.op == "placeholder"]
        own = [node for node in inputs if specs[node.name].kind == InputKind.USER_INPUT]
        given = [node for node in own if hasattr(node.meta.get("val"), "shape")]
        sizes = Sizes(node.meta["val"].shape for node in given)
        recorder = Recorder(
            [([sizes.of_input(size) for size in node.meta["val"].shape], node.meta["val"].dtype) for node in given]
        )
        recorder.sizes = sizes
        for node in own:
            if node in given:
                recorder.input(node, node.name)
            else:
                recorder.meaning[node] = recorder.argument(node.meta.get("val"))
        recorder.output = record_program(self, recorder, program, Places(program.graph_module).of)
        for name in params_as_input:
            recorder.parameter(name, program.state_dict[name])
        return recorder


def record_program(
    importer: Importer, recorder: Recorder, program: ExportedProgram, place_of: Callable[[fx.Node], Any]
) -> Any:
    """Records what a program consists of, whose inputs have their meaning already; the result is what it gives. Behind
    it an input that it changes means what that is then."""
    import torch

    specs, output, checked = _specs(program), None, _checks_alone(program)
    inputs = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    for node in program.graph.nodes:
        if node in checked:
            continue
        if node.op == "output":
            changed = len(program.graph_signature.output_specs) - len(program.graph_signature.user_outputs)
            results = list(node.args[0])
            output = recorder.argument(results[changed:])
            mutated = program.graph_signature.user_inputs_to_mutate
            for result in results[:changed]:
                if result.name in mutated:
                    recorder.meaning[inputs[mutated[result.name]]] = recorder.argument(result)
        elif node.op == "get_attr":
            held = getattr(program.graph_module, node.target)
            is_tensor = isinstance(held, torch.Tensor)
            name = recorder.own_name(node.target)
            recorder.meaning[node] = recorder.parameter(name, held) if is_tensor else recorder.argument(held)
        elif node.op == "placeholder":
            if node not in recorder.meaning:
                spec = specs[node.name]
                recorder.meaning[node] = recorder.parameter(recorder.own_name(spec.target), _tensor(program, spec))
        else:
            record_call(importer, recorder, node, place_of(node))
    return output


def _checks_alone(program: ExportedProgram) -> set[fx.Node]:
    """The nodes that assert what sizes are when the program runs, and those that nothing else needs."""
    found: set[fx.Node] = set()
    for node in reversed(program.graph.nodes):
        if node.op != "call_function":
            continue
        asserts = function_name(node.target) == "aten._assert_scalar"
        of_numbers = not hasattr(node.target, "_schema") and node.users
        if asserts or (of_numbers and all(user in found for user in node.users)):
            found.add(node)
    return found


def record_call(importer: Importer, recorder: Recorder, node: fx.Node, place: Any) -> None:
    """Records a call of an operator of ATen."""
    target, said = function_name(node.target), said_of(node, {})
    function = importer._rule_of(node.target, target, target.rpartition(".")[2])
    if function is not None:
        importer._leave(recorder, node, function, said, place)
    else:
        recorder.node(node, target, said, node.args, node.kwargs, place)
        recorder.targets[recorder.prefix + node.name] = node.target


def _specs(program: ExportedProgram) -> dict[str, Any]:
    """What the inputs of the graph are, by their names."""
    return {spec.arg.name: spec for spec in program.graph_signature.input_specs}


def _tensor(program: ExportedProgram, spec: Any) -> Any:
    """What the program holds for a parameter, a buffer or a constant."""
    held = program.state_dict.get(spec.target)
    return program.constants[spec.target] if held is None else held
