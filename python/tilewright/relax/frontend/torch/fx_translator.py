"""Models that `torch.fx` has traced."""

from __future__ import annotations

import dataclasses
import inspect
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .... import _core
from ....error import TVMError
from .exported_program_translator import record_program
from .recording import Importer, Places, Recorder, function_name, module_call, said_of
from .wrapped import NotExported, WrappedCalls

if TYPE_CHECKING:
    import torch
    from torch import fx
    from torch.export import ExportedProgram

    from ....ir.module import IRModule


def from_fx(
    model: fx.GraphModule,
    input_info: Sequence[tuple[Sequence[Any], str]],
    *,
    keep_params_as_input: bool = False,
    unwrap_unit_return_tuple: bool = False,
    no_bind_return_tuple: bool = False,
    custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None,
) -> IRModule:
    """The module whose function `main` computes what a traced model computes when it is run, not trained.

    A model that is not traced yet is. `input_info` says shape and data type of each input; a dimension that is a
    text, such as `"n"`, or a `tir.Var` is symbolic. The model's parameters become constants; with
    `keep_params_as_input` they become inputs behind the others, in the order of their names, and
    `relax.frontend.detach_params` gives their values.

    What the trace does not look into and no rule takes, such as recurrent layers, is exported on its own: PyTorch says
    what it is made of.

    A result that is a dict or a dataclass is the tuple of its values, and `None` in it is an object that is absent.

    `custom_convert_map` translates what has no rule, or has another one: from the name of a function or method, or a
    class of modules, to a function of the node and the importer that gives the value.

        graph = torch.fx.symbolic_trace(torchvision.models.resnet18().eval())
        mod = from_fx(graph, [((1, 3, 224, 224), "float32")])
    """
    model = traced(model)
    importer = TorchFXImporter(model, custom_convert_map)
    return importer.from_fx(input_info, keep_params_as_input, unwrap_unit_return_tuple, no_bind_return_tuple)


def traced(model: torch.nn.Module) -> fx.GraphModule:
    """The model as `torch.fx` traces it, if it is not traced yet. Control flow that depends on data is an error that
    names its line."""
    from torch import fx

    if isinstance(model, fx.GraphModule):
        return model
    try:
        return fx.symbolic_trace(model)
    except fx.proxy.TraceError as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/torch/" not in frame.filename]
        where = f"\n  {frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}" if frames else ""
        reason = f"what the model does next depends on the values of tensors, which a trace does not have{where}"
        raise TVMError(f"{reason}\nwrite it with `torch.where`, or export it with `torch.export` ({error})") from error


