"""Optimisers: each makes a graph function of parameters, their gradients and a state, that gives the next of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...runtime import ndarray
from ..block_builder import BlockBuilder
from ..expr import Expr, Function, Tuple, TupleGetItem, Var, const
from ..op import add, divide, multiply, sqrt, subtract
from ..struct_info import TensorStructInfo, TupleStructInfo

__all__ = ["SGD", "Adam", "MomentumSGD", "Optimizer"]


class Optimizer:
    """What all optimisers have.

    `init(params)` says which variables are optimised; `state` is then the state to begin with, a list of tensors, and
    `get_function()` the function `(params, gradients, state) -> (params, state)` of tuples.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.param_list: list[Var] = []
        self.dtype = ""

    def init(self, params: Var | Sequence[Var]) -> Optimizer:
        """Takes the variables, all of one float type and of constant shapes."""
        params = [params] if isinstance(params, Var) else list(params)
        if self.param_list:
            raise ValueError(f"{self.name} has its parameters already")
        dtypes = {param.struct_info.dtype for param in params}
        if len(dtypes) != 1 or "float" not in next(iter(dtypes)):
            raise ValueError(f"{self.name} takes parameters of one float type, found {sorted(dtypes)}")
        if len({param.name_hint for param in params}) != len(params):
            raise ValueError(f"{self.name} takes each parameter once")
        self.param_list, self.dtype = params, dtypes.pop()
        return self

    @property
    def state(self) -> list[Any]:
        """The state to begin with."""
        self._ready()
        return [ndarray.array(value) for value in self._first()]

    def get_function(self) -> Function:
        """The function of tuples: parameters, gradients and state in, parameters and state out."""
        self._ready()
        infos = [param.struct_info for param in self.param_list]
        states = [TensorStructInfo(value.shape, str(value.dtype)) for value in self._first()]
        params, gradients, state = (
            Var(name, TupleStructInfo(own))
            for name, own in (("params", infos), ("gradients", infos), ("optim_states", states))
        )
        bb = BlockBuilder()
        with bb.function(self.name, [params, gradients, state]):
            with bb.dataflow():
                fields = [[TupleGetItem(all_of, i) for i in range(len(all_of.struct_info.fields))]
                          for all_of in (params, gradients, state)]  # fmt: skip
                new_params, new_state = self._step(bb, *fields)
                outputs = [bb.emit_output(Tuple(new)) for new in (new_params, new_state)]
            bb.emit_func_output(Tuple(outputs))
        return bb.get()[self.name]

    def _ready(self) -> None:
        if not self.param_list:
            raise ValueError(f"{self.name} has no parameters yet: call `init`")

    def _number(self, value: float) -> Expr:
        return const(value, self.dtype)

    def _zeros(self) -> list[np.ndarray]:
        shapes = [[int(dim) for dim in param.struct_info.shape] for param in self.param_list]
        return [np.zeros(shape, self.dtype) for shape in shapes]

    def _decayed(self, bb: BlockBuilder, param: Expr, gradient: Expr, decay: float) -> Expr:
        """The gradient with that of the parameters' squares."""
        return bb.emit(add(multiply(self._number(decay), param), gradient)) if decay else gradient

    def _first(self) -> list[np.ndarray]:
        raise NotImplementedError(f"{type(self).__name__} has no state")

    def _step(self, bb: BlockBuilder, params: list, gradients: list, state: list) -> tuple[list, list]:
        raise NotImplementedError(f"{type(self).__name__} has no step")


class SGD(Optimizer):
    """Stochastic gradient descent: `param - lr * (gradient + weight_decay * param)`. The state counts the steps."""

    def __init__(self, lr: float, weight_decay: float = 0) -> None:
        super().__init__("SGD")
        self.lr, self.weight_decay = float(lr), float(weight_decay)

    def _first(self) -> list[np.ndarray]:
        return [np.zeros((), "int64")]

    def _step(self, bb: BlockBuilder, params: list, gradients: list, state: list) -> tuple[list, list]:
        new = []
        for param, gradient in zip(params, gradients, strict=True):
            gradient = self._decayed(bb, param, gradient, self.weight_decay)
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), gradient))))
        return new, [bb.emit(add(state[0], const(1, "int64")))]


class MomentumSGD(Optimizer):
    """Gradient descent with a velocity: `v = momentum * v + (1 - dampening) * gradient`, and `param - lr * v`.

    With `nesterov` the step is along `gradient + momentum * v`. The state counts the steps and keeps the velocities.
    """

    def __init__(
        self, lr: float, momentum: float, dampening: float = 0, weight_decay: float = 0, nesterov: bool = False
    ) -> None:
        super().__init__("MomentumSGD")
        self.lr, self.momentum, self.dampening = float(lr), float(momentum), float(dampening)
        self.weight_decay, self.nesterov = float(weight_decay), nesterov

    def _first(self) -> list[np.ndarray]:
        return [np.zeros((), "int64"), *self._zeros()]

    def _step(self, bb: BlockBuilder, params: list, gradients: list, state: list) -> tuple[list, list]:
        new, velocities = [], []
        for param, gradient, velocity in zip(params, gradients, state[1:], strict=True):
            gradient = self._decayed(bb, param, gradient, self.weight_decay)
            fresh = multiply(self._number(1 - self.dampening), gradient) if self.dampening else gradient
            velocity = bb.emit(add(multiply(self._number(self.momentum), velocity), fresh))
            along = add(gradient, multiply(self._number(self.momentum), velocity)) if self.nesterov else velocity
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), along))))
            velocities.append(velocity)
        return new, [bb.emit(add(state[0], const(1, "int64"))), *velocities]


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps along the mean gradient over the root of its mean square, both corrected.

    The state counts the steps, and keeps the powers of both betas, the means and the mean squares.
    """

    def __init__(
        self, lr: float, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-08, weight_decay: float = 0
    ) -> None:
        super().__init__("Adam")
        self.lr, self.betas, self.eps = float(lr), (float(betas[0]), float(betas[1])), float(eps)
        self.weight_decay = float(weight_decay)

    def _first(self) -> list[np.ndarray]:
        one = np.ones((), self.dtype)
        return [np.zeros((), "int64"), one, one, *self._zeros(), *self._zeros()]

    def _step(self, bb: BlockBuilder, params: list, gradients: list, state: list) -> tuple[list, list]:
        steps, count = bb.emit(add(state[0], const(1, "int64"))), len(params)
        powers = [bb.emit(multiply(power, self._number(beta)))
                  for power, beta in zip(state[1:3], self.betas, strict=True)]  # fmt: skip
        new, means, squares = [], [], []
        for param, gradient, mean, square in zip(
            params, gradients, state[3 : 3 + count], state[3 + count :], strict=True
        ):
            gradient = self._decayed(bb, param, gradient, self.weight_decay)
            mean = self._moved(bb, mean, gradient, self.betas[0])
            square = self._moved(bb, square, bb.emit(multiply(gradient, gradient)), self.betas[1])
            mean_hat, square_hat = (
                bb.emit(divide(value, subtract(self._number(1), power)))
                for value, power in zip((mean, square), powers, strict=True)
            )
            along = divide(mean_hat, add(sqrt(square_hat), self._number(self.eps)))
            new.append(bb.emit(subtract(param, multiply(self._number(self.lr), along))))
            means.append(mean)
            squares.append(square)
        return new, [steps, *powers, *means, *squares]

    def _moved(self, bb: BlockBuilder, mean: Expr, value: Expr, beta: float) -> Expr:
        return bb.emit(add(multiply(self._number(beta), mean), multiply(self._number(1 - beta), value)))
