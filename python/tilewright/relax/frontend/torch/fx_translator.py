"""Models that `torch.fx` has traced."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .... import _core
from ....error import TVMError
from ...block_builder import BlockBuilder
from .recording import Places, Recorder, function_name, module_call, said_of

if TYPE_CHECKING:
    import torch
    from torch import fx

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

    `custom_convert_map` translates what has no rule, or has another one: from the name of a function or method, or a
    class of modules, to a function of the node and the importer that gives the value.

        graph = torch.fx.symbolic_trace(torchvision.models.resnet18().eval())
        mod = from_fx(graph, [((1, 3, 224, 224), "float32")])
    """
    model = traced(model)
    importer = TorchFXImporter(model, custom_convert_map)
    return importer.from_fx(model, input_info, keep_params_as_input, unwrap_unit_return_tuple, no_bind_return_tuple)


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


class TorchFXImporter:
    """Records a traced model and hands it to the rules. Functions of a `custom_convert_map` get it as their second
    argument.

    `env` holds the values of the nodes that the node at hand needs, `block_builder` is the builder of the function.
    """

    def __init__(
        self, model: fx.GraphModule, custom_convert_map: Mapping[Any, Callable[..., Any]] | None = None
    ) -> None:
        self.model = model
        self.named_modules: dict[str, torch.nn.Module] = dict(model.named_modules())
        self.custom_convert_map = dict(custom_convert_map or {})
        self.env: dict[fx.Node, Any] = {}
        self.params: dict[Any, Any] = {}
        self.block_builder = BlockBuilder()
        self._names: dict[int, str] = {}
        self._custom: dict[int, tuple[fx.Node, Callable[..., Any]]] = {}

    def from_fx(
        self,
        model: fx.GraphModule,
        input_info: Sequence[tuple[Sequence[Any], str]],
        keep_params_as_input: bool = False,
        unwrap_unit_return_tuple: bool = False,
        no_bind_return_tuple: bool = False,
    ) -> IRModule:
        """See the function `from_fx`."""
        if any(module.training for module in self.named_modules.values() if module_call(module) is not None):
            warnings.warn("the model is in training mode; it is imported as it is evaluated", stacklevel=3)
        recorder = self.record(input_info)
        options = {
            "unwrap_unit_return_tuple": unwrap_unit_return_tuple,
            "no_bind_return_tuple": no_bind_return_tuple,
        }
        if keep_params_as_input:
            for name, parameter in sorted(model.named_parameters()):
                recorder.parameter(name, parameter)
            options["params_as_input"] = [name for name, _ in sorted(model.named_parameters())]
        _core.import_torch_graph(self.block_builder, recorder.graph(), options, self._translate)
        return self.block_builder.get()

    def retrieve_args(self, node: fx.Node) -> Any:
        """The positional arguments of a node, with the values of the nodes among them."""
        return self._retrieve(node.args)

    def shape_of(self, value: Any) -> Any:
        """The shape of a value of the graph, or of a tensor of PyTorch."""
        info = getattr(value, "struct_info", None)
        return info.shape if info is not None else value.shape

    def _retrieve(self, value: Any) -> Any:
        from torch import fx

        if isinstance(value, fx.Node):
            return self.env[value]
        if isinstance(value, (list, tuple)):
            return type(value)(self._retrieve(item) for item in value)
        if isinstance(value, dict):
            return {key: self._retrieve(item) for key, item in value.items()}
        return value

    def _translate(self, at: int, values: Mapping[str, Any]) -> Any:
        node, function = self._custom[at]
        self.env.update({needed: values[needed.name] for needed in node.all_input_nodes if needed.name in values})
        return function(node, self)

    def record(self, input_info: Sequence[tuple[Sequence[Any], str]]) -> Recorder:
        """The graph as it was traced."""
        recorder, places = Recorder(input_info), Places(self.model)
        tensors = [*self.model.named_parameters(), *self.model.named_buffers()]
        self._names = {id(tensor): name for name, tensor in reversed(tensors)}
        for node in self.model.graph.nodes:
            if node.op == "placeholder":
                recorder.input(node, node.name)
            elif node.op == "output":
                recorder.output = recorder.argument(node.args[0])
            elif node.op == "get_attr":
                recorder.meaning[node] = self._held(recorder, node.target)
            else:
                self._record_call(recorder, node, places)
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

    def _record_call(self, recorder: Recorder, node: fx.Node, places: Places) -> None:
        said, place = said_of(node, self.named_modules), places.of(node)
        args, kwargs, function = list(node.args), dict(node.kwargs), None
        if node.op == "call_module":
            module = self.named_modules[node.target]
            function = self._custom_rule(type(module))
            call = module_call(module)
            target = call[0] if call else type(module).__name__
            if call and function is None:
                kwargs.update({key: self._own(recorder, value) for key, value in call[1].items()})
        else:
            target = node.target if node.op == "call_method" else function_name(node.target)
            function = self._custom_rule(node.target, target, target.rpartition(".")[2])
        if target == "getitem" and isinstance(args[1], list):
            args[1] = [args[1]]
        if function is not None:
            self._custom[len(recorder.nodes)] = (node, function)
        recorder.node(node, None if function else target, said, args, kwargs, place)
        if function is not None:
            # It holds what the user's function reads, which may be anything.
            recorder.nodes[-1]["kwargs"] = {"needs": [recorder.meaning[needed] for needed in node.all_input_nodes]}
            recorder.nodes[-1]["args"] = []

    def _own(self, recorder: Recorder, value: Any) -> Any:
        """An argument that a module holds."""
        import torch

        if isinstance(value, torch.Tensor):
            return recorder.parameter(self._names.get(id(value), f"constant_{len(recorder.parameters)}"), value)
        return value

    def _custom_rule(self, *keys: Any) -> Callable[..., Any] | None:
        hashed = (key for key in keys if key in self.custom_convert_map)
        return next((self.custom_convert_map[key] for key in hashed), None)