class TorchFXImporter(Importer):
    """Records a traced model and hands it to the rules."""

    def __init__(
        self, model: fx.GraphModule, custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None
    ) -> None:
        super().__init__(custom_convert_map)
        self.model = model
        self.named_modules: dict[str, torch.nn.Module] = dict(model.named_modules())
        self._names: dict[int, str] = {}
        self._wrapped = WrappedCalls(model)
        #: The nodes, and the operators of those that were exported, that their rules have refused.
        self._refused: tuple[set[str], set[Any]] = (set(), set())
        self._not_exported: NotExported | None = None

    def from_fx(
        self,
        input_info: Sequence[tuple[Sequence[Any], str]],
        keep_params_as_input: bool = False,
        unwrap_unit_return_tuple: bool = False,
        no_bind_return_tuple: bool = False,
    ) -> IRModule:
        """See the function `from_fx`."""
        if any(module.training and _trains_otherwise(module) for module in self.named_modules.values()):
            warnings.warn("the model is in training mode; it is imported as it is evaluated", stacklevel=3)
        options: dict[str, Any] = {
            "unwrap_unit_return_tuple": unwrap_unit_return_tuple,
            "no_bind_return_tuple": no_bind_return_tuple,
        }
        held = sorted(self.model.named_parameters()) if keep_params_as_input else []
        options["params_as_input"] = [name for name, _ in held]

        def record() -> Recorder:
            recorder = self.record(input_info)
            for name, parameter in held:
                recorder.parameter(name, parameter)
            return recorder

        return self._imported(record, options)

    def _refuse(self, recorder: Recorder, names: Sequence[str]) -> bool:
        nodes, operators = self._refused
        before = len(nodes) + len(operators)
        operators |= {recorder.targets[name] for name in names if name in recorder.targets}
        nodes |= {name for name in names if name not in recorder.targets}
        return len(nodes) + len(operators) > before

    def _untaken(self) -> Exception | None:
        return self._not_exported

    def _record_unruled(self, recorder: Recorder, node: fx.Node, target: str | None, place: Any) -> bool:
        """Records a node as what it is made of, where there is no rule for `target` or it has refused the node; whether
        that is known."""
        nodes, operators = self._refused
        if target is not None and node.name not in nodes and _core.has_torch_rule(target):
            return False
        inputs = [info for _, info in recorder.inputs]
        try:
            constant = self._wrapped.constant(node, inputs)
            program = None if constant else self._wrapped.program(node, inputs, operators)
        except NotExported as error:
            # It is told as a rule that is missing, with its place.
            self._not_exported = error
            return False
        if constant:
            recorder.meaning[node] = recorder.argument(constant.value)
        elif program:
            self._record_within(recorder, node, *program, place)
        return bool(constant or program)

    def record(self, input_info: Sequence[tuple[Sequence[Any], str]]) -> Recorder:
        """The graph as it was traced."""
        recorder, places = Recorder(input_info), Places(self.model)
        tensors = [*self.model.named_parameters(), *self.model.named_buffers()]
        self._names = {id(tensor): name for name, tensor in reversed(tensors)}
        for node in self.model.graph.nodes:
            if node.op == "placeholder":
                recorder.input(node, node.name)
            elif node.op == "output":
                recorder.output = recorder.result(node.args[0])
            elif node.op == "get_attr":
                recorder.meaning[node] = self._held(recorder, node.target)
            elif node.op == "call_module":
                self._record_module(recorder, node, places.of(node))
            else:
                self._record_function(recorder, node, places.of(node))
        return recorder

    def _held(self, recorder: Recorder, target: str) -> Any:
        """What the model holds under a name."""
        import torch

        value: Any = self.model
        for part in target.split("."):
            value = getattr(value, part)
        if isinstance(value, torch.Tensor):
            return recorder.parameter(self._names.get(id(value), target), value)
        return recorder.argument(value)

    def _record_module(self, recorder: Recorder, node: fx.Node, place: Any) -> None:
        module, said = self.named_modules[node.target], said_of(node, self.named_modules)
        function = self._rule_of(type(module), type(module).__name__)
        if function is not None:
            return self._leave(recorder, node, function, said, place)
        known = module_call(module)
        if self._record_unruled(recorder, node, known and known[0], place):
            return None
        target, own = known or (type(module).__name__, {})
        kwargs = {**node.kwargs, **{key: self._own(recorder, value) for key, value in own.items()}}
        return recorder.node(node, target, said, node.args, kwargs, place)

    def _record_function(self, recorder: Recorder, node: fx.Node, place: Any) -> None:
        said, args = said_of(node, self.named_modules), list(node.args)
        target = node.target if node.op == "call_method" else function_name(node.target)
        function = self._rule_of(node.target, target, target.rpartition(".")[2])
        if function is not None:
            return self._leave(recorder, node, function, said, place)
        if isinstance(node.target, type) and dataclasses.is_dataclass(node.target):
            bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)
            bound.apply_defaults()
            recorder.meaning[node] = [recorder.argument(value) for value in bound.arguments.values()]
            return None
        if self._record_unruled(recorder, node, target, place):
            return None
        if target in ("getitem", "setitem") and isinstance(args[1], list):
            # A list in the brackets holds indices; a tuple holds what is asked of each dimension.
            args[1] = [args[1]]
        return recorder.node(node, target, said, args, node.kwargs, place)

    def _record_within(
        self, recorder: Recorder, node: fx.Node, program: ExportedProgram, given: Sequence[fx.Node], place: Any
    ) -> None:
        """Records what a node is made of: a program of the nodes that are given."""
        from torch.utils._pytree import tree_unflatten

        names = program.graph_signature.user_inputs
        inner = {one.name: one for one in program.graph.nodes if one.op == "placeholder"}
        for name, one in zip(names, given, strict=True):
            recorder.meaning[inner[name]] = recorder.meaning[one]
        with recorder.within(node):
            results = record_program(self, recorder, program, lambda _: place)
        recorder.meaning[node] = tree_unflatten(results, program.call_spec.out_spec)
        # What the program changes of what it is given, later nodes see.
        for name, one in zip(names, given, strict=True):
            recorder.meaning[one] = recorder.meaning[inner[name]]

    def _own(self, recorder: Recorder, value: Any) -> Any:
        """An argument that a module holds."""
        import torch

        if isinstance(value, torch.Tensor):
            return recorder.parameter(self._names.get(id(value), f"constant_{len(recorder.parameters)}"), value)
        return value


def _trains_otherwise(module: torch.nn.Module) -> bool:
    """Whether a module computes something else while it is trained."""
    target, _ = module_call(module) or ("", {})
    return target in ("alpha_dropout", "batch_norm", "dropout", "instance_norm")
