"""Modules in PyTorch's manner that write graph functions with the block builder of the caller.

class MLP(nn.Module):
    def __init__(self):
        self.weight = nn.Parameter((784, 10), "float32", name="weight")

    def forward(self, x):
        return nn.emit(relax.op.matmul(x, self.weight))

Parameters and placeholders are variables: those who write the function list them as its parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...error import TVMError
from ...ir.module import IRModule
from ...runtime.ndarray import NDArray, array
from ..block_builder import BlockBuilder
from ..expr import Expr, Var
from ..op import add, matmul, nn
from ..struct_info import TensorStructInfo

__all__ = [
    "Linear",
    "LogSoftmax",
    "Module",
    "Parameter",
    "Placeholder",
    "ReLU",
    "Sequential",
    "emit",
    "emit_te",
    "init_params",
]


def _builder(function: str) -> BlockBuilder:
    builder = BlockBuilder.current()
    if builder is None:
        raise TVMError(f"{function}: no function is being written; call it inside `with bb.function(…):`")
    return builder


def emit(expr: Expr, name_hint: str = "") -> Var:
    """Binds the value to a variable of the function that is being written."""
    return _builder("nn.emit").emit(expr, name_hint)


def emit_te(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Var:
    """Binds what a function of tensor expressions computes (see `BlockBuilder.call_te`)."""
    return _builder("nn.emit_te").emit_te(func, *args, **kwargs)


class Placeholder(Var):
    """A variable for an input."""

    def __new__(cls, shape: Any, dtype: Any = "float32", name: str = "data") -> Any:
        return cls._make(name, TensorStructInfo(shape if isinstance(shape, Expr) else _dims(shape), dtype))


class Parameter(Var):
    """A variable for a weight: an attribute of a module."""

    def __new__(cls, shape: Any, dtype: Any = "float32", name: str = "param") -> Any:
        return cls._make(name, TensorStructInfo(shape if isinstance(shape, Expr) else _dims(shape), dtype))


def _dims(shape: Any) -> Sequence[Any]:
    return list(shape) if isinstance(shape, Sequence) or hasattr(shape, "__iter__") else [shape]


def _parameters(value: Any) -> Iterator[Parameter]:
    if isinstance(value, Parameter):
        yield value
    elif isinstance(value, (Module, dict, list, tuple)):
        items = vars(value) if isinstance(value, Module) else value
        for item in items.values() if isinstance(items, dict) else items:
            yield from _parameters(item)


class Module:
    """A part of a model: its attributes are weights and other modules, its `forward` emits what it computes."""

    def parameters(self) -> list[Parameter]:
        """The weights in the order of the attributes, those of modules, lists and dicts in order, each once."""
        return list({parameter: None for parameter in _parameters(self)})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes."""
        raise NotImplementedError(f"{type(self).__name__} has no `forward`")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)


class Sequential(Module):
    """Modules one after the other."""

    def __init__(self, *modules: Module) -> None:
        self.modules = modules

    def forward(self, input: Expr) -> Any:
        """What the last module makes of what the others before it do."""
        for module in self.modules:
            input = module(input)
        return input


class ReLU(Module):
    """`max(x, 0)`."""

    def forward(self, input: Expr) -> Var:
        """The larger of each element and 0."""
        return emit(nn.relu(input))


class LogSoftmax(Module):
    """The logarithm of the softmax along the last axis."""

    def forward(self, input: Expr) -> Var:
        """The logarithm of the softmax."""
        return emit(nn.log_softmax(input))


class Linear(Module):
    """`x @ weight + bias`, with a weight of (in_features, out_features)."""

    def __init__(self, in_features: Any, out_features: Any, bias: bool = True) -> None:
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter((in_features, out_features), name="linear_weight")
        self.bias = Parameter((out_features,), name="linear_bias") if bias else None

    def forward(self, input: Expr) -> Var:
        """The product with the weight, and the bias for each row."""
        product = emit(matmul(input, self.weight))
        return product if self.bias is None else emit(add(product, self.bias))


def init_params(mod: IRModule, seed: int = 0) -> list[NDArray]:
    """Random values for the parameters of `main` after its inputs, floats between -1 and 1 and integers 0 or 1.

    Inputs are as many parameters as the attribute `num_input` says, without it those whose names begin with `data`.
    """
    import numpy as np

    main, random = mod["main"], np.random.default_rng(seed)
    inputs = main.attrs.get("num_input") if main.attrs else None
    made = []
    for at, param in enumerate(main.params):
        if at < int(inputs) if inputs is not None else param.name_hint.startswith("data"):
            continue
        shape, dtype = [int(dim) for dim in param.struct_info.shape], param.struct_info.dtype
        low = random.uniform(-1, 1, shape) if "float" in dtype else random.integers(0, 2, shape)
        made.append(array(low.astype("float32" if "float" in dtype else dtype), dtype=dtype))
    return made
