"""A module compiled and ready to be called, with its weights and states at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .... import _core
from ....runtime import device as make_device
from ....runtime.ndarray import NDArray, array
from ...vm import VirtualMachine
from ...vm_build import build
from . import spec as _spec
from .core import refused

if TYPE_CHECKING:
    from .core import Module, Parameter
    from .spec import MethodSpec, ModuleSpec

__all__ = ["CompiledModule", "TorchModule", "compile_module"]

FORMATS = ("torch", "numpy", "tvm")


def compile_module(
    module: Module, spec: ModuleSpec, device: Any, pipeline: Any, out_format: str, debug: bool
) -> Any:  # fmt: skip
    """What `Module.jit` gives."""
    if out_format not in FORMATS:
        raise refused(f"out_format is one of {', '.join(FORMATS)}, found {out_format!r}")
    exported, params, external = module.export_tvm(spec, debug=debug, allow_extern=True)
    values = weight_values(params)
    for own in external:
        own.load()
    pipeline = None if pipeline == "default_build" else pipeline
    device = make_device(device) if isinstance(device, str) else device
    machine = VirtualMachine(build(exported, target="llvm", pipeline=pipeline), device)
    if out_format == "tvm":
        return spec, machine, values
    return (TorchModule if out_format == "torch" else CompiledModule)(spec, machine, values)


def weight_values(params: Sequence[tuple[str, Parameter]]) -> list[NDArray]:
    """The values of weights in order, whose symbolic dimensions agree."""
    if missing := [name for name, parameter in params if parameter.data is None]:
        raise refused(f"weights have no values: {', '.join(missing)}; give them with `load_state_dict` or `.data`")
    seen: dict[str, tuple[int, str]] = {}
    for name, parameter in params:
        for dim, found in zip(parameter._dims, parameter.data.shape, strict=True):
            if isinstance(dim, str) and seen.setdefault(dim, (found, name))[0] != found:
                other = seen[dim]
                raise refused(f"the dimension `{dim}` is {other[0]} in the weight {other[1]} and {found} in {name}")
    return [parameter.data for _, parameter in params]


class CompiledModule:
    """The methods of a compiled module: `compiled["forward"](x)` takes and gives NumPy's arrays.

    States go from one call to the next; `reset` begins anew.
    """

    def __init__(self, spec: ModuleSpec, machine: VirtualMachine, params: list[NDArray]) -> None:
        self.spec, self.vm, self.params = spec, machine, params
        self.effects: Any = ()
        self.reset()

    def reset(self) -> None:
        """Gives every state its first value."""
        if "_initialize_effect" in self.vm.function_names():
            self.effects = self.vm["_initialize_effect"]()

    def __getitem__(self, name: str) -> Any:
        if name not in self.spec.method_names:
            raise KeyError(f"{name}: the methods are {', '.join(self.spec.method_names)}")
        method = self.spec.method_specs[self.spec.method_names.index(name)]

        def call(*args: Any) -> Any:
            return self._call(name, method, args)

        call.__name__ = name
        return call

    def __call__(self, *args: Any) -> Any:
        return self["forward"](*args)

    def _call(self, name: str, method: MethodSpec, args: Sequence[Any]) -> Any:
        if len(args) != len(method.arg_names):
            names = ", ".join(method.arg_names)
            raise refused(f"`{name}` takes {len(method.arg_names)} arguments ({names}), found {len(args)}")
        given = [
            self._taken(own, spec, value)
            for own, spec, value in zip(method.arg_names, method.arg_specs, args, strict=True)
        ]
        stateful = bool(self.effects) and method.effect_mode != "none"
        if stateful:
            given += [tuple(self.effects)] if method.effect_mode == "packed" else list(self.effects)
        if method.param_mode != "none":
            given += [tuple(self.params)] if method.param_mode == "packed" else self.params
        result = self.vm[name](*given)
        if stateful:
            result, self.effects = result
        return self._given(result)

    def _taken(self, name: str, spec: Any, value: Any) -> Any:
        match spec:
            case _spec.Int():
                return (int(value),)
            case _spec.Tuple():
                if len(value) != len(spec):
                    raise refused(f"{name} has {len(spec)} elements, found {len(value)}")
                return tuple(self._taken(f"{name}[{at}]", own, value[at]) for at, own in enumerate(spec))
            case _spec.Tensor():
                return self._tensor(name, value)
            case _:
                return value

    def _given(self, value: Any) -> Any:
        if isinstance(value, NDArray):
            return self._from_tensor(value)
        return tuple(map(self._given, value)) if isinstance(value, tuple) else value

    def _tensor(self, name: str, value: Any) -> NDArray:
        return value if isinstance(value, NDArray) else array(value)

    def _from_tensor(self, value: NDArray) -> Any:
        return value.numpy()


class TorchModule(CompiledModule):
    """The methods of a compiled module, which take and give PyTorch's tensors."""

    def _tensor(self, name: str, value: Any) -> NDArray:
        import torch

        if not isinstance(value, torch.Tensor):
            raise refused(f"{name} is a tensor of PyTorch's, found {type(value).__name__}")
        return _core.NDArray.from_dlpack(value.detach().contiguous())

    def _from_tensor(self, value: NDArray) -> Any:
        import torch

        return torch.from_dlpack(value)
